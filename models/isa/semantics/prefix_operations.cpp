// SPDX-License-Identifier: Apache-2.0
#include "isa/prefix_operations.h"

#include <bit>

#include "isa/fault.h"
#include "isa/operands.h"

namespace heddle::isa {
namespace {

PrefixShares shares_of(std::uint32_t predicates, std::uint32_t mask) {
  static const PrefixSum network(kWordThreads);
  PrefixShares shares;
  shares.add(network.sum(predicates), predicates, mask);
  return shares;
}

}  // namespace

std::uint32_t predicates_that_hold(const MicroOp& op, const WarpState& warp, std::uint32_t mask) {
  return predicate_of(op.sources[1], OperandBases(warp)) & mask;
}

std::uint32_t predicates_that_hold(const MeetingPlaces& places, const WarpState& warp, std::uint32_t mask) {
  std::uint32_t holds = 0;
  for_each_lane(mask, [&](unsigned lane) { holds |= predicates_that_hold(*places[lane], warp, 1u << lane); });
  return holds;
}

void PrefixShares::add(const PrefixSums& sums, std::uint32_t predicates, std::uint32_t lanes) {
  holds |= predicates & lanes;
  for_each_lane(lanes, [&](unsigned lane) {
    before[lane] = sums.exclusive(lane);
    total[lane] = sums.total;
  });
}

PrefixShares prefix_shares(const MicroOp& op, const WarpState& warp, std::uint32_t mask) {
  return shares_of(predicates_that_hold(op, warp, mask), mask);
}

PrefixShares prefix_shares(const MeetingPlaces& places, const WarpState& warp, std::uint32_t mask) {
  return shares_of(predicates_that_hold(places, warp, mask), mask);
}

void execute_tree_traverse(const MicroOp& op, WarpState& warp, std::uint32_t mask, const PrefixShares& shares) {
  const OperandBases bases(warp);
  for_each_lane(mask, [&](unsigned lane) {
    const auto node_size = static_cast<std::uint32_t>(value_of(op.sources[2], bases, lane));
    if (!std::has_single_bit(node_size)) fail_node_size(warp, lane, op.pc, node_size);
    const std::uint64_t children = std::uint64_t{shares.total[lane]} << std::countr_zero(node_size);
    set_value(op.destinations[0], bases, lane, value_of(op.sources[0], bases, lane) + children);
  });
}

}  // namespace heddle::isa
