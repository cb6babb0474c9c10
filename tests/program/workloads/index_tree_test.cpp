// SPDX-License-Identifier: Apache-2.0
// Words of the blocked search tree, each computed from its position alone. Vectors:
// docs/sources/large-warps-and-database-search.md, 3.10.
#include "index_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace workload {
namespace {

/// At one level of row nodes: node, word of its first line and how many of its keys are less, the same of the second.
using Step = std::array<std::uint64_t, 5>;
struct Path {
  std::vector<Step> steps;
  std::uint64_t hit = ~std::uint64_t{0};  ///< word that holds the key
  unsigned hits = 0;
};

Path search(const IndexTree& tree, std::uint32_t key) {
  Path path;
  std::uint64_t node = 0;
  for (unsigned level = 0; level < tree.levels(); ++level) {
    const auto less_in = [&](std::uint64_t line) {
      std::uint64_t less = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        const std::uint32_t value = tree.word(line + lane);
        less += key > value ? 1 : 0;
        if (value != key) continue;
        path.hit = line + lane;
        ++path.hits;
      }
      return less;
    };
    const std::uint64_t first = node << 10, c1 = less_in(first), second = first + 32 + (c1 << 5), c2 = less_in(second);
    path.steps.push_back({node, first, c1, second, c2});
    node = node * 961 + 1 + c1 * 31 + c2;
  }
  return path;
}

TEST(IndexTree, HasTheSizesOfTheSource) {
  EXPECT_EQ(IndexTree(3).keys(), 887503680u);
  EXPECT_EQ(IndexTree(3).row_nodes(), 924483u);
  EXPECT_EQ(IndexTree(3).bytes(), 924483u * 4096u);
  EXPECT_EQ(IndexTree(2).keys(), 923520u);
  EXPECT_EQ(IndexTree(1).bytes(), 4096u);
}

TEST(IndexTree, WorkedExample_3_10_PathsOfAThreeLevelTree) {
  const IndexTree tree(3);
  struct Row {
    std::uint64_t rank;
    std::uint32_t key;
    std::vector<Step> steps;
    std::uint64_t hit;
  };
  for (const Row& row :
       {Row{0, 2, {{0, 0, 0, 32, 0}, {1, 1024, 0, 1056, 0}, {962, 985088, 0, 985120, 0}}, 985120},
        Row{960, 3842, {{0, 0, 0, 32, 0}, {1, 1024, 0, 1056, 0}, {962, 985088, 30, 986080, 30}}, 1056},
        Row{923520, 3694082, {{0, 0, 0, 32, 0}, {1, 1024, 30, 2016, 30}, {1922, 1968128, 30, 1969120, 30}}, 32},
        Row{443751839,
            1775007358,
            {{0, 0, 15, 512, 15}, {481, 492544, 15, 493056, 15}, {462722, 473827328, 15, 473827840, 14}},
            473827854},
        Row{123456789,
            493827158,
            {{0, 0, 4, 160, 9}, {134, 137216, 21, 137920, 3}, {129429, 132535296, 0, 132535328, 2}},
            132535330},
        Row{887503679,
            3550014718,
            {{0, 0, 30, 992, 30}, {961, 984064, 30, 985056, 30}, {924482, 946669568, 30, 946670560, 29}},
            946670589}}) {
    EXPECT_EQ(IndexTree::key(row.rank), row.key);
    const Path path = search(tree, row.key);
    EXPECT_EQ(path.steps, row.steps) << "rank " << row.rank;
    EXPECT_EQ(path.hit, row.hit) << "rank " << row.rank;
  }
  const Path missed = search(tree, 493827159);
  EXPECT_EQ(missed.steps.back(), (Step{129429, 132535296, 0, 132535328, 3}));
  EXPECT_EQ(missed.hits, 0u);
}

TEST(IndexTree, HoldsEveryKeyOnceAndNothingBetween) {
  for (const unsigned levels : {1u, 2u, 3u}) {
    const IndexTree tree(levels);
    std::uint64_t state = 1;
    for (unsigned i = 0; i < 2000; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::uint32_t key = IndexTree::key((state >> 20) % tree.keys());
      EXPECT_EQ(search(tree, key).hits, 1u);
      EXPECT_EQ(search(tree, key + 1).hits, 0u);
    }
  }
}

TEST(IndexTree, ReadsTheSameBytesInAnyPieces) {
  const IndexTree tree(2);
  std::array<unsigned char, 300> whole, pieces;
  tree.read(4096 + 5, whole.data(), whole.size());
  for (std::size_t i = 0; i < pieces.size(); i += 7)
    tree.read(4096 + 5 + i, &pieces[i], std::min<std::size_t>(7, 300 - i));
  EXPECT_EQ(whole, pieces);
  std::uint32_t word;
  tree.read(4096, &word, 4);
  EXPECT_EQ(word, tree.word(1024));
}

}  // namespace
}  // namespace workload
