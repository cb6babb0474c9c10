// SPDX-License-Identifier: Apache-2.0
// The table of one level, and the scan over the addresses of a memory operation.
#include "isa/semantics/lane_loop.h"
#include "isa/state.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

LaneFunction find(const MicroOp& op) {
  // Rows are disjoint: each finder knows its opcodes and types and answers null for the rest.
  for (const auto finder :
       {find_integer, find_bits, find_move, find_float, find_half, find_compare, find_convert, find_approximate}) {
    if (LaneFunction found = finder(op)) return found;
  }
  return nullptr;
}

template <bool Partial>
HEDDLE_INLINE AddressScan scan(const std::uint64_t* base, std::int64_t offset, std::uint32_t mask,
                               std::uint32_t element_bytes, std::uint64_t* value) {
  const auto added = static_cast<std::uint64_t>(offset);
  const std::uint64_t first = base[Partial ? __builtin_ctz(mask) : 0] + added;
  std::uint64_t lowest = first, highest = first, stride = 0, windows = 0;
  HEDDLE_INDEPENDENT
  for (unsigned i = 0; i < kWordThreads; ++i) {
    const std::uint64_t address = base[i] + added;
    value[i] = address;
    // A lane outside the mask counts as the first one inside.
    const std::uint64_t seen = Partial && (mask & kLaneBits[i]) == 0 ? first : address;
    lowest = seen < lowest ? seen : lowest;
    highest = seen > highest ? seen : highest;
    windows |= seen;
    stride |= address ^ (first + i * std::uint64_t{element_bytes});
  }
  AddressScan result;
  result.lowest = lowest;
  result.highest = highest;
  result.uniform = lowest == highest;
  result.contiguous = !Partial && stride == 0;
  if (windows >= kLocalWindow) [[unlikely]] {
    for (unsigned i = 0; i < kWordThreads; ++i) {
      const std::uint64_t window = value[i] & kWindowMask;
      result.shared_lanes |= window == kSharedWindow ? kLaneBits[i] : 0u;
      result.local_lanes |= window == kLocalWindow ? kLaneBits[i] : 0u;
    }
    result.shared_lanes &= mask;
    result.local_lanes &= mask;
  }
  return result;
}

AddressScan scan_addresses(const std::uint64_t* base, std::int64_t offset, std::uint32_t mask,
                           std::uint32_t element_bytes, std::uint64_t* value) {
  return mask == kAllLanes ? scan<false>(base, offset, mask, element_bytes, value)
                           : scan<true>(base, offset, mask, element_bytes, value);
}

#define HEDDLE_STRING_OF(name) #name
#define HEDDLE_STRING(name) HEDDLE_STRING_OF(name)

}  // namespace

const LaneOperations kLaneOperations = {HEDDLE_STRING(HEDDLE_LANE_LEVEL), find, scan_addresses};

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
