// SPDX-License-Identifier: Apache-2.0
// heddle best-limit: runs a program under every static limit on the warps of an SM, and keeps the limit under which
// each of its kernels takes the fewest cycles, for `sm.static_limit.profile`. Source:
// docs/sources/cache-conscious-and-divergence-aware.md, 1.2 (S9) and 2.2.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/program_file.h"
#include "cli/run_command.h"
#include "cli/sweep_model.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/number_ranges.h"
#include "gpu/gpu_parameters.h"
#include "sm/scheduling/locality/kernel_profile.h"
#include "sweep/progress.h"
#include "sweep/run_folder.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kSomeMissing = 1;  ///< exit status: some limits are missing, because their runs failed
constexpr unsigned kHighestLimit = 512;

struct BestLimitCommand {
  std::string machine, output, limits, profile = "limits.json";
  std::vector<std::string> settings, program;
  unsigned jobs = 0;
  bool quiet = false;

  void declare(CommandLine& app) {
    app.add_option("-m,--machine", machine, "machine to run on: a preset's name or a JSON file");
    app.add_option("--set", settings, "override of the machine description, path=value; may be repeated").repeated();
    app.add_option("-l,--limits", limits, "limits to try, as in 1-8,16,32; default: 1 to the warps of an SM");
    app.add_option("-p,--profile", profile,
                   "file to write; one that exists keeps what it says about loops and about other kernels")
        .show_default();
    app.add_option("-o,--output", output, "folder of the runs; default: the program's name + '.limits'");
    app.add_option("-j,--jobs", jobs, "concurrent runs; default: one per core").in_range(1, 4096);
    app.add_flag("-q,--quiet", quiet, "print no progress");
    app.prefix_command();
    app.footer(
        "A machine with sm.vetoes=static_limit reads the file: --set sm.static_limit.profile=FILE. A finished run is "
        "not repeated. The status is 1 when some runs failed; their limits do not count.");
  }
};

/// Cycles of all launches of a kernel, by limit.
using Cycles = std::map<unsigned, std::uint64_t>;

sweep::Setting setting_of(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail(ExitCode::usage, "--set {}: expected path=value", assignment);
  const std::string value = assignment.substr(equals + 1);
  return {assignment.substr(0, equals), {value, value}};
}

std::vector<unsigned> limits_of(const BestLimitCommand& command) {
  const auto machine = load_machine({command.machine, command.settings});
  const sm::SmParameters& sm = machine->parameters.gpu.sm_classes.front().sm;
  const unsigned warps = std::min(kHighestLimit, sm.residency.threads / sm.warp_size);
  const NumberRanges wanted(command.limits, "--limits", 1);
  std::vector<unsigned> limits;
  for (unsigned limit = 1; limit <= (wanted.empty() ? warps : kHighestLimit); ++limit) {
    if (wanted.empty() || wanted.contains(limit)) limits.push_back(limit);
  }
  if (limits.empty()) fail(ExitCode::usage, "--limits: a limit is at most {}", kHighestLimit);
  return limits;
}

sweep::Study study_of(const BestLimitCommand& command, const std::vector<unsigned>& limits) {
  sweep::Study study;
  study.file = fs::absolute("best-limit");
  study.name = "best-limit";
  sweep::Program program;
  program.name = fs::path(command.program[0]).filename().string();
  program.command = command.program;
  const std::string path = find_program(command.program[0]);
  if (path.empty()) no_program(command.program[0]);
  program.command[0] = fs::absolute(path).string();
  study.programs = {program};
  sweep::Machine machine;
  machine.name = "machine";
  const bool file = command.machine.find('/') != std::string::npos || fs::path(command.machine).extension() == ".json";
  machine.machine = file ? fs::absolute(command.machine).string() : command.machine;
  for (const std::string& assignment : command.settings) machine.settings.push_back(setting_of(assignment));
  machine.settings.push_back(setting_of("sm.vetoes=[\"static_limit\"]"));
  machine.settings.push_back(setting_of("sm.static_limit.profile="));
  study.machines = {machine};
  sweep::Parameter limit{.path = "sm.static_limit.limit", .values = {}};
  for (const unsigned value : limits) limit.values.push_back({std::to_string(value), std::to_string(value)});
  study.parameters = {limit};
  return study;
}

void add_cycles(const fs::path& run, unsigned limit, std::map<std::string, Cycles>& kernels) {
  const JsonNode root = read_json(run);
  const JsonNode* const launches = root.find("kernels");
  if (launches == nullptr) return;
  for (const JsonNode& launch : launches->elements) {
    const JsonNode* const name = launch.find("name");
    const JsonNode* const cycles = launch.find("cycles");
    if (name != nullptr && cycles != nullptr) kernels[name->text][limit] += cycles->natural;
  }
}

/// The limit with the fewest cycles; of equal ones the highest, which holds back least.
unsigned best_of(const Cycles& cycles) {
  const auto best = std::min_element(cycles.rbegin(), cycles.rend(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return best->first;
}

/// The profiles with the limits of the kernels.
std::string with_limits(std::vector<sm::KernelProfile> profiles, const std::map<std::string, Cycles>& kernels) {
  for (const auto& [name, cycles] : kernels) {
    auto found = std::find_if(profiles.begin(), profiles.end(), [&](const auto& p) { return p.kernel == name; });
    if (found == profiles.end()) found = profiles.insert(found, sm::KernelProfile{.kernel = name});
    found->warp_limit = best_of(cycles);
  }
  return sm::KernelProfiles(std::move(profiles)).text();
}

void print(const std::map<std::string, Cycles>& kernels) {
  fmt::print("{:>5} {:>14} {:>14} {:>8}  {}\n", "limit", "cycles", "highest limit", "speed-up", "kernel");
  for (const auto& [name, cycles] : kernels) {
    const unsigned limit = best_of(cycles);
    const std::uint64_t best = cycles.at(limit), highest = cycles.rbegin()->second;
    fmt::print("{:>5} {:>14} {:>14} {:>8.2f}  {}\n", limit, best, highest,
               best == 0 ? 1.0 : static_cast<double>(highest) / static_cast<double>(best), name);
  }
}

int execute(BestLimitCommand& command) {
  if (command.program.empty()) fail(ExitCode::usage, "missing program: heddle best-limit [options] ./app arguments");
  const std::vector<unsigned> limits = limits_of(command);
  std::vector<sm::KernelProfile> profiles;
  if (fs::exists(command.profile)) profiles = sm::KernelProfiles::read(command.profile)->kernels();
  sweep::Plan plan(study_of(command, limits), installed_model());
  const fs::path folder = fs::absolute(
      command.output.empty() ? fs::path(command.program[0]).filename().string() + ".limits" : command.output);
  sweep::Progress progress(command.quiet);
  std::vector<std::size_t> all(plan.runs().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const sweep::RunnerOutcome outcome =
      sweep::LocalRunner(plan, folder, runner_options(command.jobs), progress).run(all);
  if (outcome.signal != 0) return static_cast<int>(ExitCode::interrupted);
  for (const sweep::Failure& failure : outcome.failures) {
    fmt::print(stderr, "heddle best-limit: limit {} does not count: {}\n", limits[plan.runs()[failure.run].point],
               failure.reason);
  }
  std::map<std::string, Cycles> kernels;
  for (std::size_t point = 0; point < limits.size(); ++point) {
    const sweep::RunFolder run(folder, plan.keys()[point]);
    if (run.status().state == sweep::RunState::finished) add_cycles(run.path() / "run.json", limits[point], kernels);
  }
  if (kernels.empty()) fail(ExitCode::usage, "no run of the program timed a kernel");
  write_file_atomically(command.profile, with_limits(std::move(profiles), kernels));
  print(kernels);
  if (!command.quiet) fmt::print(stderr, "heddle best-limit: wrote {}\n", command.profile);
  return outcome.failures.empty() ? 0 : kSomeMissing;
}

}  // namespace

int best_limit(int argc, char** argv) {
  CommandLine app("Finds the number of warps of an SM with which each kernel of a CUDA program runs best.",
                  "heddle best-limit");
  BestLimitCommand command;
  command.declare(app);
  int status = 0;
  const int failed = run_command(app, argc, argv, [&] {
    command.program = app.remaining();
    if (!command.program.empty() && command.program[0] == "--") command.program.erase(command.program.begin());
    status = execute(command);
  });
  return failed != 0 ? failed : status;
}

}  // namespace heddle::cli
