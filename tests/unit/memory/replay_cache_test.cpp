// SPDX-License-Identifier: Apache-2.0
// Caches in which traces are replayed. Worked example CC-1: docs/sources/cache-conscious-and-divergence-aware.md, 3.
#include "memory/locality/replay_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>

namespace heddle::memory {
namespace {

/// A reference of a test: a letter loads a line, a small one stores to it and so removes it.
std::uint64_t line_of(char letter) { return static_cast<std::uint64_t>(std::tolower(letter) - 'a'); }

/// Replays; returns 'h' or 'm' per load and '-' per store.
std::string replay(ReplayCache cache, const std::string& trace) {
  std::string answers;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::uint64_t line = line_of(trace[i]);
    if (std::islower(trace[i])) {
      cache.invalidate(line);
      answers += '-';
      continue;
    }
    TracePosition next = kNoUse;
    for (std::size_t j = i + 1; j < trace.size(); ++j) {
      if (line_of(trace[j]) != line) continue;
      if (std::isupper(trace[j])) next = j;
      break;
    }
    answers += cache.load(line, {}, next).hit ? 'h' : 'm';
  }
  return answers;
}

ReplayCache one_set(ReplayPolicy policy, unsigned ways) { return ReplayCache({policy, 1, ways, IndexHash::none}); }

TEST(ReplayCache, LruEvictsTheLineUsedLongestAgo) {
  EXPECT_EQ(replay(one_set(ReplayPolicy::lru, 2), "ABACAB"), "mmhmhm");
}

TEST(ReplayCache, FifoEvictsTheLineBroughtFirst) {
  EXPECT_EQ(replay(one_set(ReplayPolicy::fifo, 2), "ABACAB"), "mmhmmm");
}

TEST(ReplayCache, BeladyEvictsTheLineUsedFurthestAhead) {
  // At C: A is used next, so B goes. At D: neither B nor D is used again before A.
  EXPECT_EQ(replay(one_set(ReplayPolicy::belady, 2), "ABACAB"), "mmhmhm");
  EXPECT_EQ(replay(one_set(ReplayPolicy::belady, 2), "ABCABC"), "mmmhmh");
  EXPECT_EQ(replay(one_set(ReplayPolicy::lru, 2), "ABCABC"), "mmmmmm");
}

TEST(ReplayCache, BeladyDoesNotKeepALineThatAStoreRemovesBeforeItsUse) {
  // A would be used before B, but for the store.
  EXPECT_EQ(replay(one_set(ReplayPolicy::belady, 2), "ABCaAB"), "mmm-mh");
}

TEST(ReplayCache, AStoreRemovesOnlyItsLine) {
  for (const ReplayPolicy policy :
       {ReplayPolicy::lru, ReplayPolicy::fifo, ReplayPolicy::belady, ReplayPolicy::unbounded})
    EXPECT_EQ(replay(one_set(policy, 4), "ABaABbzAB"), "mm-mh--hm");
}

TEST(ReplayCache, AnUnboundedOneMissesOnlyFirstTouches) {
  std::string trace;
  for (int round = 0; round < 3; ++round) trace += "ABCDEFGHIJKLMNOP";
  const std::string answers = replay(one_set(ReplayPolicy::unbounded, 1), trace);
  EXPECT_EQ(answers, std::string(16, 'm') + std::string(32, 'h'));
}

TEST(ReplayCache, LinesOfOtherSetsDoNotCompete) {
  ReplayCache cache({ReplayPolicy::lru, 2, 1, IndexHash::none});
  EXPECT_FALSE(cache.load(0, {}).hit);
  EXPECT_FALSE(cache.load(1, {}).hit);
  EXPECT_FALSE(cache.load(2, {}).hit);
  EXPECT_TRUE(cache.load(1, {}).hit);
  EXPECT_FALSE(cache.load(0, {}).hit);
}

TEST(ReplayCache, TheOwnerIsTheLastToBringTheLineOrTheFirstToTouchIt) {
  ReplayCache bounded = one_set(ReplayPolicy::lru, 1);
  bounded.load(1, {7, 0xf});
  EXPECT_EQ(bounded.load(1, {8, 1}).owner.warp, 7u) << "a hit changes no owner";
  bounded.load(2, {8, 1});
  bounded.load(1, {9, 3});
  EXPECT_EQ(bounded.load(1, {7, 1}).owner.warp, 9u);
  EXPECT_EQ(bounded.load(1, {7, 1}).owner.lanes, 3u);
  ReplayCache unbounded = one_set(ReplayPolicy::unbounded, 1);
  unbounded.load(1, {7, 1});
  unbounded.load(2, {8, 1});
  EXPECT_EQ(unbounded.load(1, {9, 1}).owner.warp, 7u);
}

/// The least misses possible, by trying every eviction.
unsigned least_misses(const std::string& trace, std::size_t at, std::set<std::uint64_t> lines, unsigned ways) {
  if (at == trace.size()) return 0;
  const std::uint64_t line = line_of(trace[at]);
  if (std::islower(trace[at])) {
    lines.erase(line);
    return least_misses(trace, at + 1, lines, ways);
  }
  if (lines.count(line) != 0) return least_misses(trace, at + 1, lines, ways);
  if (lines.size() < ways) {
    lines.insert(line);
    return 1 + least_misses(trace, at + 1, lines, ways);
  }
  unsigned least = std::numeric_limits<unsigned>::max();
  for (const std::uint64_t victim : lines) {
    std::set<std::uint64_t> rest = lines;
    rest.erase(victim);
    rest.insert(line);
    least = std::min(least, least_misses(trace, at + 1, rest, ways));
  }
  return 1 + least;
}

TEST(ReplayCache, NoEvictionsGiveFewerMissesThanBeladys) {
  std::mt19937 random(1);
  unsigned better_than_lru = 0;
  for (unsigned round = 0; round < 300; ++round) {
    const unsigned ways = 1 + random() % 3;
    std::string trace;
    for (unsigned i = 0; i < 14; ++i) {
      const char letter = static_cast<char>('A' + random() % 6);
      trace += random() % 6 == 0 ? static_cast<char>(std::tolower(letter)) : letter;
    }
    const std::string answers = replay(one_set(ReplayPolicy::belady, ways), trace);
    const auto misses = static_cast<unsigned>(std::count(answers.begin(), answers.end(), 'm'));
    EXPECT_EQ(misses, least_misses(trace, 0, {}, ways)) << trace << " in " << ways << " ways";
    const std::string lru = replay(one_set(ReplayPolicy::lru, ways), trace);
    better_than_lru += misses < static_cast<unsigned>(std::count(lru.begin(), lru.end(), 'm')) ? 1 : 0;
  }
  EXPECT_GT(better_than_lru, 30u) << "the traces are too easy to tell";
}

TEST(ReplayCache, WorkedExample_CC1_AccessShaping) {
  const std::string w0 = "ABCD", w1 = "EFGH", w2 = "IJKL";
  const auto hits = [](const std::string& trace) {
    const std::string answers = replay(one_set(ReplayPolicy::lru, 4), trace);
    return std::count(answers.begin(), answers.end(), 'h');
  };
  EXPECT_EQ(hits(w0 + w1 + w2 + w0 + w1 + w2), 0);
  EXPECT_EQ(hits(w0 + w0 + w1 + w1 + w2 + w2), 12);
}

}  // namespace
}  // namespace heddle::memory
