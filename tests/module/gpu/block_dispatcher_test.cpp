// SPDX-License-Identifier: Apache-2.0
// The block dispatcher with stub SMs that hold each block for some cycles.
#include "gpu/dispatch/block_dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Begun {
  Cycle cycle;
  std::uint64_t launch, block;
};

/// Holds every block for `duration` cycles.
struct HoldingSm : Stage {
  HoldingSm(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g),
        launches("launches", g, stage_number(), {.width = 1, .latency = 1}),
        finished("finished", g, stage_number()) {}
  void cycle() override {
    while (sm::BlockLaunch* block = launches.front()) {
      begun.push_back({now(), block->launch->id, block->block});
      resident.push_back({now() + duration, block->launch->id, block->block});
      launches.pop();
      wake(now() + duration);
    }
    while (!resident.empty() && resident.front().cycle <= now()) {
      sm::BlockDone done{{resident.front().launch, resident.front().block}};
      finished.send(done);
      resident.erase(resident.begin());
    }
  }
  std::vector<std::uint64_t> blocks_of(std::uint64_t launch) const {
    std::vector<std::uint64_t> blocks;
    for (const Begun& one : begun) {
      if (one.launch == launch) blocks.push_back(one.block);
    }
    return blocks;
  }

  LinkIn<sm::BlockLaunch> launches;
  LinkOut<sm::BlockDone> finished;
  Cycle duration = 50;
  std::vector<Begun> begun, resident;
};

/// Runs launches concurrently: odd ones on odd SMs, even ones on even SMs.
class ApartDispatch final : public DispatchPolicy {
 public:
  explicit ApartDispatch(unsigned) {}
  std::optional<BlockGrant> next(const DispatchView& view) override {
    for (unsigned launch = 0; launch < view.launches(); ++launch) {
      if (!view.has_blocks(launch)) continue;
      for (auto sm = static_cast<unsigned>(view.launch_id(launch) % 2); sm < view.sms(); sm += 2) {
        if (view.has_room(SmId(sm), launch)) return BlockGrant{SmId(sm), launch};
      }
    }
    return std::nullopt;
  }
};
HEDDLE_REGISTER(DispatchPolicy, ApartDispatch, "test_apart", "each launch on every other SM", "tests");

/// Ignores whether an SM has room.
class BlindDispatch final : public DispatchPolicy {
 public:
  explicit BlindDispatch(unsigned) {}
  std::optional<BlockGrant> next(const DispatchView&) override { return BlockGrant{SmId(0), 0}; }
};
HEDDLE_REGISTER(DispatchPolicy, BlindDispatch, "test_blind", "always SM 0", "tests");

class Dispatch : public ::testing::Test {
 protected:
  static constexpr unsigned kSms = 4;

  /// SMs that hold two blocks each.
  void build(const std::string& policy) {
    parameters_.order.choose(policy);
    const sm::ResidencyParameters residency{.threads = 64, .blocks = 2};
    dispatcher_ = std::make_unique<BlockDispatcher>("dispatcher", gate_, parameters_,
                                                    std::vector<BlockDispatcher::SmDescription>(kSms, {residency, 32}),
                                                    owner_, services_);
    for (unsigned i = 0; i < kSms; ++i) {
      sms_.push_back(std::make_unique<HoldingSm>(("sm" + std::to_string(i)).c_str(), gate_));
      connect(*dispatcher_->to_sms[i], sms_[i]->launches);
      connect(sms_[i]->finished, *dispatcher_->from_sms[i]);
    }
    dispatcher_->on_launch_done([this](const isa::LaunchState& launch) { done_.push_back(launch.id); });
  }
  void enqueue(std::uint64_t id, unsigned blocks) {
    auto launch = std::make_shared<isa::LaunchState>();
    launch->kernel = &kernel_;
    launch->grid = {blocks, 1, 1};
    launch->block = {32, 1, 1};
    launch->id = id;
    dispatcher_->enqueue(launch);
  }
  void run(Cycle cycles) { sc_core::sc_start(core_.time_of(cycles)); }

  isa::Kernel kernel_;
  ClockTree tree_;
  ClockDomain core_{"core", tree_, 1000000};
  ClockGate gate_{core_};
  Services services_;
  StatisticsOwner owner_{services_.statistics, "gpu", "gpu"};
  DispatcherParameters parameters_;
  std::unique_ptr<BlockDispatcher> dispatcher_;
  std::vector<std::unique_ptr<HoldingSm>> sms_;
  std::vector<std::uint64_t> done_;
};

TEST_F(Dispatch, RoundRobinGoesOnBehindTheSmThatGotTheLastBlock) {
  parameters_.blocks_per_cycle = 3;
  build("round_robin");
  enqueue(1, 8);
  run(20);
  EXPECT_THAT(sms_[0]->blocks_of(1), ElementsAre(0, 4));
  EXPECT_THAT(sms_[3]->blocks_of(1), ElementsAre(3, 7));
  EXPECT_EQ(sms_[3]->begun[0].cycle, sms_[0]->begun[0].cycle + 1) << "three blocks a cycle";
}

TEST_F(Dispatch, FillFirstBeginsWithSmZero) {
  parameters_.blocks_per_cycle = 1;
  build("fill_first");
  enqueue(1, 3);
  run(20);
  EXPECT_THAT(sms_[0]->blocks_of(1), ElementsAre(0, 1));
  EXPECT_THAT(sms_[1]->blocks_of(1), ElementsAre(2));
}

TEST_F(Dispatch, ALaterLaunchWaitsForTheLastBlockOfTheOneBefore) {
  build("round_robin");
  enqueue(1, 9);
  enqueue(2, 1);
  run(20);
  for (const auto& sm : sms_) EXPECT_THAT(sm->blocks_of(2), ElementsAre());
  run(200);
  EXPECT_THAT(done_, ElementsAre(1, 2));
  EXPECT_TRUE(dispatcher_->idle());
}

TEST_F(Dispatch, APolicyMayKeepLaunchesApart) {
  build("test_apart");
  enqueue(1, 9);
  enqueue(2, 4);
  run(20);
  EXPECT_THAT(sms_[0]->blocks_of(2), ElementsAre(0, 2)) << "the second does not wait";
  EXPECT_THAT(sms_[2]->blocks_of(2), ElementsAre(1, 3));
  EXPECT_THAT(sms_[0]->blocks_of(1), ElementsAre());
  run(300);
  EXPECT_THAT(done_, ElementsAre(2, 1));
}

TEST_F(Dispatch, ABlockForAFullSmIsAnErrorThatNamesThePolicy) {
  build("test_blind");
  enqueue(1, 9);
  run(20);
  const std::exception_ptr error = tree_.take_error();
  ASSERT_NE(error, nullptr) << "SM 0 takes one block a cycle";
  EXPECT_THAT([&] { std::rethrow_exception(error); },
              ThrowsMessage<Error>(HasSubstr("dispatch policy test_blind: SM 0 cannot take a block of launch 0")));
}

}  // namespace
}  // namespace heddle::gpu
