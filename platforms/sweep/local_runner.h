// SPDX-License-Identifier: Apache-2.0
// Runs what a plan asks for on this machine: some runs at once, each in a process of its own.
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
  unsigned jobs = 1;          ///< runs at once
  unsigned retries = 0;       ///< further attempts of a run that fails
  bool retry_failed = false;  ///< also those that failed in an earlier sweep
  double memory_gib = 0;      ///< what runs that request memory may take together; 0: no bound
};

/// A run that did not end well.
struct Failure {
  std::size_t run = 0;  ///< number in the plan
  std::string reason;
};

struct RunnerOutcome {
  Counts counts;
  std::vector<Failure> failures;  ///< in the order of the plan, those of earlier sweeps too
  int signal = 0;                 ///< SIGINT or SIGTERM that stopped it; 0: it came to the end
};

/// Signals are this object's while it runs: SIGCHLD, SIGINT, SIGTERM are blocked and waited for.
class LocalRunner {
 public:
  LocalRunner(Plan& plan, std::filesystem::path results, const RunnerOptions& options, Progress& progress)
      : plan_(plan), results_(std::move(results)), options_(options), progress_(progress) {}

  /// chosen: numbers of runs of the plan. Finished ones are not run again. Throws Error when the folder of results
  /// cannot be written or no process be started.
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
  /// False when there is no room for it now.
  bool room_for(std::size_t run) const;
  void start(const Waiting& next);
  /// Whether the run has ended before, here or in another sweep; then it is counted.
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
