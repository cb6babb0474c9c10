// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/bank_choices.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

/// Chooses the oldest, or asks to be asked again; notes what it was told.
class Scheduler final : public DramScheduler {
 public:
  BankChoice choose(const BankView& view, Cycle& ask_again) const override {
    if (ask_at != kNever) {
      ask_again = ask_at;
      return {};
    }
    return {view.oldest()};
  }
  bool columns_first() const override { return true; }
  void served(const BankView&, const DramRequest& request, Cycle done) override {
    served_row = request.row;
    served_done = done;
  }
  void activated(unsigned, std::uint64_t row, Cycle) override { activated_row = row; }

  Cycle ask_at = kNever;
  std::uint64_t served_row = 0, activated_row = 0;
  Cycle served_done = 0;
};

class BankChoicesTest : public ::testing::Test {
 protected:
  explicit BankChoicesTest(unsigned write_entries = 0) : queue(8, 4, write_entries) {
    auto made = std::make_unique<Scheduler>();
    scheduler = made.get();
    choices = std::make_unique<BankChoices>(std::move(made), 4);
  }
  BankView view(unsigned bank, bool reads = true, bool writes = true) const {
    return {queue, bank, reads, writes, std::nullopt, 100};
  }
  DramQueue::Id first(unsigned bank) const { return choices->chosen(bank).first; }

  DramQueue queue;
  Scheduler* scheduler;
  std::unique_ptr<BankChoices> choices;
};

class SplitBankChoicesTest : public BankChoicesTest {
 protected:
  SplitBankChoicesTest() : BankChoicesTest(8) {}
};

TEST_F(BankChoicesTest, ABankServesWhatItsSchedulerChoseUntilItWasServed) {
  const auto oldest = queue.add(read_of(1, 5));
  queue.add(read_of(1, 6));
  choices->choose(view(1), DramQueue::kNone);
  EXPECT_EQ(first(1), oldest);
  EXPECT_EQ(first(0), DramQueue::kNone);
  choices->served(view(1), oldest, 123);
  EXPECT_EQ(first(1), DramQueue::kNone);
  EXPECT_EQ(scheduler->served_row, 5u);
  EXPECT_EQ(scheduler->served_done, 123u);
}

TEST_F(BankChoicesTest, TheBankOfAnOverdueRequestServesIt) {
  queue.add(read_of(1, 5));
  const auto overdue = queue.add(read_of(1, 6)), other = queue.add(read_of(2, 7));
  choices->choose(view(1), overdue);
  choices->choose(view(2), overdue);
  EXPECT_EQ(first(1), overdue);
  EXPECT_EQ(first(2), other);
}

TEST_F(BankChoicesTest, ASchedulerMayAskToChooseAgain) {
  queue.add(read_of(1, 5));
  queue.add(read_of(2, 5));
  scheduler->ask_at = 150;
  choices->choose(view(1), DramQueue::kNone);
  scheduler->ask_at = 140;
  choices->choose(view(2), DramQueue::kNone);
  EXPECT_EQ(choices->ask_again(), 140u);
  EXPECT_EQ(choices->asking(139), 0u);
  EXPECT_EQ(choices->asking(140), bank_bit(2));
  EXPECT_EQ(choices->asking(150), bank_bit(1) | bank_bit(2));
  scheduler->ask_at = kNever;
  choices->choose(view(2), DramQueue::kNone);
  EXPECT_EQ(choices->ask_again(), 150u);
}

TEST_F(SplitBankChoicesTest, ARequestWhoseRowWasOpenedIsFinishedAfterASwitch) {
  const auto read = queue.add(read_of(1, 5)), write = queue.add(write_of(1, 6));
  choices->opened(1, 5, read, 90);
  EXPECT_EQ(scheduler->activated_row, 5u);
  choices->choose(view(1, true, false), DramQueue::kNone);
  EXPECT_EQ(choices->finishing(), 0u) << "reads are served still";
  choices->choose(view(1, false, true), DramQueue::kNone);
  EXPECT_EQ(first(1), read);
  EXPECT_EQ(choices->finishing(), bank_bit(1));
  choices->served(view(1, false, true), read, 110);
  queue.remove(read);
  choices->choose(view(1, false, true), DramQueue::kNone);
  EXPECT_EQ(first(1), write);
  EXPECT_EQ(choices->finishing(), 0u);
}

TEST_F(SplitBankChoicesTest, NothingIsFinishedIfTheRowWasClosed) {
  const auto read = queue.add(read_of(1, 5)), write = queue.add(write_of(1, 6));
  choices->opened(1, 5, read, 90);
  choices->closed(1);
  choices->choose(view(1, false, true), DramQueue::kNone);
  EXPECT_EQ(first(1), write);
}

TEST(BankChoices, NeedASchedulersChoice) { EXPECT_THROW(BankChoices(nullptr, 4), Error); }

}  // namespace
}  // namespace heddle::memory
