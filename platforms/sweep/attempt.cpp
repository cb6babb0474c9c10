// SPDX-License-Identifier: Apache-2.0
#include "sweep/attempt.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "runtime/options.h"

namespace heddle::sweep {
namespace {

std::string point_json(const Plan& plan, std::size_t number, const PreparedRun& run) {
  const Study& study = plan.study();
  const Point& point = plan.points()[number];
  const auto words = [](JsonWriter& out, const char* key, const std::vector<std::string>& list) {
    out.key(key).begin_array(true);
    for (const std::string& word : list) out.value(word);
    out.end_array();
  };
  JsonWriter out;
  out.begin_object().member("schema_version", 1u).member("key", run.key).member("study", study.name);
  out.member("program", shown_value(study, point, "program")).member("machine", shown_value(study, point, "machine"));
  out.key("parameters").begin_object();
  for (const Setting& setting : point.settings) out.key(setting.path).raw(setting.value.json);
  out.end_object();
  words(out, "replay", run.replay);
  out.member("folder", study.file.parent_path().string());
  out.member("heddle", run.inputs.version).member("model_sha256", run.inputs.model_sha256);
  out.member("program_sha256", run.inputs.program_sha256);
  out.key("inputs").begin_object();
  for (const auto& [file, digest] : run.inputs.inputs) out.member(file, digest);
  out.end_object().end_object();
  return out.text();
}

bool limited(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](std::string_view option) {
    return option.starts_with("--max-cycles") || option.starts_with("--max-instructions");
  });
}

}  // namespace

std::string with_folder(std::string text, const std::filesystem::path& folder) {
  constexpr std::string_view kPlace = "{folder}";
  const std::string path = folder.string();
  for (std::size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += path.size())
    text.replace(at, kPlace.size(), path);
  return text;
}

ProcessRequest begin_attempt(const Plan& plan, std::size_t point, const PreparedRun& run, const RunFolder& folder,
                             int lock) {
  folder.clear();
  const std::filesystem::path& path = folder.path();
  const std::filesystem::path files = path / "files";
  write_file_atomically(path / "machine.json", run.machine_json);
  write_file_atomically(path / "point.json", point_json(plan, point, run));
  ProcessRequest request;
  request.command = {plan.model().program.string(),    "run",      "--quiet",    "--machine",
                     (path / "machine.json").string(), "--output", path.string()};
  bool uses_files = false;
  const auto add = [&](const std::string& word) {
    request.command.push_back(with_folder(word, files));
    uses_files = uses_files || request.command.back() != word;
  };
  for (const std::string& option : run.inputs.options) add(option);
  request.command.emplace_back("--");
  request.command.push_back(run.program);
  for (const std::string& argument : run.inputs.arguments) add(argument);
  std::error_code error;
  if (uses_files) std::filesystem::create_directories(files, error);
  request.folder = plan.study().file.parent_path();
  request.out = path / "stdout.txt";
  request.err = path / "stderr.txt";
  request.inherited = lock;
  request.limit = std::chrono::duration<double>(plan.program(point).requests.minutes * 60);
  // Environment variables of the sweep's shell would affect results that the key does not capture. The checkers do not.
  for (const runtime::OptionVariable& variable : runtime::option_variables()) {
    const std::string_view name = variable.name;
    if (name != "HEDDLE_CHECK_PROTOCOL" && name != "HEDDLE_CHECK_TRACKERS") request.unset.emplace_back(variable.name);
  }
  return request;
}

RunStatus judge(const ProcessEnd& end, const std::vector<std::string>& options, const std::string& no_results,
                double minutes) {
  RunStatus status;
  status.exit_status = end.exit_status;
  status.signal = end.signal;
  status.wall_seconds = end.wall_seconds;
  status.user_seconds = end.user_seconds;
  status.peak_memory_bytes = end.peak_memory_bytes;
  status.state = RunState::failed;
  if (end.timed_out) {
    status.reason = fmt::format("stopped after its time limit of {} minutes", minutes);
  } else if (end.signal != 0) {
    const char* const hint = end.signal == SIGKILL ? "; the system sends it when memory runs out" : "";
    status.reason = fmt::format("ended by signal {} ({}){}", end.signal, ::strsignal(end.signal), hint);
  } else if (end.exit_status == static_cast<int>(ExitCode::limit) && limited(options) && no_results.empty()) {
    status.state = RunState::limit;
  } else if (end.exit_status != 0) {
    status.reason = fmt::format("exit status {}", end.exit_status);
  } else if (!no_results.empty()) {
    status.reason = no_results;
  } else {
    status.state = RunState::finished;
  }
  return status;
}

}  // namespace heddle::sweep
