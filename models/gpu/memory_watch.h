// SPDX-License-Identifier: Apache-2.0
// Whether one memory operation changed anything: the proof that a loop makes no progress rests on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/functional_warp.h"
#include "isa/execute.h"

namespace heddle::gpu {

/// Remembers the bytes of device memory that an operation is about to touch. On-chip and local memory is left out: it
/// is part of the digest of its block.
class MemoryWatch {
 public:
  MemoryWatch(const Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses);
  /// True when a byte differs now, or when the operation touched memory the host may write meanwhile.
  bool changed() const;

 private:
  static constexpr unsigned kMostBytes = 32;  ///< of one lane: four 64-bit elements
  const isa::Addresses& addresses_;
  unsigned bytes_ = 0;
  std::uint32_t watched_ = 0;  ///< lanes that write device memory
  bool outside_ = false;
  std::array<std::byte, kMostBytes * isa::kWordThreads> before_;
};

}  // namespace heddle::gpu
