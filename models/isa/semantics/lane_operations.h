// SPDX-License-Identifier: Apache-2.0
// The lane operations of one instruction-set level of the host. The same sources are compiled once a level, in a
// namespace of that level's name; every level gives the same bits.
#pragma once

#include <cstdint>

#include "isa/micro_op.h"

namespace heddle::isa {

/// What a scan over the addresses of a full or partial word found.
struct AddressScan {
  std::uint64_t lowest = 0, highest = 0;  ///< first byte of the lowest and of the highest element
  bool contiguous = false;                ///< all 32 lanes, lane i at lowest + i * element bytes
  bool uniform = false;                   ///< all lanes of the mask at one address
  std::uint32_t shared_lanes = 0;         ///< lanes whose generic address lies in the shared window
  std::uint32_t local_lanes = 0;          ///< lanes whose generic address lies in the local window
};

struct LaneOperations {
  const char* name;
  /// Lane function of an operation, or null when the table has no such row.
  LaneFunction (*find)(const MicroOp& op);
  /// value[i] = base[i] + offset for all 32 lanes, and a scan over the lanes of `mask` (not zero). element_bytes: 1
  /// to 32.
  AddressScan (*scan_addresses)(const std::uint64_t* base, std::int64_t offset, std::uint32_t mask,
                                std::uint32_t element_bytes, std::uint64_t* value);
};

#define HEDDLE_LANE_LEVELS(X) X(baseline) X(avx2) X(avx512)

#define X(level)                                    \
  namespace level {                                 \
  extern const LaneOperations kLaneOperations;      \
  LaneFunction find_integer(const MicroOp& op);     \
  LaneFunction find_bits(const MicroOp& op);        \
  LaneFunction find_move(const MicroOp& op);        \
  LaneFunction find_float(const MicroOp& op);       \
  LaneFunction find_half(const MicroOp& op);        \
  LaneFunction find_compare(const MicroOp& op);     \
  LaneFunction find_convert(const MicroOp& op);     \
  LaneFunction find_approximate(const MicroOp& op); \
  }
HEDDLE_LANE_LEVELS(X)
#undef X

}  // namespace heddle::isa
