// SPDX-License-Identifier: Apache-2.0
// The checker of hazard trackers, with trackers that have one fault each.
#include "sm/hazards/checked_hazards.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "core/error.h"
#include "hazard_op.h"
#include "sm/sm_parameters.h"

namespace heddle::sm {
namespace {

/// Registers of the kernel.
constexpr unsigned kRegisters = 8, kPredicates = 3;

/// A scoreboard whose faults the test selects.
class Faulty final : public HazardTracker {
 public:
  explicit Faulty(const HazardShape& shape) : right_(make(Mechanism<HazardTracker>("scoreboard"), shape)) {}
  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& what) override {
    return answer ? *answer : right_->check(contexts, context, what);
  }
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override {
    return right_->issued(contexts, packet, variable);
  }
  void released(const Release& release) override {
    if (!forgets) right_->released(release);
  }
  std::size_t pending(WarpId warp) const override { return right_->pending(warp); }
  void admit(const isa::Kernel& kernel) override { right_->admit(kernel); }
  static HazardTraits traits() { return {.offers = {Feature::register_waits, Feature::threads_in_flight}}; }
  const ThreadSet* busy_threads(WarpId) const override { return &busy; }

  std::optional<Wait> answer;
  bool forgets = false;
  ThreadSet busy;

 private:
  std::unique_ptr<HazardTracker> right_;
};

class CheckedHazardsTest : public ::testing::Test {
 protected:
  CheckedHazardsTest() {
    kernel_.name = "k";
    kernel_.registers = kRegisters;
    kernel_.predicates = kPredicates;
    for (unsigned c = 0; c < 4; ++c) {
      table_[c].kernel = &kernel_;
      table_[c].warp = WarpId(c);
      table_[c].threads = ThreadSet::first_n(32);
    }
    const HazardShape shape{.contexts = 4, .warps = 4};
    auto faulty = std::make_unique<Faulty>(shape);
    faulty_ = faulty.get();
    checker_ = std::make_unique<CheckedHazards>(std::move(faulty), Faulty::traits(), shape);
    checker_->admit(kernel_);
  }
  Release issue(unsigned number, const isa::MicroOp& what, bool variable = false) {
    const ContextId context(number);
    Packet packet;
    packet.op = &what;
    packet.context = context;
    packet.warp = table_[context].warp;
    packet.threads = table_[context].threads;
    return {&what, context, packet.warp, checker_->issued(table_, packet, variable), variable};
  }
  Wait check(unsigned context, const isa::MicroOp& what) { return checker_->check(table_, ContextId(context), what); }
  void launched(unsigned block, unsigned warp) { checker_->launched(BlockSlot(block), WarpId(warp)); }
  void finished(unsigned block) { checker_->finished(BlockSlot(block)); }
  static std::string message_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::internal);
      return error.what();
    }
    return "no error";
  }

  isa::Kernel kernel_;
  ContextTable table_;
  Faulty* faulty_ = nullptr;
  std::unique_ptr<CheckedHazards> checker_;
};

TEST_F(CheckedHazardsTest, FindsNothingInARightTracker) {
  const auto producer = op({1}, {2}), load = op({2}, {3}), reader = op({2, 3}, {4});
  const Release first = issue(0, producer);
  EXPECT_EQ(check(0, reader), Wait::hazard);
  const Release second = issue(0, load, true);
  EXPECT_EQ(check(0, reader), Wait::memory);
  EXPECT_EQ(check(1, reader), Wait::none);
  checker_->released(first);
  checker_->released(second);
  EXPECT_EQ(check(0, reader), Wait::none);
  launched(0, 0);
  finished(0);
}

TEST_F(CheckedHazardsTest, FindsAUseThatIsReleasedTwice) {
  const auto producer = op({1}, {2});
  const Release release = issue(0, producer);
  checker_->released(release);
  EXPECT_NE(message_of([&] { checker_->released(release); }).find("has no packet of warp 0 in flight"),
            std::string::npos);
}

TEST_F(CheckedHazardsTest, FindsAReleaseOfAnotherInstructionsUse) {
  const auto producer = op({1}, {2}), other = op({1}, {3});
  Release release = issue(0, producer);
  release.op = &other;
  EXPECT_NE(message_of([&] { checker_->released(release); }).find("releases a use taken by pc"), std::string::npos);
}

TEST_F(CheckedHazardsTest, FindsWhatIsInFlightOfAWarpWhoseBlockHasEnded) {
  const auto producer = op({1}, {2});
  launched(7, 0);
  launched(8, 1);
  const Release release = issue(0, producer);
  finished(8);
  EXPECT_NE(message_of([&] { finished(7); }).find("is in flight"), std::string::npos);
  EXPECT_NE(message_of([&] { launched(9, 0); }).find("is in flight"), std::string::npos);
  faulty_->forgets = true;
  checker_->released(release);
  EXPECT_NE(message_of([&] { finished(7); }).find("are pending"), std::string::npos);
}

TEST_F(CheckedHazardsTest, AWarpIsOfTheBlockThatGotItLast) {
  const auto producer = op({1}, {2});
  launched(7, 0);
  finished(7);
  launched(8, 0);
  issue(0, producer);
  launched(7, 1);
  finished(7);
}

TEST_F(CheckedHazardsTest, FindsAWaitForARegisterOfAnotherWarp) {
  const auto producer = op({1}, {2}), reader = op({2}, {3});
  issue(0, producer);
  faulty_->answer = Wait::hazard;
  EXPECT_EQ(check(0, reader), Wait::hazard);
  EXPECT_NE(message_of([&] { check(1, reader); }).find("by the packets in flight of warp 1 it may issue"),
            std::string::npos);
}

TEST_F(CheckedHazardsTest, FindsAHazardThatTheTrackerDoesNotSee) {
  const auto producer = op({1}, {2}), reader = op({2}, {3});
  issue(0, producer, true);
  faulty_->answer = Wait::none;
  EXPECT_NE(message_of([&] { check(0, reader); }).find("it waits for memory"), std::string::npos);
}

TEST_F(CheckedHazardsTest, LooksAtContextsOfAWordAsAtEachContext) {
  const auto producer = op({1}, {2}), reader = op({2}, {3});
  issue(1, producer);
  for (unsigned c = 0; c < 4; ++c) table_[c].next = &reader;
  EXPECT_EQ(checker_->check_word(table_, 0, 0b1111).hazard, 0b0010u);
  faulty_->answer = Wait::none;
  EXPECT_NE(message_of([&] { checker_->check_word(table_, 0, 0b1110); }).find("warp 1 it waits for a result"),
            std::string::npos);
}

TEST_F(CheckedHazardsTest, FindsNumbersThatTheKernelDoesNotHave) {
  const auto last = op({kRegisters - 1}, {isa::kFirstPredicate + kPredicates - 1});
  EXPECT_EQ(check(0, last), Wait::none);
  EXPECT_EQ(message_of([&] { check(0, op({kRegisters}, {})); }),
            "hazards: pc 0 of kernel k uses register 8, but the kernel has only 8");
  EXPECT_EQ(message_of([&] { check(0, op({}, {isa::kFirstPredicate + kPredicates})); }),
            "hazards: pc 0 of kernel k uses predicate 3, but the kernel has only 3");
}

TEST_F(CheckedHazardsTest, FindsThreadsThatAreBusyWithoutAPacket) {
  const auto producer = op({1}, {2});
  issue(0, producer);
  faulty_->busy = ThreadSet::first_n(32);
  EXPECT_EQ(checker_->busy_threads(WarpId(0)), &faulty_->busy);
  EXPECT_NE(message_of([&] { checker_->busy_threads(WarpId(1)); }).find("in no packet in flight"), std::string::npos);
}

TEST(CheckedHazardsInTests, IsOn) { EXPECT_TRUE(CheckedHazards::wanted()) << "tests run with HEDDLE_CHECK_TRACKERS=1"; }

}  // namespace
}  // namespace heddle::sm
