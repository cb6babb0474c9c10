// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/observers.h"

namespace heddle::memory {
namespace {

const TextTable kOutcomes = {"hit", "miss", "merge", "write", "fill", "evict"};

}  // namespace

void CacheObservers::declare_look_ups(unsigned address_bits) {
  line_ = signals.pulse("line", address_bits, "address of the line looked up in this cycle");
  signals.show(line_, Radix::hexadecimal);
  outcome_ = signals.pulse("outcome", 3, "outcome of the look-up", &kOutcomes);
}

}  // namespace heddle::memory
