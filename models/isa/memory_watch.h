// SPDX-License-Identifier: Apache-2.0
// Whether one memory operation changed anything: the proof that a loop makes no progress rests on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/execute.h"

namespace heddle::isa {

/// Memory that nobody but kernels writes while one runs: [begin, end).
struct DeviceRange {
  std::uint64_t begin = 0, end = 0;
};

/// Remembers the bytes that an operation is about to write.
class MemoryWatch {
 public:
  MemoryWatch(const DeviceRange& device, const MicroOp& op, const WarpState& warp, const Addresses& addresses);
  /// True when a byte differs now that other threads can see, or when the operation touched memory the host may write
  /// meanwhile.
  bool changed() const;
  /// What the operation changed of local memory, as a number: the sum of these, from some moment on, is the same
  /// whenever local memory holds the same bytes.
  std::uint64_t local_change() const;

 private:
  static constexpr unsigned kMostBytes = 32;  ///< of one lane: four 64-bit elements
  unsigned bytes_ = 0;
  std::uint32_t watched_ = 0;  ///< lanes whose bytes are kept
  std::uint32_t local_ = 0;    ///< of them those that write local memory
  bool outside_ = false;
  std::array<const std::byte*, kWordThreads> place_;
  std::array<std::byte, kMostBytes * kWordThreads> before_;
};

/// Whether an operation reads a clock: a loop that does is not repeating itself.
bool reads_time(const MicroOp& op);

}  // namespace heddle::isa
