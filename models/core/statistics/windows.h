// SPDX-License-Identifier: Apache-2.0
// Recording windows in core cycles, fixed before the run or opened during it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle {

/// Core clock cycles first .. last, both inclusive.
struct CycleWindow {
  Cycle first = 0;
  Cycle last = kNever;
};

/// The requested windows. Empty: everything.
struct WindowRequest {
  /// A number of cycles starting at the issue of an instruction.
  struct Trigger {
    std::string pattern;       ///< of the kernel's name, or of the source file's
    std::uint32_t number = 0;  ///< program counter, or line
    bool line = false;
    Cycle cycles = 0;
  };
  std::vector<CycleWindow> cycles;   ///< ascending, disjoint
  std::vector<std::string> kernels;  ///< name patterns; records while a matching kernel runs
  std::vector<Trigger> triggers;
  Cycle before_error = 0;  ///< cycles before the error that ends the run; 0: not requested

  bool everything() const { return cycles.empty() && kernels.empty() && triggers.empty() && before_error == 0; }
};

/// Default number of cycles recorded after a trigger.
inline constexpr Cycle kTriggerCycles = 100;

/// Parses comma-separated alternatives: "1000:2000", "5000:" (to the end), ":100", "kernel=expand*", "pc=expand*:12",
/// "line=bfs.cu:42+500" (500 cycles from each issue of an instruction of that line), "last=5000" (cycles before an
/// error; cannot be combined). Throws Error(kUsage) when malformed or when windows of cycles overlap.
WindowRequest parse_windows(std::string_view text);

/// The windows of a run.
class Windows {
 public:
  explicit Windows(WindowRequest request);

  const WindowRequest& request() const { return request_; }
  bool contains(Cycle cycle) const {
    const CycleWindow* const window = from(cycle);
    return window != nullptr && window->first <= cycle;
  }
  /// The first window that ends at or after `cycle`; null when there is none.
  const CycleWindow* from(Cycle cycle) const;
  /// Changes whenever a window is added or its end moves.
  std::uint64_t generation() const { return generation_; }

  /// Adds a window, which may overlap others. Cycles more than kKept before its first must not be queried afterwards.
  void open(CycleWindow window);
  /// A kernel starts in this cycle; the previous one has ended.
  void kernel_begins(const std::string& name, Cycle now);
  void kernel_ends(Cycle now);

 private:
  static constexpr Cycle kKept = 10'000;
  WindowRequest request_;
  std::vector<CycleWindow> windows_;  ///< ascending, disjoint
  std::uint64_t generation_ = 1;
  bool in_kernel_ = false;  ///< a window is open for the running kernel
};

}  // namespace heddle
