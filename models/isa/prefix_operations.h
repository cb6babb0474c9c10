// SPDX-License-Identifier: Apache-2.0
// The operations that sum predicates over the participating threads: cond_acc and tree_traverse. Split into three steps
// (predicates, sums, per-lane results) so that a machine can compute the sums with its own network. Source:
// docs/sources/large-warps-and-database-search.md, 2.10 and 2.11.
#pragma once

#include <array>
#include <cstdint>

#include "isa/collective.h"
#include "isa/prefix_sum.h"

namespace heddle::isa {

/// 1. Network input: the participating lanes (`mask`) whose predicate holds.
std::uint32_t predicates_that_hold(const MicroOp& op, const WarpState& warp, std::uint32_t mask);
/// The same for threads that arrived at different instructions.
std::uint32_t predicates_that_hold(const MeetingPlaces& places, const WarpState& warp, std::uint32_t mask);

/// 2. Network output per lane. Lanes of one packet may belong to several groups.
struct PrefixShares {
  std::uint32_t holds = 0;                                   ///< lanes whose predicate holds
  std::array<std::uint8_t, kWordThreads> before{}, total{};  ///< within its group: lanes below that hold; all that hold
  /// Adds the results of one group for `lanes`, a subset of its threads.
  void add(const PrefixSums& sums, std::uint32_t predicates, std::uint32_t lanes);
};
/// Results for a group, computed by PrefixSum.
PrefixShares prefix_shares(const MicroOp& op, const WarpState& warp, std::uint32_t mask);
PrefixShares prefix_shares(const MeetingPlaces& places, const WarpState& warp, std::uint32_t mask);

/// 3. tree_traverse: d = base + (total << log2(node size)). Throws KernelFault for a node size that is not a power of
/// two.
void execute_tree_traverse(const MicroOp& op, WarpState& warp, std::uint32_t mask, const PrefixShares& shares);
/// cond_acc: lane i of `mask` whose predicate holds writes to base + (before << log2(size of the datum));
/// execute_memory() then writes the count for all of `mask`. The source assumes one base for all lanes; here each lane
/// uses its own.
void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, const PrefixShares& shares,
                       Addresses& out);

}  // namespace heddle::isa
