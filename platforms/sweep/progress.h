// SPDX-License-Identifier: Apache-2.0
// Progress of a sweep: one line that is rewritten on a terminal, otherwise occasional lines.
#pragma once

#include <chrono>
#include <string>

namespace heddle::sweep {

struct Counts {
  std::size_t total = 0;
  std::size_t finished = 0;  ///< including earlier sweeps
  std::size_t failed = 0;
  std::size_t running = 0;
  std::size_t elsewhere = 0;   ///< being run by another sweep
  std::size_t ended_here = 0;  ///< by this process, with any outcome; basis of the estimate
  std::size_t left() const { return total - finished - failed - running - elsewhere; }
};

/// "12/40 done, 1 failed, 2 running, 25 left, about 3 min 20 s". elapsed: seconds since this sweep began to run.
std::string progress_text(const Counts& counts, double elapsed);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(bool quiet);
  /// Shows the counts if an update is due.
  void show(const Counts& counts);
  /// Prints a permanent line.
  void say(const std::string& line);
  /// Ends the progress line.
  void end();
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

 private:
  static constexpr std::chrono::milliseconds kTerminal{200};
  static constexpr std::chrono::seconds kElsewhere{30};
  bool quiet_, terminal_, shown_ = false;
  Clock::time_point began_, last_;
};

}  // namespace heddle::sweep
