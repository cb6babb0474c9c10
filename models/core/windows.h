// SPDX-License-Identifier: Apache-2.0
// When something is recorded: windows of core cycles, fixed before the run or opened while it goes on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cycle.h"

namespace heddle {

/// Cycles first .. last of the core clock, both included.
struct CycleWindow {
  Cycle first = 0;
  Cycle last = kNever;
};

/// What a user wants recorded. Empty: everything.
struct WindowRequest {
  /// Cycles from the issue of an instruction on.
  struct Trigger {
    std::string pattern;       ///< of the kernel's name, or of the source file's
    std::uint32_t number = 0;  ///< program counter, or line
    bool line = false;
    Cycle cycles = 0;
  };
  std::vector<CycleWindow> cycles;   ///< in order of time, apart
  std::vector<std::string> kernels;  ///< patterns of names: while such a kernel runs
  std::vector<Trigger> triggers;
  Cycle before_error = 0;  ///< so many cycles before the error that ends the run; 0: not asked for

  bool everything() const { return cycles.empty() && kernels.empty() && triggers.empty() && before_error == 0; }
};

/// Cycles that are recorded after a trigger when nothing is said.
inline constexpr Cycle kTriggerCycles = 100;

/// Alternatives with commas: "1000:2000", "5000:" (to the end), ":100", "kernel=expand*", "pc=expand*:12",
/// "line=bfs.cu:42+500" (500 cycles from each issue of an instruction of that line on), "last=5000" (alone: cycles
/// before an error). Throws Error(kUsage) when malformed or when windows of cycles overlap.
WindowRequest parse_windows(std::string_view text);

/// Windows of a run.
class Windows {
 public:
  explicit Windows(WindowRequest request);

  const WindowRequest& request() const { return request_; }
  bool contains(Cycle cycle) const {
    const CycleWindow* const window = from(cycle);
    return window != nullptr && window->first <= cycle;
  }
  /// The first window that ends at or after `cycle`; null: there is none.
  const CycleWindow* from(Cycle cycle) const;
  /// Changes whenever a window comes or its end moves.
  std::uint64_t generation() const { return generation_; }

  /// Adds a window, which may overlap others. Cycles more than kKept before its first are asked for no more.
  void open(CycleWindow window);
  /// A kernel begins to run in this cycle; the one before has ended.
  void kernel_begins(std::string_view name, Cycle now);
  void kernel_ends(Cycle now);

 private:
  static constexpr Cycle kKept = 10'000;
  WindowRequest request_;
  std::vector<CycleWindow> windows_;  ///< in order of time, apart
  std::uint64_t generation_ = 1;
  bool in_kernel_ = false;  ///< a window was opened for the kernel that runs
};

}  // namespace heddle
