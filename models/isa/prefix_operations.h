// SPDX-License-Identifier: Apache-2.0
// The operations that sum predicates over the threads that meet: cond_acc and tree_traverse. Three steps, so that a
// machine may ask a network of its own for the sums: which predicates hold, their sums, what each lane does with them.
// Source: spec/large-warps-and-database-search.md, 2.10 and 2.11.
#pragma once

#include <array>
#include <cstdint>

#include "isa/collective.h"
#include "isa/prefix_sum.h"

namespace heddle::isa {

/// 1. What goes into the network: the lanes of `mask`, which meet, whose predicate holds.
std::uint32_t predicates_that_hold(const MicroOp& op, const WarpState& warp, std::uint32_t mask);
/// The same for threads that met at several places.
std::uint32_t predicates_that_hold(const MeetingPlaces& places, const WarpState& warp, std::uint32_t mask);

/// 2. What each lane has of the sums. Lanes of one packet may have met in several groups.
struct PrefixShares {
  std::uint32_t holds = 0;                                   ///< lanes whose predicate holds
  std::array<std::uint8_t, kWordThreads> before{}, total{};  ///< of its group: lanes below it that hold; all that do
  /// Threads `lanes` are (some) of a group whose predicates summed up so.
  void add(const PrefixSums& sums, std::uint32_t predicates, std::uint32_t lanes);
};
/// Of threads that meet, at one instruction or at several, by the logic of PrefixSum.
PrefixShares prefix_shares(const MicroOp& op, const WarpState& warp, std::uint32_t mask);
PrefixShares prefix_shares(const MeetingPlaces& places, const WarpState& warp, std::uint32_t mask);

/// 3. tree_traverse: d = base + (total << log2(node size)). Throws KernelFault where a node size is no power of two.
void execute_tree_traverse(const MicroOp& op, WarpState& warp, std::uint32_t mask, const PrefixShares& shares);
/// cond_acc: lane i of `mask` whose predicate holds writes to base + (before << log2(size of the datum)); the count
/// goes to all of `mask` when execute_memory() writes. The page's base is one for all lanes; here each lane adds to its
/// own.
void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, const PrefixShares& shares,
                       Addresses& out);

}  // namespace heddle::isa
