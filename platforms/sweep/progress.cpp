// SPDX-License-Identifier: Apache-2.0
#include "sweep/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "core/quantity_text.h"

namespace heddle::sweep {

std::string progress_text(const Counts& counts, double elapsed) {
  std::string text = fmt::format("{}/{} done", counts.finished, counts.total);
  if (counts.failed != 0) text += fmt::format(", {} failed", counts.failed);
  text += fmt::format(", {} running", counts.running);
  if (counts.elsewhere != 0) text += fmt::format(", {} in another sweep", counts.elsewhere);
  text += fmt::format(", {} left", counts.left());
  const std::size_t to_do = counts.left() + counts.running;
  // The mean is meaningful from two completed runs on.
  if (counts.ended_here >= 2 && to_do != 0) {
    const double rate = static_cast<double>(counts.ended_here) / elapsed;
    text += fmt::format(", about {}", duration_text(static_cast<double>(to_do) / rate));
  }
  return text;
}

Progress::Progress(bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), began_(Clock::now()), last_(began_) {}

void Progress::show(const Counts& counts) {
  const Clock::time_point now = Clock::now();
  if (quiet_ || now - last_ < (terminal_ ? Clock::duration(kTerminal) : Clock::duration(kElsewhere))) return;
  last_ = now;
  const std::string text = progress_text(counts, elapsed());
  if (terminal_) {
    fmt::print(stderr, "\rheddle sweep: {}\x1b[K", text);
    shown_ = true;
  } else {
    fmt::print(stderr, "heddle sweep: {}\n", text);
  }
  std::fflush(stderr);
}

void Progress::say(const std::string& line) {
  end();
  if (!quiet_) fmt::print(stderr, "heddle sweep: {}\n", line);
}

void Progress::end() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace heddle::sweep
