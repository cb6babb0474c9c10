// SPDX-License-Identifier: Apache-2.0
// What those who build a machine say of its windows of cycles (core/kernel/cycle_windows.h).
#pragma once

#include <functional>

#include "core/kernel/cycle.h"

namespace heddle {

/// What is between those who ask and those who answer.
class WindowPassage {
 public:
  virtual ~WindowPassage() = default;
  /// Whether a window may begin: nobody waits for an answer that may come in it.
  virtual bool settled() const = 0;
  /// All cycles before `from` are done: works out which requests will surely be taken.
  virtual void expect(Cycle from) = 0;
  /// Whether all that is to be answered in a cycle of the first phase can be.
  virtual bool can_answer(Cycle cycle) const = 0;
};

/// What bounds the windows of a machine.
struct Lookahead {
  WindowPassage* passage = nullptr;  ///< null: no windows
  Cycle cycles = 1;                  ///< from the arrival of a request where it is answered until it is looked at
};

struct WindowRules {
  Cycle length = 1;                  ///< most cycles of a window
  std::function<bool()> over;        ///< whether all that was begun has ended, in the cycle that is done
  std::function<Cycle(Cycle)> last;  ///< last cycle of a window that begins in this cycle; before it: none may begin
  WindowPassage* passage = nullptr;  ///< lives as long as the domain
};

}  // namespace heddle
