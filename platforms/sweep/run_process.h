// SPDX-License-Identifier: Apache-2.0
// One run as a process: started in a group of its own, watched, ended. The caller's loop waits; nothing here blocks.
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
  std::filesystem::path folder;            ///< it runs there
  std::filesystem::path out, err;          ///< its streams; standard input is empty
  std::vector<std::string> unset;          ///< environment variables it shall not see
  int inherited = -1;                      ///< descriptor it keeps open; -1: none
  std::chrono::duration<double> limit{0};  ///< time until it is ended; 0: none
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

  /// Starts it. Throws Error(kIo) when no process can be made; a program that cannot be started ends with status 127.
  /// The process dies with this one, whatever ends this one.
  explicit RunProcess(const ProcessRequest& request);

  pid_t pid() const { return pid_; }
  /// When something has to be done although the process goes on: its time is up.
  std::optional<Clock::time_point> deadline() const { return deadline_; }
  /// Sends what is due: SIGTERM at the limit, SIGKILL some seconds after a SIGTERM.
  void enforce(Clock::time_point now);
  /// SIGTERM to the whole group, SIGKILL kGrace later.
  void stop(Clock::time_point now);
  void kill();
  /// The end, once; empty while it goes on. What is left of its group is killed.
  std::optional<ProcessEnd> poll();

  /// Time between SIGTERM and SIGKILL, in which a run writes what it has.
  static constexpr std::chrono::seconds kGrace{5};

 private:
  pid_t pid_ = -1;
  Clock::time_point started_;
  std::optional<Clock::time_point> deadline_;
  bool timed_out_ = false, terminated_ = false;
};

}  // namespace heddle::sweep
