// SPDX-License-Identifier: Apache-2.0
// The lane operations of one instruction-set level of the host. The same sources are compiled once a level, in a
// namespace of that level's name; every level gives the same bits.
#pragma once

#include <cstdint>

#include "isa/micro_op.h"

namespace heddle::isa {

struct Addresses;

struct LaneOperations {
  const char* name;
  /// Lane function of an operation, or null when the table has no such row.
  LaneFunction (*find)(const MicroOp& op);
  /// out.value[i] = base[i] + offset for all 32 lanes, and all that depends on them: for the lanes of out.mask, which
  /// is not zero, and accesses of out.bytes, a power of two from 1 to 32.
  void (*scan_addresses)(const std::uint64_t* base, std::int64_t offset, Addresses& out);
};

#define HEDDLE_LANE_LEVELS(X) X(baseline) X(avx2) X(avx512)

#define X(level)                                      \
  namespace level {                                   \
  extern const LaneOperations kLaneOperations;        \
  LaneFunction find_integer(const MicroOp& op);       \
  LaneFunction find_bits(const MicroOp& op);          \
  LaneFunction find_move(const MicroOp& op);          \
  LaneFunction find_float(const MicroOp& op);         \
  LaneFunction find_half(const MicroOp& op);          \
  LaneFunction find_compare(const MicroOp& op);       \
  LaneFunction find_convert(const MicroOp& op);       \
  LaneFunction find_approximate(const MicroOp& op);   \
  LaneFunction find_convert_small(const MicroOp& op); \
  LaneFunction find_video(const MicroOp& op);         \
  LaneFunction find_words(const MicroOp& op);         \
  }
HEDDLE_LANE_LEVELS(X)
#undef X

}  // namespace heddle::isa
