// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_controller.h"

#include "memory/constant_latency_memory.h"
#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

/// bench/README.md's GTX 480: tRCD 12, CL 12, burst 2, tCCDL 3, tRP 12.
MemoryControllerParameters gtx480() {
  MemoryControllerParameters p;
  p.dram.geometry = {1, 4, 4, 4096, 64};
  return p;
}

class ControllerTest : public ::testing::Test {
 protected:
  void build(const MemoryControllerParameters& parameters, unsigned sockets = 1) {
    controller_ = std::make_unique<MemoryController>("mc0", bench_.clock, parameters, bench_.group("mc0"),
                                                     bench_.services, MemoryControllerSetting{sockets, nullptr, true});
    for (unsigned i = 0; i < sockets; ++i) {
      shooters_.push_back(std::make_unique<Shooter>(("shooter" + std::to_string(i)).c_str(), bench_.clock, i));
      checked_.connect(shooters_.back()->out(), controller_->in(i));
    }
  }
  Shooter& shooter(unsigned i = 0) { return *shooters_[i]; }
  void expect_conservation() {
    for (auto& s : shooters_) {
      EXPECT_TRUE(s->all_answered());
      EXPECT_EQ(s->pool().outstanding(), 0u);
    }
    EXPECT_EQ(controller_->busy(), 0u);
    EXPECT_EQ(controller_->counts().requests.value(), controller_->counts().replies.value());
    const auto& c = controller_->channel().counts();
    EXPECT_EQ(c.row_hits.value() + c.row_closed.value() + c.row_conflicts.value(),
              controller_->counts().requests.value());
    checked_.expect_silence();
  }

  Bench bench_;
  std::unique_ptr<MemoryController> controller_;
  std::vector<std::unique_ptr<Shooter>> shooters_;
  Checked checked_;
};

TEST_F(ControllerTest, UnloadedLatenciesAreTheSumsOfTheTable) {
  build(gtx480());
  const auto closed = shooter().load(10, 0x0);
  const auto hit = shooter().load(200, 0x80);
  const auto conflict = shooter().load(400, 0x10000);  // next row of bank 0
  bench_.run_to(800);
  // One cycle into the queue; ACT, tRCD, RD, tCCDL, RD (a line is two bursts of one bank group), CL, burst.
  EXPECT_EQ(shooter().latency(closed), 1 + 12 + 3 + 12 + 2u);
  EXPECT_EQ(shooter().latency(hit), 1 + 3 + 12 + 2u);
  EXPECT_EQ(shooter().latency(conflict), 1 + 12 + 12 + 3 + 12 + 2u);
  const auto& c = controller_->channel().counts();
  EXPECT_EQ(c.row_closed.value(), 1u);
  EXPECT_EQ(c.row_hits.value(), 1u);
  EXPECT_EQ(c.row_conflicts.value(), 1u);
  expect_conservation();
}

TEST_F(ControllerTest, FrontAndBackLatencyAdd) {
  auto p = gtx480();
  p.front_latency = 20;
  p.back_latency = 7;
  build(p);
  const auto read = shooter().load(10, 0x0);
  bench_.run_to(800);
  EXPECT_EQ(shooter().latency(read), 20 + 12 + 3 + 12 + 2 + 7u);
}

TEST_F(ControllerTest, WritesAreAnsweredWhenTheirDataHasPassed) {
  build(gtx480());
  const auto write = shooter().store(10, 0x0);
  bench_.run_to(800);
  EXPECT_EQ(shooter().latency(write), 1 + 12 + 3 + 4 + 2u);
  EXPECT_EQ(controller_->counts().written_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(ControllerTest, AStreamKeepsTheDataBusAsBusyAsItsBankGroupAllows) {
  auto p = gtx480();
  p.dram.geometry = {1, 1, 16, 4096, 64};
  build(p);
  for (unsigned i = 0; i < 500; ++i) shooter().load(10, 128 * i);
  bench_.run_to(5000);
  expect_conservation();
  // Every burst is in the one bank group: tCCDL = 3 apart.
  const Cycle taken = shooter().replied(499) - shooter().replied(0);
  EXPECT_GE(taken, 499u * 6);
  EXPECT_LE(taken, 499u * 6 * 102 / 100);
}

TEST_F(ControllerTest, BankGroupInterleavingReachesThePeakOfTheBus) {
  auto p = gtx480();
  AddressMapParameters map;
  map.pattern = "RRRR.BBCCCCCGGC.SSSSSS";
  controller_ = std::make_unique<MemoryController>(
      "mc0", bench_.clock, p, bench_.group("mc0"), bench_.services,
      MemoryControllerSetting{1, std::make_shared<const AddressMap>(map, p.dram.geometry, "map"), true});
  shooters_.push_back(std::make_unique<Shooter>("shooter", bench_.clock));
  checked_.connect(shooter().out(), controller_->in());
  for (unsigned i = 0; i < 400; ++i) shooter().load(10, 128 * i);
  bench_.run_to(5000);
  expect_conservation();
  const Cycle taken = shooter().replied(399) - shooter().replied(0);
  EXPECT_GE(taken, 399u * 4);
  EXPECT_LE(taken, 399u * 4 * 105 / 100);
}

TEST_F(ControllerTest, RandomRowsOfOneBankAreBoundByTrc) {
  build(gtx480());
  for (unsigned i = 0; i < 50; ++i) shooter().shoot({10, AccessKind::load, std::uint64_t{65536} * i, 64});
  bench_.run_to(5000);
  expect_conservation();
  EXPECT_EQ(shooter().replied(49) - shooter().replied(0), 49 * 40u);
}

TEST_F(ControllerTest, RandomRowsOfAllBanksAreBoundByTrrd) {
  build(gtx480());
  for (unsigned i = 0; i < 160; ++i) {
    shooter().shoot({10, AccessKind::load, std::uint64_t{65536} * (i / 16) + 4096 * (i % 16), 64});
  }
  bench_.run_to(5000);
  expect_conservation();
  const Cycle taken = shooter().replied(159) - shooter().replied(0);
  EXPECT_GE(taken, 159u * 6);
  EXPECT_LE(taken, 159u * 7) << "an activate gives way to a column command for a cycle at most";
}

TEST_F(ControllerTest, AFullQueueHoldsTheSocketsAndEverySocketGetsItsTurn) {
  auto p = gtx480();
  p.dram.queue_entries = 4;
  build(p, 2);
  for (unsigned i = 0; i < 40; ++i) {
    shooter(0).load(10, std::uint64_t{65536} * i);
    shooter(1).load(10, std::uint64_t{65536} * i + 4096);
  }
  bench_.run_to(1000);
  EXPECT_EQ(controller_->counts().most_queued.value(), 4u);
  const auto a = shooter(0).answers(), b = shooter(1).answers();
  EXPECT_GT(a, 5u);
  EXPECT_LE(std::max(a, b) - std::min(a, b), 2u);
  bench_.run_to(10000);
  expect_conservation();
}

TEST_F(ControllerTest, EverySocketGivesARequestACycle) {
  build(gtx480(), 2);
  shooter(0).load(10, 0);
  shooter(1).load(10, 65536);
  for (Cycle cycle = 10; cycle < 20; ++cycle) {
    bench_.run_to(cycle);
    EXPECT_NE(controller_->counts().requests.value(), 1u) << "both in one cycle";
  }
  bench_.run_to(1000);
  expect_conservation();
}

TEST_F(ControllerTest, AFullReturnQueueHoldsReadsUntilARepliesLeave) {
  auto p = gtx480();
  p.dram.return_entries = 1;
  build(p);
  for (unsigned i = 0; i < 10; ++i) shooter().load(10, 128 * i);
  bench_.run_to(2000);
  expect_conservation();
  // The last burst of a read waits for the reply before it: RD, CL, burst, and a cycle for the place to be free.
  for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(shooter().replied(i) - shooter().replied(i - 1), 1 + 12 + 2u);
}

TEST_F(ControllerTest, ARequestOverTwoRowsIsAnsweredWhenBothAreDone) {
  build(gtx480());
  const auto wide = shooter().shoot({10, AccessKind::load, 4096 - 128, 256});
  bench_.run_to(800);
  // Both pieces enter in one cycle; the second row is activated tRRD after the first.
  EXPECT_EQ(shooter().latency(wide), 1 + 6 + 12 + 3 + 12 + 2u);
  EXPECT_EQ(controller_->channel().counts().activates.value(), 2u);
  EXPECT_TRUE(shooter().all_answered());
  EXPECT_EQ(controller_->busy(), 0u);
}

/// Checks the command trace against the meaning of the timings, apart from the controller's tables.
struct Legality : DramCommandListener {
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    std::int64_t activated = -1000, precharged = -1000, read = -1000, write_end = -1000;
  };
  std::vector<Bank> banks{16};
  std::int64_t last_command = -1000, last_activate = -1000, last_read = -1000, last_write = -1000,
               last_write_end = -1000;
  std::vector<std::int64_t> group_read{-1000, -1000, -1000, -1000}, group_write{-1000, -1000, -1000, -1000};
  unsigned commands = 0;

  void commanded(Cycle cycle, DramCommand command, unsigned number, std::uint64_t row,
                 const DramRequest* request) override {
    const auto now = static_cast<std::int64_t>(cycle);
    Bank& bank = banks[number];
    ++commands;
    EXPECT_GT(now, last_command) << "one command a cycle";
    last_command = now;
    switch (command) {
      case DramCommand::kActivate:
        EXPECT_FALSE(bank.open);
        EXPECT_GE(now - bank.activated, 40) << "tRC";
        EXPECT_GE(now - bank.precharged, 12) << "tRP";
        EXPECT_GE(now - last_activate, 6) << "tRRD";
        bank.open = true;
        bank.row = row;
        bank.activated = last_activate = now;
        break;
      case DramCommand::kPrecharge:
        EXPECT_TRUE(bank.open);
        EXPECT_GE(now - bank.activated, 28) << "tRAS";
        EXPECT_GE(now - bank.read, 2) << "tRTP";
        EXPECT_GE(now - bank.write_end, 12) << "tWR";
        bank.open = false;
        bank.precharged = now;
        break;
      case DramCommand::kRead:
        EXPECT_TRUE(bank.open);
        ASSERT_NE(request, nullptr);
        EXPECT_EQ(bank.row, request->row);
        EXPECT_GE(now - bank.activated, 12) << "tRCD";
        EXPECT_GE(now - last_read, 2) << "tCCD";
        EXPECT_GE(now - group_read[number / 4], 3) << "tCCDL";
        EXPECT_GE(now - last_write_end, 5) << "tCDLR";
        bank.read = last_read = group_read[number / 4] = now;
        break;
      case DramCommand::kWrite:
        EXPECT_TRUE(bank.open);
        EXPECT_GE(now - bank.activated, 12) << "tRCD";
        EXPECT_GE(now - last_write, 2) << "tCCD";
        EXPECT_GE(now - group_write[number / 4], 3) << "tCCDL";
        EXPECT_GE(now + 4, last_read + 12 + 2 + 2) << "the bus turns";
        last_write = group_write[number / 4] = now;
        bank.write_end = last_write_end = now + 4 + 2;
        break;
    }
  }
};

TEST_F(ControllerTest, EveryCommandOfARandomLoadIsLegalAndTheCountersAgree) {
  build(gtx480(), 2);
  Legality legality;
  controller_->channel().listen(&legality);
  std::uint64_t state = 99;
  const auto draw = [&state](unsigned below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>((state >> 33) % below);
  };
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t address = std::uint64_t{4096} * draw(64) + 128 * draw(32);
    shooter(i % 2).shoot({10 + 3 * i, draw(3) == 0 ? AccessKind::store : AccessKind::load, address, 128});
  }
  bench_.run_to(60000);
  expect_conservation();
  const auto& c = controller_->channel().counts();
  EXPECT_EQ(legality.commands, c.activates.value() + c.precharges.value() + c.reads.value() + c.writes.value());
  EXPECT_EQ(64 * c.reads.value(), controller_->counts().read_bytes.value());
  EXPECT_EQ(64 * c.writes.value(), controller_->counts().written_bytes.value());
  EXPECT_EQ(c.data_cycles.value(), 2 * (c.reads.value() + c.writes.value()));
  EXPECT_GT(c.row_hits.value(), 0u);
  EXPECT_GT(c.row_conflicts.value(), 0u);
}

TEST(ConstantLatency, UnloadedLatencyIsThePublishedOneAndThroughputIsBound) {
  // spec/branch-and-warp-interweaving.md, V10: at 10 bytes a cycle a line of 128 occupies the channel 12.8 cycles.
  Bench bench;
  ConstantLatencyMemory memory("memory", bench.clock, {}, bench.group("memory"), bench.services);
  Shooter shooter("shooter", bench.clock);
  Checked checked;
  checked.connect(shooter.out(), memory.in());
  for (unsigned i = 0; i < 11; ++i) shooter.load(10, 128 * i);
  bench.run_to(2000);
  EXPECT_EQ(shooter.latency(0), 330u);
  EXPECT_EQ(shooter.replied(1) - shooter.replied(0), 13u);
  EXPECT_EQ(shooter.replied(5) - shooter.replied(0), 64u);
  EXPECT_EQ(shooter.replied(10) - shooter.replied(0), 128u);
  EXPECT_EQ(memory.counts().requests.value(), memory.counts().replies.value());
  checked.expect_silence();
}

}  // namespace
}  // namespace heddle::memory
