// SPDX-License-Identifier: Apache-2.0
// Executes a plan's runs on this machine, several concurrently, each in its own process.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "sweep/attempt.h"
#include "sweep/plan.h"
#include "sweep/progress.h"
#include "sweep/run_folder.h"

namespace heddle::sweep {

struct RunnerOptions {
  unsigned jobs = 1;          ///< concurrent runs
  unsigned retries = 0;       ///< further attempts of a run that fails
  bool retry_failed = false;  ///< also rerun failures of earlier sweeps
  double memory_gib = 0;      ///< total limit for runs that request memory; 0: none
};

/// A failed run.
struct Failure {
  std::size_t run = 0;  ///< number in the plan
  std::string reason;
};

struct RunnerOutcome {
  Counts counts;
  std::vector<Failure> failures;  ///< in plan order, including those of earlier sweeps
  int signal = 0;                 ///< SIGINT or SIGTERM that stopped it; 0: completed
};

/// While running, blocks SIGCHLD, SIGINT and SIGTERM and waits for them.
class LocalRunner {
 public:
  LocalRunner(Plan& plan, std::filesystem::path results, const RunnerOptions& options, Progress& progress)
      : plan_(plan), results_(std::move(results)), options_(options), progress_(progress) {}

  /// chosen: indices of runs in the plan. Skips finished ones. Throws Error when the results folder cannot be written
  /// or no process can be started.
  RunnerOutcome run(const std::vector<std::size_t>& chosen);

 private:
  using Clock = RunProcess::Clock;
  struct Waiting {
    std::size_t run;
    unsigned attempt;  ///< from 1
  };
  struct Active {
    Waiting what;
    RunFolder folder;
    FolderLock lock;
    RunProcess process;
    double memory_gib;
  };

  void start_more();
  /// Whether the run fits the memory limit at present.
  bool room_for(std::size_t run) const;
  void start(const Waiting& next);
  /// Whether the run has already ended, here or in another sweep; if so, counts it.
  bool settled(const Waiting& next, const RunFolder& folder);
  void watch();
  void ended(Active& active, const ProcessEnd& end);
  void look_elsewhere();
  void wait();
  void stop(int signal);
  void failed(std::size_t run, const std::string& reason);
  const Requests& requests(std::size_t run) const { return plan_.program(plan_.runs()[run].point).requests; }

  Plan& plan_;
  std::filesystem::path results_;
  RunnerOptions options_;
  Progress& progress_;
  std::deque<Waiting> queue_;
  std::deque<Waiting> elsewhere_;  ///< locked by another sweep
  std::list<Active> active_;
  Clock::time_point look_again_{};
  RunnerOutcome outcome_;
};

}  // namespace heddle::sweep
