// SPDX-License-Identifier: Apache-2.0
// The index: its tree, and the compiled search kernels on the functional machine with every access counted. Source:
// docs/sources/large-warps-and-database-search.md, 3.10 and 5.4.
#include <algorithm>
#include <bit>
#include <random>
#include <set>

#include "database_targets.h"
#include "kernel_bench.h"
#include "workloads/index_tree.h"

namespace heddle::studies {
namespace {

using isa::Opcode, isa::Space;
using workload::IndexTree;

constexpr std::uint32_t kAbsent = ~0u;

/// Words of the tree that hold the key on the kernel's path down. counts: receives the numbers of smaller keys found in
/// lines.
unsigned matches(const IndexTree& tree, std::uint32_t key, std::set<unsigned>* counts = nullptr) {
  unsigned found = 0;
  const auto smaller = [&](std::uint64_t line) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t value = tree.word(line + lane);
      count += key > value ? 1 : 0;
      found += key == value ? 1 : 0;
    }
    if (counts != nullptr) counts->insert(count);
    return count;
  };
  std::uint64_t node = 0;
  for (unsigned level = 0; level < tree.levels(); ++level) {
    const std::uint64_t first = node * IndexTree::kNodeWords;
    const unsigned line = smaller(first);
    node = node * IndexTree::kFanOut + 1 + line * 31 + smaller(first + 32 * (line + 1));
  }
  return found;
}

/// Words of the row node at the root that hold keys.
unsigned keys_of_words(unsigned words) {
  unsigned keys = 0;
  for (unsigned i = 0; i < words; ++i) keys += IndexTree(3).word(i) != IndexTree::kPadding ? 1 : 0;
  return keys;
}

/// Of 2000 random keys, or keys after them: how often each occurs in the tree; -1: not all alike.
int matches_of_random_keys(unsigned added) {
  const IndexTree tree(3);
  std::mt19937_64 random(2000);
  std::set<unsigned> seen;
  for (unsigned i = 0; i < 2000; ++i) seen.insert(matches(tree, IndexTree::key(random() % tree.keys()) + added));
  return seen.size() == 1 ? static_cast<int>(*seen.begin()) : -1;
}

struct Draws {
  std::mt19937 engine{59};
  std::uint32_t next() { return static_cast<std::uint32_t>(engine() >> 8); }
};

/// Counts of one run of the source's kernel: three levels, 1024 threads.
struct Search {
  std::vector<std::uint32_t> results;
  std::set<unsigned> loads, hints;        ///< of the tree, of a look-up
  unsigned most_lines = 0;                ///< of such a load
  std::set<std::uint64_t> first_queries;  ///< that the warps load before any other
  std::set<unsigned> warps;
};

Search search(bool traverse, bool hint, const std::vector<std::uint32_t>& keys) {
  static const IndexTree tree(3);
  const auto kernel =
      kernel_of(compiled("index_search"), std::string(traverse ? "ILb1E" : "ILb0E") + (hint ? "Lb1E" : "Lb0E"));
  KernelBench bench;
  const std::uint64_t nodes = bench.memory().allocate_generated(
      tree.bytes(), [](std::uint64_t offset, void* to, std::size_t bytes) { tree.read(offset, to, bytes); });
  const std::uint64_t queries = bench.place(keys);
  const std::uint64_t results = bench.place(std::vector<std::uint32_t>(keys.size(), kAbsent));
  Search done;
  struct LookUp {
    unsigned loads = 0, hints = 0;
  };
  std::map<unsigned, LookUp> under_way;  // by warp
  const auto finished = [&](unsigned warp) {
    done.loads.insert(under_way[warp].loads);
    done.hints.insert(under_way[warp].hints);
    under_way[warp] = {};
  };
  const auto hear = [&](const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) {
    if (op.opcode != Opcode::ld || addresses.space != Space::global) return;
    if (addresses.value[0] >= nodes && addresses.value[0] < nodes + tree.bytes()) {
      ++under_way[warp.index].loads;
      under_way[warp.index].hints += op.row_hint ? 1 : 0;
      done.most_lines = std::max(done.most_lines, lines_of(addresses));
      EXPECT_EQ(addresses.mask, ~0u);
    } else if (done.warps.insert(warp.index).second) {
      done.first_queries.insert(addresses.value[0]);
    } else {
      finished(warp.index);
    }
  };
  bench.launch(kernel, 1024, hear, nodes, std::int32_t{3}, queries, results, static_cast<std::uint32_t>(keys.size()));
  for (const unsigned warp : done.warps) finished(warp);
  for (std::size_t i = 0; i < keys.size(); ++i) done.results.push_back(KernelBench::word(results, i));
  return done;
}

/// Ranks whose words the source gives.
const std::vector<std::uint64_t> kRanks = {0, 960, 923520, 443751839, 123456789, 887503679};
constexpr std::uint32_t kMissed = 493827159;

/// Those keys first, then others up to four for each warp. All four kernels find the same.
const Search& searched(bool hint = false) {
  static std::map<bool, Search> by_hint;
  if (by_hint.empty()) {
    std::vector<std::uint32_t> keys;
    for (const std::uint64_t rank : kRanks) keys.push_back(IndexTree::key(rank));
    keys.push_back(kMissed);
    Draws draws;
    const auto more = workload::look_ups(IndexTree(3), 4 * 32 - static_cast<unsigned>(keys.size()), draws);
    keys.insert(keys.end(), more.begin(), more.end());
    by_hint[false] = search(false, false, keys);
    by_hint[true] = search(false, true, keys);
    for (const bool hints : {false, true}) {
      const Search traversed = search(true, hints, keys);
      EXPECT_EQ(traversed.results, by_hint[hints].results);
      EXPECT_EQ(traversed.results, by_hint[false].results);
      EXPECT_EQ(traversed.loads, by_hint[false].loads);
      EXPECT_EQ(by_hint[hints].loads, by_hint[false].loads);
      EXPECT_EQ(traversed.hints, by_hint[hints].hints);
    }
  }
  return by_hint[hint];
}

/// The only number of a set.
unsigned only(const std::set<unsigned>& numbers) {
  EXPECT_EQ(numbers.size(), 1u);
  return numbers.empty() ? 0 : *numbers.begin();
}

/// Ops of a compiled kernel between the two loads of a row node; how many of them are tree_traverse.
std::pair<unsigned, unsigned> between_loads(const std::string& variant) {
  const auto kernel = kernel_of(compiled("index_search"), variant);
  std::vector<std::uint32_t> loads;
  for (const auto& block : kernel->blocks) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t pc = block.first; pc <= block.last; ++pc) {
      const isa::MicroOp& op = kernel->ops[pc];
      if (op.opcode == Opcode::ld && op.space == Space::global) found.push_back(pc);
    }
    if (found.size() == 2) loads = found;
  }
  EXPECT_EQ(loads.size(), 2u);
  if (loads.size() != 2) return {0, 0};
  const auto first = kernel->ops.begin() + loads[0] + 1, second = kernel->ops.begin() + loads[1];
  return {static_cast<unsigned>(second - first),
          static_cast<unsigned>(
              std::count_if(first, second, [](const isa::MicroOp& op) { return op.opcode == Opcode::tree_traverse; }))};
}

}  // namespace

void add_index_targets(Evaluations& targets) {
  targets["db.idx.keys-per-line"] = [] { return keys_of_words(32); };
  targets["db.idx.children-per-line"] = [] {
    // The number of intervals below, between and above the keys of the root's line.
    std::set<unsigned> ways;
    for (std::uint64_t rank = 0; rank < IndexTree(1).keys(); ++rank) {
      matches(IndexTree(1), IndexTree::key(rank), &ways);
      matches(IndexTree(1), IndexTree::key(rank) + 1, &ways);
    }
    return ways.size();
  };
  targets["db.idx.lines-per-row-node"] = [] { return IndexTree::kNodeWords / 32; };
  targets["db.idx.keys-per-row-node"] = [] {
    EXPECT_EQ(IndexTree(1).keys(), keys_of_words(IndexTree::kNodeWords));
    return keys_of_words(IndexTree::kNodeWords);
  };
  targets["db.idx.children-per-row-node"] = [] { return IndexTree(2).row_nodes() - IndexTree(1).row_nodes(); };
  targets["db.idx.level3-row-nodes"] = [] { return IndexTree(3).row_nodes() - IndexTree(2).row_nodes(); };
  targets["db.idx.row-nodes"] = [] { return IndexTree(3).row_nodes(); };
  targets["db.idx.keys-4-line-levels"] = [] { return IndexTree(2).keys(); };
  targets["db.idx.keys"] = [] { return IndexTree(3).keys(); };
  targets["db.idx.tree-bytes"] = [] { return IndexTree(3).bytes(); };
  targets["db.idx.line-loads-per-lookup"] = [] { return only(searched().loads); };
  targets["db.idx.lines-per-load"] = [] { return searched().most_lines; };
  targets["db.idx.queries-in-flight"] = [] {
    EXPECT_EQ(searched().warps.size(), searched().first_queries.size());
    return searched().first_queries.size();
  };
  targets["db.idx.absent-share"] = [] {
    const IndexTree tree(3);
    Draws draws;
    unsigned absent = 0;
    for (const std::uint32_t key : workload::look_ups(tree, 131072, draws)) absent += matches(tree, key) == 0 ? 1 : 0;
    return absent;
  };
  targets["db.idx.hint-per-pair"] = [] {
    EXPECT_EQ(only(searched(false).hints), 0u);
    return only(searched(true).hints);
  };
  targets["db.tt.four-to-one"] = [] {
    const auto [base, none] = between_loads("ILb0ELb0E");
    const auto [one, count] = between_loads("ILb1ELb0E");
    EXPECT_EQ(none, 0u);
    EXPECT_EQ(count, 1u);
    return base - (one - count);
  };

  for (std::size_t i = 0; i < kRanks.size(); ++i) {
    targets["db.vec3.10.rank-" + std::to_string(kRanks[i])] = [i] { return searched().results[i]; };
  }
  targets["db.vec3.10.miss"] = [] {
    EXPECT_EQ(searched().results[kRanks.size()], kAbsent);
    return matches(IndexTree(3), kMissed);
  };
  targets["db.vec3.10.random-present"] = [] { return matches_of_random_keys(0); };
  targets["db.vec3.10.random-absent"] = [] { return matches_of_random_keys(1); };
}

}  // namespace heddle::studies
