// SPDX-License-Identifier: Apache-2.0
// A value that one module writes and others of the same clock domain read: what is written in cycle t shows from t + 1,
// so that the order in which modules are called within a cycle cannot matter.
#pragma once

#include <utility>

#include "core/kernel/clock.h"

namespace heddle {

template <typename T>
class Level {
 public:
  explicit Level(const ClockDomain& domain, T initial = {}) : domain_(domain), before_(initial), last_(initial) {}
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  /// The value at the end of the last cycle in which it was written before this one.
  const T& read() const { return written_ == domain_.now() ? before_ : last_; }
  /// The last value written in a cycle counts.
  void write(T value) { latest() = std::move(value); }
  /// The value as written so far, for its writer alone: to change a part of it.
  T& latest() {
    if (written_ != domain_.now()) {
      before_ = last_;
      written_ = domain_.now();
    }
    return last_;
  }

 private:
  const ClockDomain& domain_;
  T before_, last_;
  Cycle written_ = kNever;
};

}  // namespace heddle
