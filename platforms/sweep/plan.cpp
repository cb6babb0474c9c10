// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan.h"

#include <fmt/format.h>

#include <set>

#include "cli/program_file.h"
#include "common/machine_description.h"
#include "core/error.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

/// The syntax of `--set`. Text keeps its quotes, so that "1" remains text.
std::string assignment(const Setting& setting) { return setting.path + "=" + setting.value.json; }

MachineChoice choice_of(const Study& study, const Point& point) {
  const Machine& machine = study.machines[point.machine];
  MachineChoice choice{machine.machine, {}};
  for (const Setting& setting : machine.settings) choice.settings.push_back(assignment(setting));
  for (const Setting& setting : point.settings) choice.settings.push_back(assignment(setting));
  return choice;
}

std::string path_of(const Study& study, const Program& program) {
  std::string path = cli::find_program(program.command[0]);
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error))
    fail(ExitCode::usage, "{}:{}: programs: program {} does not exist; build it, or correct its command",
         study.file.filename().string(), program.line, program.command[0]);
  return path;
}

}  // namespace

Plan::Plan(Study study, Model model) : study_(std::move(study)), model_(std::move(model)), points_(expand(study_)) {
  for (std::size_t i = 0; i < points_.size(); ++i) keys_.push_back(prepare(i).key);
  collect_runs();
}

Plan::Plan(Study study, Model model, std::vector<std::string> keys)
    : study_(std::move(study)), model_(std::move(model)), points_(expand(study_)), keys_(std::move(keys)) {
  collect_runs();
}

void Plan::collect_runs() {
  std::set<std::string> known;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (known.insert(keys_[i]).second) runs_.push_back({keys_[i], i});
  }
}

PreparedRun Plan::prepare(std::size_t number) {
  const Point& point = points_[number];
  const Program& described = program(number);
  PreparedRun run;
  const MachineChoice choice = choice_of(study_, point);
  try {
    const auto machine = load_machine(choice);
    run.inputs.configuration = machine->configuration.values();
    run.machine_json = machine->configuration.resolved();
  } catch (const Error& error) {
    fail(error.code(), "{}: {}: {}", study_.file.filename().string(), describe(study_, point), error.what());
  }
  run.program = path_of(study_, described);
  run.inputs.version = model_.version;
  run.inputs.model_sha256 = digests_.of(model_.library);
  run.inputs.program_sha256 = digests_.of(run.program);
  run.inputs.arguments.assign(described.command.begin() + 1, described.command.end());
  run.inputs.options = described.options;
  for (const fs::path& input : described.inputs) {
    run.inputs.inputs[input.lexically_relative(study_.file.parent_path()).string()] = digests_.of(input);
  }
  run.key = run_key(run.inputs);
  run.replay = {"heddle", "run", "--machine", choice.machine};
  for (const std::string& setting : choice.settings) {
    run.replay.emplace_back("--set");
    run.replay.push_back(setting);
  }
  // Options such as --inspect have no effect without a folder.
  run.replay.insert(run.replay.end(), {"--output", run.key});
  run.replay.insert(run.replay.end(), described.options.begin(), described.options.end());
  run.replay.emplace_back("--");
  run.replay.push_back(run.program);
  run.replay.insert(run.replay.end(), run.inputs.arguments.begin(), run.inputs.arguments.end());
  return run;
}

}  // namespace heddle::sweep
