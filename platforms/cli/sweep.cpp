// SPDX-License-Identifier: Apache-2.0
// heddle sweep: a study of many runs. Implemented in platforms/sweep.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "cli/sweep_model.h"
#include "common/command_line.h"
#include "common/install_paths.h"
#include "common/option_rules.h"
#include "core/error.h"
#include "core/file.h"
#include "core/output_files.h"
#include "sweep/finish.h"
#include "sweep/local_runner.h"
#include "sweep/plan.h"
#include "sweep/study.h"
#include "sweep/workflow.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kSomeFailed = 1;  ///< exit status: the study is complete, but some runs failed
constexpr std::size_t kListedFailures = 20;

struct SweepCommand {
  std::string study, output, only;
  unsigned jobs = 0;
  bool list = false, collect = false, retry_failed = false, quiet = false, snakemake = false, slurm = false;
  std::vector<std::string> extra;
  OptionRules rules;

  void declare(CommandLine& app) {
    app.add_option("STUDY", study, "the study, a JSON file").required();
    app.add_option("-o,--output", output, "results folder; default: the study's name + '.sweep'");
    const auto at_once = app.add_option("-j,--jobs", jobs, "concurrent runs; default: one per core").in_range(1, 4096);
    const auto again = app.add_flag("--retry-failed", retry_failed, "also rerun what failed in an earlier sweep");
    const auto lists = app.add_flag("--list", list, "print runs, their keys, states and commands as JSON; run nothing");
    const auto one = app.add_option("--only", only, "execute one run, by its key; the status gives its outcome");
    const auto collects =
        app.add_flag("--collect", collect, "write table and report from existing results; run nothing");
    const auto locally = app.add_flag("--snakemake", snakemake,
                                      "run it through Snakemake on this machine; arguments after -- go to Snakemake");
    const auto on_cluster =
        app.add_flag("--slurm", slurm, "run it through Snakemake on Slurm; arguments after -- go to Snakemake");
    for (const auto& mode : {lists, one, collects}) rules.idle_with(at_once, mode);
    // A run asked for by its key, and every job of a workflow, is retried anyway.
    for (const auto& mode : {lists, one, collects, locally, on_cluster}) rules.idle_with(again, mode);
    app.add_flag("-q,--quiet", quiet, "print no progress and no summary lines");
    app.footer(
        "A finished run is not repeated unless its result is damaged. The status is 0 when every run finished, 1 "
        "when some failed or have no result, 130 when it was stopped.");
  }

  void check() const {
    rules.check();
    if (!extra.empty() && !snakemake && !slurm)
      fail(ExitCode::usage, "arguments after -- are for Snakemake: use --snakemake or --slurm");
    const int modes =
        (list ? 1 : 0) + (collect ? 1 : 0) + (only.empty() ? 0 : 1) + (snakemake ? 1 : 0) + (slurm ? 1 : 0);
    if (modes > 1) fail(ExitCode::usage, "use only one of --list, --only, --collect, --snakemake and --slurm");
  }
};

bool holds(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && read_file(file) == text;
}

/// Written only when its contents change, so that its timestamp shows when the study changed.
void keep_points(const sweep::Plan& plan, const fs::path& folder) {
  const std::string text = sweep::plan_json(plan, folder, nullptr);
  const fs::path file = folder / "points.json";
  if (!holds(file, text)) write_file_atomically(file, text);
}

std::vector<std::string> states_of(const sweep::Plan& plan, const fs::path& folder) {
  std::vector<std::string> states;
  states.reserve(plan.runs().size());
  for (const sweep::PlannedRun& run : plan.runs())
    states.emplace_back(name_of(sweep::RunFolder(folder, run.key).status().state));
  return states;
}

bool has_run(const sweep::Plan& plan, const std::string& key) {
  return std::any_of(plan.runs().begin(), plan.runs().end(),
                     [&](const sweep::PlannedRun& run) { return run.key.starts_with(key); });
}

/// The run whose key begins with `key`; there must be exactly one.
std::size_t find_run(const sweep::Plan& plan, const std::string& key) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan.runs().size(); ++i) {
    if (plan.runs()[i].key.starts_with(key)) found.push_back(i);
  }
  if (found.empty())
    fail(ExitCode::usage, "the study has no run {}: program, machine or model may have changed; --list shows the keys",
         key);
  if (found.size() > 1) fail(ExitCode::usage, "{} runs have a key that begins with {}", found.size(), key);
  return found[0];
}

double memory_of_this_machine() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE)) / (1u << 30);
}

std::vector<std::pair<std::size_t, std::string>> listed(const std::vector<sweep::Failure>& failures) {
  std::vector<std::pair<std::size_t, std::string>> list;
  for (const sweep::Failure& failure : failures) list.emplace_back(failure.run, failure.reason);
  return list;
}

int run_one(sweep::Plan& plan, const fs::path& folder, const std::string& key) {
  sweep::Progress progress(true);
  // A request for a single run also retries a failed one.
  sweep::LocalRunner runner(plan, folder, {.jobs = 1, .retries = 0, .retry_failed = true}, progress);
  const sweep::RunnerOutcome outcome = runner.run({find_run(plan, key)});
  if (outcome.signal != 0) return static_cast<int>(ExitCode::interrupted);
  fmt::print(stderr, "{}", sweep::failure_list(plan, folder, listed(outcome.failures), 1));
  return outcome.failures.empty() ? 0 : kSomeFailed;
}

int run_all(sweep::Plan& plan, const fs::path& folder, const SweepCommand& command) {
  sweep::Progress progress(command.quiet);
  sweep::RunnerOptions options = runner_options(command.jobs);
  options.retries = plan.study().retries;
  options.retry_failed = command.retry_failed;
  std::vector<std::size_t> all(plan.runs().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  sweep::LocalRunner runner(plan, folder, options, progress);
  const sweep::RunnerOutcome outcome = runner.run(all);
  if (outcome.signal != 0) {
    progress.say(
        fmt::format("stopped: {}; the same command resumes", progress_text(outcome.counts, progress.elapsed())));
    return static_cast<int>(ExitCode::interrupted);
  }
  const sweep::Results results = finish(plan, folder, command.quiet);
  fmt::print(stderr, "{}", sweep::failure_list(plan, folder, listed(outcome.failures), kListedFailures));
  // A result may have been damaged since.
  if (outcome.failures.empty()) return results.missing == 0 ? 0 : kSomeFailed;
  progress.say(
      fmt::format("{} of {} runs failed; --retry-failed reruns them", outcome.failures.size(), plan.runs().size()));
  return kSomeFailed;
}

int execute(const SweepCommand& command) {
  const InstallPaths paths = find_install_paths();
  const sweep::Study study = sweep::read_study(command.study);
  const fs::path folder =
      fs::absolute(command.output.empty() ? study.name + ".sweep" : command.output).lexically_normal();
  // A sweep goes on with its own folder.
  OutputCheck(true).folder(folder, {"points.json", "results.csv", "report.html"});
  const sweep::Model model = installed_model();
  if (!command.only.empty()) {
    const auto known = sweep::known_plan(study, model, folder / "points.json");
    if (known != nullptr && has_run(*known, command.only)) return run_one(*known, folder, command.only);
  }
  sweep::Plan plan(study, model);
  keep_points(plan, folder);
  if (!command.only.empty()) return run_one(plan, folder, command.only);
  if (command.list) {
    const std::vector<std::string> states = states_of(plan, folder);
    fmt::print("{}", sweep::plan_json(plan, folder, &states));
    return 0;
  }
  if (command.collect) {
    const sweep::Results results = finish(plan, folder, command.quiet);
    return results.failed + results.missing == 0 ? 0 : kSomeFailed;
  }
  if (command.snakemake || command.slurm)
    become_workflow(plan, {command.slurm, command.jobs, paths.presets.parent_path() / "sweep", folder, command.extra});
  return run_all(plan, folder, command);
}

}  // namespace

sweep::Model installed_model() {
  const InstallPaths paths = find_install_paths();
  const fs::path library = paths.runtime_library / "libcudart.so";
  if (!fs::exists(library))
    fail(ExitCode::io, "{} does not contain libcudart.so: build or install all of Heddle",
         paths.runtime_library.string());
  return {paths.program, library, HEDDLE_VERSION};
}

sweep::RunnerOptions runner_options(unsigned jobs) {
  return {.jobs = jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency()),
          .memory_gib = memory_of_this_machine()};
}

int sweep(int argc, char** argv) {
  CommandLine app{
      "Runs a study: programs x machines x parameters, each run once, and collects one table and one report."};
  SweepCommand command;
  command.declare(app);
  char** const separator = std::find(argv, argv + argc, std::string_view("--"));
  if (separator != argv + argc) {
    command.extra.assign(separator + 1, argv + argc);
    argc = static_cast<int>(separator - argv);
  }
  int status = 0;
  const int failed = run_command(app, argc, argv, [&] {
    command.check();
    status = execute(command);
  });
  return failed != 0 ? failed : status;
}

}  // namespace heddle::cli
