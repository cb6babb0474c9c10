// SPDX-License-Identifier: Apache-2.0
// Lane shuffling: lanes of threads, and what a permutation takes. Source:
// docs/sources/branch-and-warp-interweaving.md, 2.9, 3 (V7) and 8.
#include <bit>
#include <random>
#include <set>

#include "interweaving_targets.h"
#include "sm/grouping/interweaving/lane_shuffle.h"

namespace heddle::studies {
namespace {

using namespace sm;

constexpr unsigned kLanes = 64, kWarps = 16;
constexpr unsigned kWordBytes = 4;

double lane(LaneShuffle shuffle, unsigned thread, unsigned warp, unsigned lanes = kLanes, unsigned warps = kWarps) {
  return std::countr_zero(shuffled(std::uint64_t{1} << thread, lane_key(shuffle, warp, lanes, warps)));
}

/// The least number of lanes that a warp's threads have.
double distinct_lanes(LaneShuffle shuffle) {
  std::size_t least = kLanes;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    std::set<double> lanes;
    for (unsigned thread = 0; thread < kLanes; ++thread) lanes.insert(lane(shuffle, thread, warp));
    least = std::min(least, lanes.size());
  }
  return static_cast<double>(least);
}

/// Aligned groups of 32 threads that are in both halves of the lanes.
double split_halves(LaneShuffle shuffle) {
  constexpr std::uint64_t kLow = 0xffffffff;
  double split = 0;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    for (const std::uint64_t half : {kLow, ~kLow}) {
      const std::uint64_t lanes = shuffled(half, lane_key(shuffle, warp, kLanes, kWarps));
      split += lanes != kLow && lanes != ~kLow ? 1 : 0;
    }
  }
  return split;
}

/// Registers of threads that change lanes when a warp splits and merges, in bytes.
double moved_bytes() {
  std::mt19937_64 random(3);
  double moved = 0;
  for (unsigned round = 0; round < 10'000; ++round) {
    const unsigned key = lane_key(LaneShuffle::reversed_or, round % kWarps, kLanes, kWarps);
    const std::uint64_t one = random(), other = random() & ~one;
    moved += std::popcount(shuffled(one | other, key) ^ (shuffled(one, key) | shuffled(other, key)));
  }
  return moved * kWordBytes;
}

/// Bits of a thread's number that some warp inverts.
double inverted_bits() {
  unsigned bits = 0;
  for (unsigned warp = 0; warp < kLanes; ++warp) bits |= lane_key(LaneShuffle::reversed_or, warp, kLanes, kLanes);
  return std::popcount(bits);
}

}  // namespace

void add_shuffle_targets(Evaluations& targets) {
  const struct {
    std::string name;
    LaneShuffle shuffle;
    std::vector<std::pair<unsigned, unsigned>> threads;  ///< and their warps
  } policies[] = {{"identity", LaneShuffle::identity, {}},
                  {"mirrorodd", LaneShuffle::mirror_odd, {{0, 1}, {5, 3}, {31, 1}}},
                  {"mirrorhalf", LaneShuffle::mirror_half, {}},
                  {"xor", LaneShuffle::exclusive_or, {{5, 3}, {63, 15}, {31, 1}, {1, 8}}},
                  {"xorrev", LaneShuffle::reversed_or, {{5, 3}, {63, 15}, {31, 1}, {32, 1}, {1, 8}}}};
  const auto add_lane = [&](const std::string& name, LaneShuffle shuffle, unsigned thread, unsigned warp) {
    targets["bwi.v7.lane-" + name + "-" + std::to_string(thread) + "-" + std::to_string(warp)] = [=] {
      return lane(shuffle, thread, warp);
    };
  };
  for (const auto& policy : policies) {
    targets["bwi.v7.permutation-" + policy.name] = [shuffle = policy.shuffle] { return distinct_lanes(shuffle); };
    targets["bwi.v7.halves-" + policy.name] = [shuffle = policy.shuffle] { return split_halves(shuffle); };
    for (const auto& [thread, warp] : policy.threads) add_lane(policy.name, policy.shuffle, thread, warp);
  }
  for (unsigned warp = 0; warp < kWarps; ++warp) add_lane("xorrev", LaneShuffle::reversed_or, 0, warp);
  for (const unsigned warp : {1u, 2u}) {
    targets["bwi.v7.small-mirrorhalf-0-" + std::to_string(warp)] = [=] {
      return lane(LaneShuffle::mirror_half, 0, warp, 4, 4);
    };
  }
  targets["bwi.sec4.shuffle-data-movement"] = moved_bytes;
  targets["bwi.cost.shuffle-xor"] = inverted_bits;
}

}  // namespace heddle::studies
