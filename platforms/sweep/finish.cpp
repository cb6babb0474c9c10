// SPDX-License-Identifier: Apache-2.0
#include "sweep/finish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "core/file.h"

extern char** environ;

namespace heddle::sweep {
namespace {

/// Runs listed one by one at the end; of more, only their folder is named.
constexpr std::size_t kListedRuns = 12;

/// Runs a command to completion; silent: discards its output. Returns the status, or -1 when it could not be started.
int run_command(const std::vector<std::string>& command, bool silent) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (silent) {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || ::waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Writes the report; returns a message on the outcome.
std::string write_report(const Plan& plan, const Results& results, const std::filesystem::path& folder) {
  const std::string program = plan.model().program.string();
  if (run_command({program, "report", "--help"}, true) != 0) return "this Heddle has no `heddle report`: no report";
  const std::vector<std::size_t> chosen = chosen_for_report(plan, results);
  if (chosen.empty()) return "no report: no run has results to show";
  const std::string file = (folder / "report.html").string();
  std::vector<std::string> command = {program, "report"};
  for (const std::size_t point : chosen)
    command.push_back((folder / "runs" / plan.keys()[point] / "run.json").string());
  command.insert(command.end(), {"-o", file, "--force", "--quiet"});
  if (const int status = run_command(command, false); status != 0)
    return fmt::format("`heddle report` ended with status {}: no report", status);
  const std::size_t with_results = results.finished + results.limit;
  return fmt::format("wrote {}{}", file,
                     chosen.size() == with_results ? std::string()
                                                   : fmt::format(": {} of {} runs, selected by `report` in the study",
                                                                 chosen.size(), with_results));
}

/// Which runs have results, and where each is.
std::string written_runs(const Plan& plan, const Results& results, const std::filesystem::path& folder) {
  std::set<std::string> with;
  for (std::size_t point = 0; point < results.rows.size(); ++point) {
    const RunState state = results.rows[point].status.state;
    if (state == RunState::finished || state == RunState::limit) with.insert(plan.keys()[point]);
  }
  const std::string runs = (folder / "runs").string();
  if (with.empty())
    return fmt::format("no run has results; {} has what they printed, each in a folder of its own", runs);
  if (with.size() > kListedRuns)
    return fmt::format("{} runs have results: {}/KEY/run.json, by the keys in the first column of results.csv",
                       with.size(), runs);
  std::string text =
      fmt::format("{} run{}, in {}:", with.size(), with.size() == 1 ? " has results" : "s have results", runs);
  for (std::size_t point = 0; point < plan.points().size(); ++point) {
    const std::string& key = plan.keys()[point];
    if (with.erase(key) == 0) continue;
    text += fmt::format("\n  {}/run.json: {}", key, describe(plan.study(), plan.points()[point]));
  }
  return text;
}

}  // namespace

Results finish(const Plan& plan, const std::filesystem::path& folder, bool quiet) {
  Results results = read_results(plan, folder);
  write_file_atomically(folder / "results.csv", results_csv(plan, results));
  const std::string report = write_report(plan, results, folder);
  if (quiet) return results;
  const auto say = [](const std::string& line) { fmt::print(stderr, "heddle sweep: {}\n", line); };
  for (const std::string& note : results.notes) say(note);
  std::string counts = fmt::format("{} finished", results.finished);
  if (results.limit != 0) counts += fmt::format(", {} stopped at a limit", results.limit);
  if (results.failed != 0) counts += fmt::format(", {} failed", results.failed);
  if (results.missing != 0) counts += fmt::format(", {} missing", results.missing);
  say(fmt::format("wrote {}: {} runs, {}", (folder / "results.csv").string(), plan.runs().size(), counts));
  say(report);
  say(written_runs(plan, results, folder));
  return results;
}

std::string failure_list(const Plan& plan, const std::filesystem::path& folder,
                         const std::vector<std::pair<std::size_t, std::string>>& failed, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < failed.size() && i < most; ++i) {
    const PlannedRun& run = plan.runs()[failed[i].first];
    const RunFolder place(folder, run.key);
    text += fmt::format("failed: {}: {}\n  {}\n", describe(plan.study(), plan.points()[run.point]), failed[i].second,
                        place.path().string());
    for (const std::string& line : place.last_errors(3)) text += fmt::format("  | {}\n", line);
  }
  if (failed.size() > most) text += fmt::format("and {} more: see results.csv\n", failed.size() - most);
  return text;
}

}  // namespace heddle::sweep
