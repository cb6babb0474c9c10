// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/quantity_text.h"
#include "core/statistics/live_status.h"
#include "gpu/run_control.h"
#include "runtime/device.h"

namespace heddle::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kInterval = 1;  // seconds between two snapshots

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool is_sm(const std::string& owner) {
  return owner.rfind("sm", 0) == 0 && owner.find_first_not_of("0123456789", 2) == std::string::npos;
}

/// The launch in progress, guarded by one lock.
class Watched {
 public:
  Watched(const gpu::LaunchRequest& request, Progress::Setting setting, Statistics& statistics,
          std::function<void()> settle, bool terminal)
      : setting_(std::move(setting)),
        statistics_(statistics),
        settle_(std::move(settle)),
        terminal_(terminal && !setting_.quiet),
        start_(Clock::now()),
        last_(start_) {
    status_.program = setting_.program;
    status_.machine = setting_.machine;
    status_.kernel = request.kernel->name;
    status_.launch = request.id;
    status_.blocks = request.grid.volume();
    settle_();
    interval_ = statistics_.open();
  }
  ~Watched() {
    statistics_.close(interval_);
    if (lines_ != 0) clear();
    std::error_code ignored;
    if (written_) std::filesystem::remove(setting_.folder / kLiveStatusFile, ignored);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void tell(std::uint64_t cycles, std::uint64_t thread_instructions) {
    const Clock::time_point now = Clock::now();
    const double passed = seconds_between(last_, now);
    if (passed < kInterval) return;
    last_ = now;
    look(cycles, thread_instructions, passed);
    // Short runs show nothing.
    status_.seconds = seconds_between(start_, now);
    if (status_.seconds < 2 * kInterval) return;
    if (!setting_.folder.empty()) write();
    if (terminal_) show();
  }

 private:
  void look(std::uint64_t cycles, std::uint64_t thread_instructions, double passed) {
    settle_();
    const StatisticsSample moment = statistics_.close(interval_);
    interval_ = statistics_.open();
    const auto rate = [passed](std::uint64_t now, std::uint64_t before) {
      return static_cast<double>(now - before) / passed;
    };
    status_.cycles_per_second = rate(cycles, status_.cycles);
    status_.instructions_per_second = rate(thread_instructions, status_.thread_instructions);
    status_.cycles = cycles;
    status_.thread_instructions = thread_instructions;
    status_.sms.clear();
    if (cycles == 0) return;  // functional launch
    for (const auto& [owner, values] : moment.owners()) {
      if (is_sm(owner->name())) look_at(*owner, values);
    }
    for (const MachineDerived& derived : statistics_.derived()) {
      if (derived.name == "ipc") status_.ipc = derived.formula(moment);
    }
  }

  /// values: the SM's counters since the previous snapshot.
  void look_at(const StatisticsOwner& sm, const std::vector<std::uint64_t>& values) {
    const auto counted = [&](const char* name) { return static_cast<double>(values[sm.number_of(name)]); };
    double slots = 0, occupied = 0;
    for (const StatisticDeclaration& one : sm.declarations()) {
      if (one.name.rfind("issue.slots.", 0) == 0 && one.name != "issue.slots.cycles")
        slots += static_cast<double>(values[one.first]);
    }
    for (const DerivedDeclaration& derived : sm.derived()) {
      if (derived.name == "issue.occupancy") occupied = derived.formula(StatisticsView(values.data()));
    }
    status_.sms.push_back({sm.name(), StatisticsView::ratio(counted("issue.packets"), slots), occupied});
    status_.blocks_done += static_cast<std::uint64_t>(counted("issue.blocks_finished"));
  }

  void write() {
    try {
      write_file_atomically(setting_.folder / kLiveStatusFile, live_status_json(status_));
      written_ = true;
    } catch (const Error&) {
      // If results cannot be written either, that is reported later.
      setting_.folder.clear();
    }
  }

  void clear() {
    // The lines are rewritten in place and cleared when the kernel ends.
    for (; lines_ > 1; --lines_) fmt::print(stderr, "\r\033[K\033[A");
    fmt::print(stderr, "\r\033[K");
    lines_ = 0;
  }

  void show() {
    winsize size{};
    ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    const unsigned columns = size.ws_col > 40 ? size.ws_col - 1u : 79u,
                   rows = size.ws_row > 12 ? size.ws_row - 8u : 16u;
    clear();
    if (setting_.live) {
      const std::string view = live_view(status_, columns, rows);
      lines_ = 1 + static_cast<unsigned>(std::count(view.begin(), view.end(), '\n'));
      fmt::print(stderr, "{}", view);
    } else {
      const std::string cycle_text =
          status_.cycles != 0 ? engineering(static_cast<double>(status_.cycles)) + " cycles, " : "";
      const std::string line = fmt::format(
          "heddle: launch {}, kernel {}: {}{} thread-instructions, {}", status_.launch, status_.kernel, cycle_text,
          engineering(static_cast<double>(status_.thread_instructions)), duration_text(status_.seconds));
      lines_ = 1;
      fmt::print(stderr, "{}", line.substr(0, columns));
    }
    std::fflush(stderr);
  }

  Progress::Setting setting_;
  Statistics& statistics_;
  Statistics::IntervalId interval_ = 0;  ///< since the last snapshot
  std::function<void()> settle_;
  bool terminal_;
  Clock::time_point start_, last_;
  LiveStatus status_;
  unsigned lines_ = 0;
  bool written_ = false;
};

std::unique_ptr<Watched> watched;

void listen(std::uint64_t cycles, std::uint64_t thread_instructions) { watched->tell(cycles, thread_instructions); }

}  // namespace

Progress::Progress(const gpu::LaunchRequest& request, const Setting& setting, Statistics& statistics,
                   std::function<void()> settle) {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  if (setting.folder.empty() && (setting.quiet || !terminal)) return;
  watched = std::make_unique<Watched>(request, setting, statistics, std::move(settle), terminal);
  gpu::progress_listener = listen;
}

Progress::~Progress() {
  gpu::progress_listener = nullptr;
  watched.reset();
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
    text += fmt::format("{} cycles, {} simulated, ", totals.cycles, duration_text(totals.simulated_seconds));
  }
  text += fmt::format("{} thread-instructions, {}", totals.thread_instructions, duration_text(totals.wall_seconds));
  if (totals.timed != 0) text += fmt::format(", {} cycles/s", rate(totals.cycles));
  return text + fmt::format(", {} thread-instructions/s", rate(totals.thread_instructions));
}

std::string lockstep_line(Statistics& statistics) {
  constexpr std::string_view kBegin = "lockstep.", kEnd = ".agreed";
  std::map<std::string, std::uint64_t> by_block;
  std::uint64_t all = 0;
  const StatisticsSample sample = statistics.total();
  for (const auto& [owner, values] : sample.owners()) {
    for (const StatisticDeclaration& one : owner->declarations()) {
      const std::string_view name = one.name;
      if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
      const std::string block(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
      by_block[block] += values[one.first];
      all += values[one.first];
    }
  }
  if (by_block.empty()) return {};
  std::string blocks;
  for (const auto& [block, calls] : by_block)
    blocks += fmt::format("{}{} {}", blocks.empty() ? "" : ", ", block, calls);
  if (all == 0)
    return fmt::format("RTL and model were not compared, because the program calls no such block: {}", blocks);
  return fmt::format("RTL and model agreed in every call, {} in all: {}", all, blocks);
}

}  // namespace heddle::runtime
