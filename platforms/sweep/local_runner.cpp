// SPDX-License-Identifier: Apache-2.0
#include "sweep/local_runner.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace heddle::sweep {
namespace {

constexpr std::chrono::milliseconds kLookAgain{500};  ///< poll interval for runs locked by another sweep
constexpr std::chrono::milliseconds kLongestWait{1000};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int one : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&set, one);
  return set;
}

/// Blocks the signals to be waited for, and unblocks them on destruction.
class BlockedSignals {
 public:
  BlockedSignals() {
    const sigset_t set = watched_signals();
    ::sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

RunnerOutcome LocalRunner::run(const std::vector<std::size_t>& chosen) {
  const BlockedSignals blocked;
  ::signal(SIGCHLD, SIG_DFL);  // if inherited as ignored, exits of runs could not be waited for
  outcome_.counts.total = chosen.size();
  for (const std::size_t run : chosen) queue_.push_back({run, 1});
  while (true) {
    if (outcome_.signal == 0) {
      look_elsewhere();
      start_more();
    }
    progress_.show(outcome_.counts);
    if (active_.empty() && (outcome_.signal != 0 || (queue_.empty() && elsewhere_.empty()))) break;
    wait();
    watch();
  }
  progress_.end();
  std::sort(outcome_.failures.begin(), outcome_.failures.end(),
            [](const Failure& a, const Failure& b) { return a.run < b.run; });
  return std::move(outcome_);
}

void LocalRunner::start_more() {
  while (!queue_.empty() && active_.size() < options_.jobs && room_for(queue_.front().run)) {
    const Waiting next = queue_.front();
    queue_.pop_front();
    start(next);
  }
}

bool LocalRunner::room_for(std::size_t run) const {
  // A run requesting more than the total is still tried, alone.
  if (options_.memory_gib == 0 || active_.empty()) return true;
  double taken = requests(run).memory_gib;
  for (const Active& active : active_) taken += active.memory_gib;
  return taken <= options_.memory_gib;
}

bool LocalRunner::settled(const Waiting& next, const RunFolder& folder) {
  const RunStatus status = folder.status();
  if (status.state == RunState::none) {
    if (!status.reason.empty()) progress_.say("again: " + status.reason);
    return false;
  }
  if (status.state == RunState::failed) {
    if (options_.retry_failed) return false;
    failed(next.run, status.reason);
  } else {
    ++outcome_.counts.finished;
  }
  return true;
}

void LocalRunner::start(const Waiting& next) {
  const PlannedRun& planned = plan_.runs()[next.run];
  RunFolder folder(results_, planned.key);
  FolderLock lock = folder.try_lock();
  if (!lock.held()) {
    elsewhere_.push_back(next);
    ++outcome_.counts.elsewhere;
    return;
  }
  // Check under the lock: another sweep may just have completed it.
  if (settled(next, folder)) return;
  PreparedRun prepared;
  try {
    prepared = plan_.prepare(planned.point);
  } catch (const Error& error) {
    return failed(next.run, error.what());
  }
  if (prepared.key != planned.key) {
    return failed(next.run, "its program, an input or its machine changed during the sweep; start the sweep again");
  }
  const ProcessRequest request = begin_attempt(plan_, planned.point, prepared, folder, lock.descriptor());
  const RunProcess process(request);
  active_.push_back({next, folder, std::move(lock), process, requests(next.run).memory_gib});
  ++outcome_.counts.running;
}

void LocalRunner::look_elsewhere() {
  const Clock::time_point now = Clock::now();
  if (elsewhere_.empty() || now < look_again_) return;
  look_again_ = now + kLookAgain;
  outcome_.counts.elsewhere = 0;
  for (std::deque<Waiting> waiting = std::exchange(elsewhere_, {}); !waiting.empty(); waiting.pop_front()) {
    const RunFolder folder(results_, plan_.runs()[waiting.front().run].key);
    // Only the lock shows that the other sweep is done: a status may be from an earlier attempt.
    if (folder.try_lock().held()) {
      // Do not immediately retry a run that just failed in the other sweep.
      const RunStatus status = folder.status();
      if (status.state == RunState::failed) {
        failed(waiting.front().run, status.reason);
      } else {
        queue_.push_front(waiting.front());
      }
    } else {
      elsewhere_.push_back(waiting.front());
      ++outcome_.counts.elsewhere;
    }
  }
}

void LocalRunner::wait() {
  Clock::duration longest = kLongestWait;
  const Clock::time_point now = Clock::now();
  for (const Active& active : active_) {
    if (const auto deadline = active.process.deadline()) longest = std::min(longest, *deadline - now);
  }
  if (!elsewhere_.empty()) longest = std::min(longest, look_again_ - now);
  longest = std::max(longest, Clock::duration::zero());
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(longest).count();
  timespec timeout{static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
  const sigset_t set = watched_signals();
  int signal = ::sigtimedwait(&set, nullptr, &timeout);
  const timespec none{};
  for (; signal > 0; signal = ::sigtimedwait(&set, nullptr, &none)) {
    if (signal != SIGCHLD) stop(signal);
  }
}

void LocalRunner::stop(int signal) {
  const bool again = outcome_.signal != 0;
  outcome_.signal = signal;
  if (!again && !active_.empty())
    progress_.say(fmt::format("stopping; {} active runs are terminated and will be rerun", active_.size()));
  for (Active& active : active_) {
    if (again) {
      active.process.kill();
    } else {
      active.process.stop(Clock::now());
    }
  }
}

void LocalRunner::watch() {
  for (auto active = active_.begin(); active != active_.end();) {
    active->process.enforce(Clock::now());
    if (const auto end = active->process.poll()) {
      --outcome_.counts.running;
      ended(*active, *end);
      active = active_.erase(active);
    } else {
      ++active;
    }
  }
}

void LocalRunner::ended(Active& active, const ProcessEnd& end) {
  if (outcome_.signal != 0) return;  // no status: interrupted
  std::error_code error;
  const std::string no_results = std::filesystem::exists(active.folder.path() / "run.json", error)
                                     ? active.folder.why_no_results()
                                     : "it left no run.json because it made no CUDA calls";
  const Program& program = plan_.program(plan_.runs()[active.what.run].point);
  RunStatus status = judge(end, program.options, no_results, program.requests.minutes);
  status.attempts = active.what.attempt;
  ++outcome_.counts.ended_here;
  if (status.state == RunState::failed && active.what.attempt <= options_.retries) {
    progress_.say(fmt::format(
        "again: {}: {}", describe(plan_.study(), plan_.points()[plan_.runs()[active.what.run].point]), status.reason));
    queue_.push_front({active.what.run, active.what.attempt + 1});
    return;
  }
  active.folder.write_status(status);
  if (status.state == RunState::failed) {
    failed(active.what.run, status.reason);
  } else {
    ++outcome_.counts.finished;
  }
}

void LocalRunner::failed(std::size_t run, const std::string& reason) {
  ++outcome_.counts.failed;
  outcome_.failures.push_back({run, reason});
}

}  // namespace heddle::sweep
