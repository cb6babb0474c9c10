// SPDX-License-Identifier: Apache-2.0
// A run as a process in its own group: starting, watching and ending it. Never blocks; the caller's loop waits.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::sweep {

struct ProcessRequest {
  std::vector<std::string> command;        ///< absolute program and arguments
  std::filesystem::path folder;            ///< working directory
  std::filesystem::path out, err;          ///< its streams; standard input is empty
  std::vector<std::string> unset;          ///< environment variables to remove
  int inherited = -1;                      ///< descriptor it keeps open; -1: none
  std::chrono::duration<double> limit{0};  ///< time limit; 0: none
};

/// How a process ended.
struct ProcessEnd {
  int exit_status = 0;  ///< when signal is 0
  int signal = 0;
  bool timed_out = false;
  double wall_seconds = 0, user_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};

class RunProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the process. Throws Error(kIo) when none can be created; a program that cannot be started ends with status
  /// 127. The process is killed when this one ends for any reason.
  explicit RunProcess(const ProcessRequest& request);

  pid_t pid() const { return pid_; }
  /// When the process has to be signalled because its time is up.
  std::optional<Clock::time_point> deadline() const { return deadline_; }
  /// Sends signals that are due: SIGTERM at the limit, SIGKILL some seconds after a SIGTERM.
  void enforce(Clock::time_point now);
  /// Sends SIGTERM to the whole group, and SIGKILL kGrace later.
  void stop(Clock::time_point now);
  void kill();
  /// The end of the process, once; empty while it runs. Kills the rest of its group.
  std::optional<ProcessEnd> poll();

  /// Time between SIGTERM and SIGKILL, in which a run writes its results so far.
  static constexpr std::chrono::seconds kGrace{5};

 private:
  pid_t pid_ = -1;
  Clock::time_point started_;
  std::optional<Clock::time_point> deadline_;
  bool timed_out_ = false, terminated_ = false;
};

}  // namespace heddle::sweep
