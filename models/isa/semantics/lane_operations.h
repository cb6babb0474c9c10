// SPDX-License-Identifier: Apache-2.0
// The lane operations of one host instruction-set level. The same sources are compiled once per level, in a namespace
// named after it; results are bit-identical on all levels.
#pragma once

#include <cstdint>

#include "isa/micro_op.h"

namespace heddle::isa {

struct Addresses;

struct LaneOperations {
  const char* name;
  /// Lane function of an operation, or null when the table has no such row.
  LaneFunction (*find)(const MicroOp& op);
  /// Sets out.value[i] = base[i] + offset for all 32 lanes, and the fields derived from them. Takes out.mask, which is
  /// not zero, and out.bytes, a power of two from 1 to 32.
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
