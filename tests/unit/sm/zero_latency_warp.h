// SPDX-License-Identifier: Apache-2.0
// A warp without latencies on the context tables, and the control flow of the source's worked examples.
// Source: docs/sources/branch-and-warp-interweaving.md, 3 (V1, V3, V4).
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sm/grouping/interweaving/hot_contexts.h"

namespace heddle::sm {

class NobodyWaits : public WaitingSplits {
 public:
  bool waits(WarpId, std::uint64_t) const override { return false; }
};

class Sorter : public ContextSorter {
 public:
  explicit Sorter(unsigned hot) : shape_{hot} {}
  SortedContexts sort(const SorterRequest& request) override { return sort_contexts(shape_, request); }

 private:
  SorterShape shape_;
};

constexpr std::uint32_t kExit = ~0u;
inline const WarpId kWarp(0);

/// Next program counter of a thread after it has executed `pc`; kExit: it ends.
using NextCounter = std::function<std::uint32_t(std::uint32_t pc, unsigned thread)>;

/// A hot context executes its instruction. Returns the threads that leave it, if there are two ways. The caller
/// settles.
inline SplitContext execute(HotContexts& contexts, WarpId warp, unsigned slot, const NextCounter& next) {
  const SplitContext from = contexts.row(warp)[slot];
  std::map<std::uint32_t, std::uint64_t> ways;
  for (unsigned t = 0; t < 64; ++t) {
    if ((from.threads >> t & 1) != 0) ways[next(from.pc, t)] |= std::uint64_t{1} << t;
  }
  ways.erase(kExit);
  EXPECT_LE(ways.size(), 2u);
  contexts.put(warp, slot, ways.empty() ? 0 : ways.begin()->first, ways.empty() ? 0 : ways.begin()->second);
  if (ways.size() < 2) return {};
  return {true, false, std::next(ways.begin())->first, std::next(ways.begin())->second};
}

/// A warp without latencies: every cycle the hot splits execute one instruction each.
class ZeroLatencyWarp {
 public:
  struct Result {
    unsigned cycles = 0, issues = 0, thread_instructions = 0;
    /// "primary|secondary" per cycle, each "pc:threads"; a suspended secondary in brackets.
    std::vector<std::string> trace;
  };

  ZeroLatencyWarp(unsigned threads, NextCounter next, unsigned hot = 2)
      : threads_(threads), next_(std::move(next)), hot_(hot) {}
  /// Waits of splits at reconvergence points, by program counter.
  ZeroLatencyWarp& constrain(std::map<std::uint32_t, std::uint32_t> points) {
    points_ = std::move(points);
    return *this;
  }
  ZeroLatencyWarp& literal() {
    head_swap_ = false;
    return *this;
  }
  ZeroLatencyWarp& exact() {
    exact_ = true;
    return *this;
  }

  Result run() {
    NobodyWaits nobody;
    Sorter sorter(hot_);
    ColdContexts cold({.warps = 1, .entries = 16, .exact = exact_}, nobody);
    HotContexts contexts({.warps = 1, .hot = hot_, .head_swap = head_swap_, .exact = exact_}, sorter, cold, nobody);
    contexts.start(kWarp, (std::uint64_t{1} << threads_) - 1);
    Result result;
    while (contexts.row(kWarp)[0].valid && result.cycles < 1000) {
      cold.cycle();
      step(contexts, result);
      ++result.cycles;
    }
    EXPECT_EQ(cold.head(kWarp), nullptr);
    return result;
  }

 private:
  void step(HotContexts& contexts, Result& result) {
    const HotContexts::Row row = contexts.row(kWarp);
    std::vector<SplitContext> fresh;
    std::string line;
    for (unsigned i = 0; i < hot_; ++i) {
      if (!row[i].valid) continue;
      const auto point = points_.find(row[i].pc);
      const bool waits = i == 1 && point != points_.end() && waits_at({point->first, point->second}, row[0].pc);
      line += fmt::format("{}{}{}:{:0{}b}{}", i == 1 ? "|" : "", waits ? "[" : "", row[i].pc, row[i].threads, threads_,
                          waits ? "]" : "");
      if (waits) continue;
      ++result.issues;
      result.thread_instructions += static_cast<unsigned>(std::popcount(row[i].threads));
      const SplitContext split = execute(contexts, kWarp, i, next_);
      if (split.valid) fresh.push_back(split);
    }
    EXPECT_LE(fresh.size(), 1u) << "one divergence a cycle";
    result.trace.push_back(line);
    contexts.settle(kWarp, fresh.empty() ? SplitContext{} : fresh.front(), {});
  }

  unsigned threads_;
  NextCounter next_;
  unsigned hot_;
  std::map<std::uint32_t, std::uint32_t> points_;
  bool head_swap_ = true, exact_ = false;
};

/// V1: instruction 1 branches; 2, 3, 4 for threads 1 and 4, 5 for threads 2 and 3; all meet at 6. The first thread of
/// the source is the highest bit.
inline std::uint32_t two_ways(std::uint32_t pc, unsigned thread) {
  const bool taken = thread == 0 || thread == 3;
  switch (pc) {
    case 0:
      return 1;
    case 1:
      return taken ? 2 : 5;
    case 4:
      return 6;
    case 6:
      return kExit;
    default:
      return pc + 1;
  }
}

/// V3 and V4: A 0-1, B 2-9, C 10-11, D 12-13, E 14-15, F 16-17, G 18-19. to_b, to_d: threads that go there; the others
/// go to E.
inline NextCounter nested(std::uint64_t to_b, std::uint64_t to_d) {
  return [=](std::uint32_t pc, unsigned thread) -> std::uint32_t {
    const auto among = [thread](std::uint64_t set) { return (set >> thread & 1) != 0; };
    switch (pc) {
      case 1:
        return among(to_b) ? 2 : 10;
      case 9:
        return 18;
      case 11:
        return among(to_d) ? 12 : 14;
      case 13:
        return 16;
      case 19:
        return kExit;
      default:
        return pc + 1;
    }
  };
}
inline const std::map<std::uint32_t, std::uint32_t> kNestedPoints = {{16, 11}, {18, 1}};

}  // namespace heddle::sm
