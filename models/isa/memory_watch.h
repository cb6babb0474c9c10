// SPDX-License-Identifier: Apache-2.0
// Whether one memory operation changed anything. The detection of loops without progress rests on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/execute.h"

namespace heddle::isa {

/// Memory that only kernels write while one runs: [begin, end).
struct DeviceRange {
  std::uint64_t begin = 0, end = 0;
};

/// Saves the bytes an operation is about to overwrite.
class MemoryWatch {
 public:
  MemoryWatch(const DeviceRange& device, const MicroOp& op, const WarpState& warp, const Addresses& addresses);
  /// True when a byte visible to other threads changed, or when the operation accessed memory that the host may write
  /// concurrently.
  bool changed() const;
  /// The operation's change of local memory as a number. Summed from any starting point, these numbers are equal
  /// whenever local memory holds the same bytes.
  std::uint64_t local_change() const;

 private:
  static constexpr unsigned kMostBytes = 32;  ///< per lane: four 64-bit elements
  unsigned bytes_ = 0;
  std::uint32_t watched_ = 0;  ///< lanes whose bytes are saved
  std::uint32_t local_ = 0;    ///< of those, lanes that write local memory
  bool outside_ = false;
  std::array<const std::byte*, kWordThreads> place_;
  std::array<std::byte, kMostBytes * kWordThreads> before_;
};

/// Whether an operation reads a clock. A loop that does so never repeats.
bool reads_time(const MicroOp& op);

}  // namespace heddle::isa
