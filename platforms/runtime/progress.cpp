// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "gpu/run_control.h"
#include "runtime/device.h"

namespace heddle::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kInterval = 2;  // seconds between lines

/// The launch under way; one lock above it all.
struct Shown {
  std::string kernel;
  std::uint64_t id = 0;
  Clock::time_point start, last;
  bool visible = false;
} shown;

/// 1234567 as "1.23 M".
std::string engineering(double value) {
  const char* const prefixes[] = {"", " k", " M", " G", " T"};
  unsigned i = 0;
  for (; value >= 1000 && i < 4; ++i) value /= 1000;
  return i == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}{}", value, prefixes[i]);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

void listen(std::uint64_t cycles, std::uint64_t thread_instructions) {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - shown.last).count() < kInterval) return;
  shown.last = now;
  const double seconds = std::chrono::duration<double>(now - shown.start).count();
  const std::string cycle_text = cycles != 0 ? engineering(static_cast<double>(cycles)) + " cycles, " : "";
  // The line is rewritten in place and cleared when the kernel ends.
  fmt::print(stderr, "\r\033[Kheddle: launch {}, kernel {}: {}{} thread-instructions, {:.0f} s", shown.id, shown.kernel,
             cycle_text, engineering(static_cast<double>(thread_instructions)), seconds);
  std::fflush(stderr);
  shown.visible = true;
}

}  // namespace

Progress::Progress(const gpu::LaunchRequest& request, bool quiet) {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  if (quiet || !terminal) return;
  const Clock::time_point now = Clock::now();
  shown = {request.kernel->name, request.id, now, now, false};
  gpu::progress_listener = listen;
}

Progress::~Progress() {
  gpu::progress_listener = nullptr;
  if (shown.visible) fmt::print(stderr, "\r\033[K");
  shown.visible = false;
}

std::string closing_line(const LaunchTotals& totals, const std::string& machine) {
  const auto rate = [&](std::uint64_t count) {
    return totals.wall_seconds > 0 ? engineering(static_cast<double>(count) / totals.wall_seconds) : std::string("0");
  };
  std::string text = fmt::format("{} launch{} on {}", totals.launches, totals.launches == 1 ? "" : "es", machine);
  if (totals.timed == 0) {
    text += ", run functionally: ";
  } else if (totals.timed < totals.launches) {
    text += fmt::format(", {} of them timed, the others run functionally: ", totals.timed);
  } else {
    text += ": ";
  }
  if (totals.timed != 0) {
    text += fmt::format("{} cycles, {} simulated, ", totals.cycles, duration(totals.simulated_seconds));
  }
  text += fmt::format("{} thread-instructions, {}", totals.thread_instructions, duration(totals.wall_seconds));
  if (totals.timed != 0) text += fmt::format(", {} cycles/s", rate(totals.cycles));
  return text + fmt::format(", {} thread-instructions/s", rate(totals.thread_instructions));
}

}  // namespace heddle::runtime
