// SPDX-License-Identifier: Apache-2.0
// The instruction store of a slice: what it holds, and from which cycle on.
// Source: docs/sources/variable-warp-size.md, 2.7.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

#include "sm/grouping/ganging/slice.h"

namespace heddle::sm {
namespace {

class L0Test : public ::testing::Test, protected InstructionReturn {
 protected:
  using Answer = InstructionStore::Answer;

  class Cache final : public InstructionStore {
   public:
    Answer look_up(std::uint64_t, InstructionReturn& store) override {
      waiter = &store;
      return answer;
    }
    unsigned line_bytes() const override { return 128; }
    Answer answer = Answer::hit;
    InstructionReturn* waiter = nullptr;
  };

  class Steps final : public Stage {
   public:
    explicit Steps(ClockGate& gate) : Stage("steps", gate) {}
    void at(Cycle cycle, std::function<void()> step) {
      steps_[cycle] = std::move(step);
      wake(cycle);
    }
    std::size_t left() const { return steps_.size(); }

   private:
    void cycle() override {
      if (const auto step = steps_.extract(now())) step.mapped()();
    }
    std::map<Cycle, std::function<void()>> steps_;
  };

  L0Test() { store_.cache.bind(cache_); }
  void run() {
    sc_core::sc_start(core_.time_of(100));
    EXPECT_EQ(steps_.left(), 0u);
  }
  Answer look_up(std::uint64_t address) { return store_.look_ups->look_up(address, *this); }
  void line_filled(std::uint64_t line, Cycle) override { told_.push_back(line); }

  ClockTree tree_;
  ClockDomain core_{"core", tree_, 1000000};
  ClockGate gate_{core_};
  Services services_;
  StatisticsOwner owner_{services_.statistics, "sm0", "sm"};
  SmParameters parameters_;
  SmSite site_{SmId(0), parameters_, gate_, services_, owner_};
  Cache cache_;
  L0Store store_{"l0", site_, "sm0.slice0", 64, "test"};
  Steps steps_{gate_};
  std::vector<std::uint64_t> told_;
};

TEST_F(L0Test, WhatIsFilledInACycleIsThereFromTheNext) {
  steps_.at(3, [this] {
    EXPECT_EQ(look_up(32), Answer::hit);
    EXPECT_FALSE(store_.holds(32));
  });
  steps_.at(4, [this] {
    EXPECT_TRUE(store_.holds(32));
    EXPECT_TRUE(store_.holds(63));
    EXPECT_FALSE(store_.holds(31));
    EXPECT_FALSE(store_.holds(64));
  });
  run();
}

TEST_F(L0Test, OfALineOfTheCacheItTakesWhatWasAskedFor) {
  cache_.answer = Answer::miss;
  steps_.at(2, [this] {
    EXPECT_EQ(look_up(128), Answer::miss);
    EXPECT_EQ(look_up(136), Answer::miss);
    EXPECT_EQ(look_up(160), Answer::miss);
    EXPECT_EQ(look_up(256), Answer::miss);
  });
  steps_.at(10, [this] {
    cache_.waiter->line_filled(128, 11);
    EXPECT_EQ(told_, (std::vector<std::uint64_t>{128, 160})) << "each line once";
    EXPECT_FALSE(store_.holds(128));
  });
  steps_.at(11, [this] {
    EXPECT_TRUE(store_.holds(128));
    EXPECT_TRUE(store_.holds(160));
    EXPECT_FALSE(store_.holds(192));
    EXPECT_FALSE(store_.holds(256)) << "another line of the cache";
  });
  run();
}

TEST_F(L0Test, ALineTakesThePlaceOfTheOneWithTheSameIndex) {
  steps_.at(1, [this] {
    look_up(0);
    look_up(32);
  });
  steps_.at(2, [this] {
    look_up(64);
    EXPECT_TRUE(store_.holds(0));
  });
  steps_.at(3, [this] {
    EXPECT_TRUE(store_.holds(64));
    EXPECT_FALSE(store_.holds(0));
    EXPECT_TRUE(store_.holds(32));
  });
  run();
}

TEST_F(L0Test, ABusyCacheFillsNothing) {
  cache_.answer = Answer::busy;
  steps_.at(1, [this] { EXPECT_EQ(look_up(0), Answer::busy); });
  steps_.at(2, [this] { EXPECT_FALSE(store_.holds(0)); });
  run();
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace heddle::sm
