// SPDX-License-Identifier: Apache-2.0
// Size and depth of prefix-sum networks: ours from the model, the alternatives built and evaluated here. Source:
// docs/sources/large-warps-and-database-search.md, 2.12.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "database_targets.h"
#include "isa/prefix_sum.h"

namespace heddle::studies {
namespace {

/// Sums after the levels of a network, and its cost.
struct Network {
  std::vector<unsigned> lanes;
  unsigned levels = 0, adders = 0;
};

std::vector<unsigned> predicates(unsigned lanes) {
  std::vector<unsigned> bits(lanes);
  for (unsigned i = 0; i < lanes; ++i) bits[i] = 0x9e3779b9u >> i % 32 & 1;
  return bits;
}

/// Sums of 2, 4, 8 ... lanes, in the last lane of each group.
void add_up(Network& network) {
  const auto count = static_cast<unsigned>(network.lanes.size());
  for (unsigned group = 2; group <= count; group *= 2) {
    ++network.levels;
    for (unsigned last = group - 1; last < count; last += group) {
      network.lanes[last] += network.lanes[last - group / 2];
      ++network.adders;
    }
  }
}

/// Blelloch's scan: up to the total, then down, giving each half the sum below it. The result is exclusive.
Network work_efficient(const std::vector<unsigned>& bits) {
  Network network{bits};
  add_up(network);
  const auto count = static_cast<unsigned>(bits.size());
  network.lanes[count - 1] = 0;
  for (unsigned group = count; group >= 2; group /= 2) {
    ++network.levels;
    for (unsigned last = group - 1; last < count; last += group) {
      const unsigned lower = network.lanes[last - group / 2];
      network.lanes[last - group / 2] = network.lanes[last];
      network.lanes[last] += lower;
      ++network.adders;
    }
  }
  return network;
}

/// Brent and Kung's network: down from the sums of groups to the lanes between them. The result is inclusive.
Network brent_kung(const std::vector<unsigned>& bits) {
  Network network{bits};
  add_up(network);
  const auto count = static_cast<unsigned>(bits.size());
  for (unsigned group = count / 2; group >= 2; group /= 2) {
    ++network.levels;
    for (unsigned last = group - 1; last + group / 2 < count; last += group) {
      network.lanes[last + group / 2] += network.lanes[last];
      ++network.adders;
    }
  }
  return network;
}

Network tried(Network (*build)(const std::vector<unsigned>&), bool inclusive) {
  const std::vector<unsigned> bits = predicates(32);
  Network network = build(bits);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(network.lanes[i], std::accumulate(bits.begin(), bits.begin() + i + (inclusive ? 1 : 0), 0u));
  }
  return network;
}

}  // namespace

void add_prefix_targets(Evaluations& targets) {
  for (const unsigned lanes : {8u, 16u, 32u, 64u}) {
    const std::string suffix = "-" + std::to_string(lanes);
    targets["db.prefix.levels" + suffix] = [=] { return isa::PrefixSum(lanes).levels(); };
    targets["db.prefix.adders" + suffix] = [=] { return isa::PrefixSum(lanes).adders(); };
    targets["db.prefix.full-adder-bits" + suffix] = [=] { return isa::PrefixSum(lanes).full_adder_bits(); };
  }
  const auto first_row = [](unsigned lanes) {
    EXPECT_EQ(isa::PrefixSum::adder_bits(1), 1u);
    return isa::PrefixSum(lanes).adders(1);
  };
  targets["db.prefix.first-row-8"] = [=] { return first_row(8); };
  targets["db.prefix.first-row-32"] = [=] { return first_row(32); };
  const isa::PrefixSum network(32);
  targets["db.prefix.last-row-32"] = [=] { return network.adders(network.levels()); };
  targets["db.prefix.last-row-32-width"] = [=] { return isa::PrefixSum::adder_bits(network.levels()); };
  targets["db.prefix.blelloch-levels-32"] = [] { return tried(work_efficient, false).levels; };
  targets["db.prefix.blelloch-adders-32"] = [] { return tried(work_efficient, false).adders; };
  targets["db.prefix.brent-kung-levels-32"] = [] { return tried(brent_kung, true).levels; };
  targets["db.prefix.brent-kung-adders-32"] = [] { return tried(brent_kung, true).adders; };
}

}  // namespace heddle::studies
