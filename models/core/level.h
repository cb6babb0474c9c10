// SPDX-License-Identifier: Apache-2.0
// A registered broadcast: written in cycle t, read by anyone from t + 1. No flow control, one writer.
#pragma once

#include "core/clock.h"

namespace heddle {

template <typename T>
class Level {
 public:
  explicit Level(const ClockDomain& domain, T initial = T{}) : domain_(domain), value_(initial), written_(initial) {}

  const T& read() const {
    settle();
    return value_;
  }
  /// Last write of a cycle wins.
  void write(const T& value) {
    settle();
    written_ = value;
    written_at_ = domain_.now();
    pending_ = true;
  }

 private:
  void settle() const {
    if (pending_ && written_at_ < domain_.now()) {
      value_ = written_;
      pending_ = false;
    }
  }
  const ClockDomain& domain_;
  mutable T value_;
  T written_;
  Cycle written_at_ = 0;
  mutable bool pending_ = false;
};

}  // namespace heddle
