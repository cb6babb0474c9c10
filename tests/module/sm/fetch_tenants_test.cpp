// SPDX-License-Identifier: Apache-2.0
// Fetch as sliced and ganged machines need it: contexts that share a request, stores of instructions in front of the
// cache, a cache port that several of them share.
#include <array>
#include <map>
#include <memory>

#include "chain_test.h"
#include "sm/grouping/reconvergence_stack.h"
#include "sm/issue/instruction_supply.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {
namespace {

/// Contexts 2n and 2n + 1 share their requests. One whose neighbour is to request the same waits for it.
class SharedFetch final : public FetchScheme {
 public:
  void cycle(InstructionSupply& supply, const ContextSet& wanting) override {
    ContextSet may = wanting;
    wanting.for_each([&](std::size_t c) {
      const bool same = supply.next_pc(ContextId(c)) == supply.next_pc(ContextId(c ^ 1u));
      if (same && !wanting.test(c ^ 1u)) may.reset(c);
    });
    if (may.none() || !supply.can_request()) return;
    last_ = next_in_turn(may, last_);
    const ContextId first(last_ & ~1u);
    if (may.test(first)) {
      supply.request(first, 0b11);
    } else {
      supply.request(last_);
    }
  }

 private:
  ContextId last_ = kNoContext;
};

class SharingWarps final : public StackWarps {
 public:
  SharingWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "test_sharing"; }
  std::unique_ptr<FetchScheme> make_fetch_scheme() override { return std::make_unique<SharedFetch>(); }
};
HEDDLE_REGISTER(GroupingUnit, SharingWarps, "test_sharing", "two warps share a fetch", "tests");

/// The instruction cache's only port: one look-up a cycle, whoever asks.
class OnePort final : public sc_core::sc_module, public InstructionStore {
 public:
  OnePort(const sc_core::sc_module_name& name, const ClockDomain& clock)
      : sc_module(name), cache("cache"), calls("calls"), clock_(clock) {
    calls.bind(*this);
  }
  CallPort<InstructionStore> cache;
  CallExport<InstructionStore> calls;
  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override {
    if (used_ == clock_.now()) {
      ++refused;
      return Answer::busy;
    }
    used_ = clock_.now();
    ++looked_up;
    return cache->look_up(address, waiter);
  }
  unsigned line_bytes() const override { return cache->line_bytes(); }
  unsigned looked_up = 0, refused = 0;

 private:
  const ClockDomain& clock_;
  Cycle used_ = kNever;
};

/// A store of 32-byte lines that never evicts. It copies a missing line from the cache, which takes a while.
class SmallStore final : public sc_core::sc_module, public InstructionStore, public InstructionReturn {
 public:
  SmallStore(const sc_core::sc_module_name& name, const ClockDomain& clock, Cycle copy_time)
      : sc_module(name), cache("cache"), calls("calls"), clock_(clock), copy_time_(copy_time) {
    calls.bind(*this);
  }
  CallPort<InstructionStore> cache;
  CallExport<InstructionStore> calls;
  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override {
    const std::uint64_t line = address & ~std::uint64_t{line_bytes() - 1};
    if (const auto held = held_.find(line); held != held_.end()) {
      if (held->second > clock_.now()) return Answer::miss;  // the waiter knows when it comes
      ++hits;
      return Answer::hit;
    }
    if (cache->look_up(address, *this) == Answer::busy) return Answer::busy;
    held_[line] = clock_.now() + copy_time_;
    waiter.line_filled(line, held_[line]);
    return Answer::miss;
  }
  unsigned line_bytes() const override { return 32; }
  void line_filled(std::uint64_t, Cycle) override {}
  std::size_t lines() const { return held_.size(); }
  unsigned hits = 0;

 private:
  const ClockDomain& clock_;
  const Cycle copy_time_;
  std::map<std::uint64_t, Cycle> held_;  ///< lines, and the cycle from which each may be read
};

/// Even and odd contexts have a store of their own, and request in the same cycle.
class TwoFronts final : public FetchScheme {
 public:
  void cycle(InstructionSupply& supply, const ContextSet& wanting) override {
    for (std::uint8_t front = 0; front < 2; ++front) {
      ContextSet own;
      wanting.for_each([&](std::size_t c) {
        if (c % 2 == front) own.set(c);
      });
      if (own.none() || !supply.can_request()) continue;
      last_[front] = next_in_turn(own, last_[front]);
      supply.request(last_[front], 1, front + 1);
    }
  }

 private:
  std::array<ContextId, 2> last_{kNoContext, kNoContext};
};

class SplitFrontWarps final : public StackWarps {
 public:
  SplitFrontWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) { built = this; }
  std::string name() const override { return "test_fronts"; }
  void build(SmSite& site) override {
    port = std::make_unique<OnePort>("port", site.gate.domain());
    for (unsigned i = 0; i < 2; ++i) {
      stores[i] = std::make_unique<SmallStore>(i == 0 ? "l0_even" : "l0_odd", site.gate.domain(), 3 + 4 * i);
      stores[i]->cache.bind(port->calls);
    }
  }
  std::unique_ptr<FetchScheme> make_fetch_scheme() override { return std::make_unique<TwoFronts>(); }
  InstructionStores instruction_stores() override {
    return {.look_ups = {&stores[0]->calls, &stores[1]->calls}, .to_cache = {&port->cache}};
  }
  std::unique_ptr<OnePort> port;
  std::array<std::unique_ptr<SmallStore>, 2> stores;
  static inline SplitFrontWarps* built = nullptr;
};
HEDDLE_REGISTER(GroupingUnit, SplitFrontWarps, "test_fronts", "two front ends with a store each", "tests");

class FetchTenants : public ChainTest {};

// 15 instructions, two a fetch: eight requests a warp, or a pair of warps that stays in step.
TEST_F(FetchTenants, AWarpAloneRequestsForItself) {
  run_chain(128);
  EXPECT_EQ(counted("issue.fetch_requests"), 4 * 8);
  EXPECT_EQ(counted("decode.decoded"), 4 * 15);
}

TEST_F(FetchTenants, TwoWarpsShareAFetchAndItsDecoding) {
  sm().grouping.choose("test_sharing");
  run_chain(128);
  EXPECT_EQ(counted("issue.fetch_requests"), 2 * 8);
  EXPECT_EQ(counted("decode.decoded"), 2 * 15);
  EXPECT_EQ(counted("issue.warp_instructions"), 4 * 15);
}

TEST_F(FetchTenants, StoresInFrontOfTheCacheAnswerEachForItself) {
  sm().grouping.choose("test_fronts");
  sm().fetch.width = 2;
  run_chain(256);
  const SplitFrontWarps& warps = *SplitFrontWarps::built;
  const unsigned fetches = 8 * 8;  // of eight warps
  EXPECT_EQ(counted("fetch.fetched"), fetches);
  // 15 instructions of 8 bytes lie in four lines of 32 bytes.
  for (const auto& store : warps.stores) EXPECT_EQ(store->lines(), 4u);
  EXPECT_EQ(warps.port->looked_up, 8u) << "the cache sees what the stores miss";
  EXPECT_GT(warps.port->refused, 0u) << "both missed in one cycle, and one tried again";
  EXPECT_GT(warps.stores[0]->hits + warps.stores[1]->hits, fetches / 2);
}

}  // namespace
}  // namespace heddle::sm
