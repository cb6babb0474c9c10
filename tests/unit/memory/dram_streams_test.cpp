// SPDX-License-Identifier: Apache-2.0
// Endless streams of reads and writes: the cost of bus turnarounds, and the longest waits.
#include <functional>

#include "tests/unit/memory/channel_bench.h"

namespace heddle::memory {
namespace {

DramParameters parameters_of(const std::string& standard, const std::vector<std::string>& settings) {
  DramParameters parameters;
  parameters.geometry = {1, standard == "gddr3" ? 1u : 4u, standard == "gddr3" ? 8u : 4u, 2048, 32};
  parameters.standard.choose(standard);
  parameters.return_entries = 4096;
  return configured(parameters, settings);
}

DramRequest request(std::uint32_t token, bool write, unsigned bank, std::uint64_t row, std::uint32_t column) {
  DramRequest made;
  made.token = token;
  made.write = write;
  made.bank = static_cast<std::uint8_t>(bank);
  made.row = row;
  made.column = column;
  return made;
}

class Draw {
 public:
  unsigned operator()(unsigned below) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>((state_ >> 33) % below);
  }

 private:
  std::uint64_t state_ = 7;
};

/// Serves `count` requests of a stream, which enter in order while there is room; every command is checked. Returns the
/// cycles from the first to the last.
Cycle serve(Channel& channel, const DramParameters& parameters, unsigned count,
            const std::function<DramRequest(unsigned)>& make) {
  channel.check(parameters);
  constexpr Cycle kStart = 1000;
  unsigned added = 0;
  DramRequest next = make(0);
  Cycle now = kStart;
  for (; channel.done_.size() < count && now < kStart + 200 * Cycle{count}; ++now) {
    while (added < count && !channel->full(next.write)) {
      next.arrival = now;
      channel.add(next);
      if (++added < count) next = make(added);
    }
    channel.step(now);
  }
  EXPECT_EQ(channel.done_.size(), count);
  EXPECT_EQ(channel.faults(), "");
  return now - kStart;
}

/// Request i of two read streams and one written, line by line, each in its own rows.
DramRequest triad(const ChannelGeometry& g, unsigned i) {
  const unsigned stream = i % 3, line = i / 3, banks = g.banks();
  const unsigned place = line % banks, bank = place % g.bank_groups * g.banks_per_group + place / g.bank_groups;
  const unsigned column = line / banks;
  return request(i, stream == 2, (bank + 5 * stream) % banks, 3 * (column / 64) + stream, column % 64);
}

/// Two reads per write, to a few rows per bank.
DramRequest mixed(const ChannelGeometry& g, Draw& draw, unsigned i) {
  return request(i, draw(3) == 0, draw(g.banks()), 1 + draw(100) / 97, draw(64));
}

/// The same, all to the open rows of four banks, one per group.
DramRequest narrow(const ChannelGeometry& g, Draw& draw, unsigned i) {
  return request(i, draw(3) == 0, draw(4) * g.banks() / 4, 1, draw(64));
}

/// Cycles of a schedule that serves all queued requests of one direction, and those that arrive meanwhile, before it
/// turns: with two reads per write and a queue of n, 1.5 n writes and then 3 n reads.
double ideal_cycles(const DramParameters& parameters, unsigned count) {
  auto t = tb::checked_memory(parameters).timings;
  const auto read_to_write = t["tRTW"] != 0 ? t["tRTW"] : t["tCL"] + t["burst_cycles"] + 2 - t["tWL"];
  const auto write_to_read = t["tWL"] + t["burst_cycles"] + t["tWTRS"];
  const auto turns = static_cast<double>(read_to_write + write_to_read - 2 * t["tCCDS"]);
  return count * (static_cast<double>(t["tCCDS"]) + turns / (4.5 * parameters.queue_entries));
}

struct Ratios {
  double lines, random, narrow;  // relative to the ideal schedule
};

Ratios ratios(const char* standard, const std::vector<std::string>& settings) {
  constexpr unsigned kCount = 9000;
  const auto parameters = parameters_of(standard, settings);
  const ChannelGeometry& g = parameters.geometry;
  const double ideal = ideal_cycles(parameters, kCount);
  const auto ratio = [&](const std::function<DramRequest(unsigned)>& make) {
    Channel channel(parameters);
    return static_cast<double>(serve(channel, parameters, kCount, make)) / ideal;
  };
  Draw random_draw, narrow_draw;
  return {ratio([&](unsigned i) { return triad(g, i); }), ratio([&](unsigned i) { return mixed(g, random_draw, i); }),
          ratio([&](unsigned i) { return narrow(g, narrow_draw, i); })};
}

class StreamTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StreamTest, OfBothDirectionsTakesLittleMoreThanAnIdealSchedule) {
  const Ratios batched = ratios(GetParam(), {});
  EXPECT_LE(batched.random, 1.1);
  EXPECT_LE(batched.narrow, 1.1);
}

TEST_P(StreamTest, WhereBanksOfferTheirOldestHitAloneTheBusTurnsMoreOften) {
  const Ratios batched = ratios(GetParam(), {}), by_age = ratios(GetParam(), {"turns=by_age"});
  EXPECT_GE(by_age.random, batched.random * 1.1);
  EXPECT_GE(by_age.narrow, batched.narrow * 1.2);
  EXPECT_LE(batched.lines, by_age.lines * 1.08) << "rows bind here, not turns";
}

INSTANTIATE_TEST_SUITE_P(Standards, StreamTest, ::testing::Values("gddr3", "gddr5", "gddr6", "hbm2"),
                         [](const auto& standard) { return std::string(standard.param); });

// ------------------------------------------------------------------------------------------------ turns, by commands

DramParameters gddr5(const std::vector<std::string>& settings = {}) { return parameters_of("gddr5", settings); }

/// Row 1 of banks 0 and 4 is open, the last burst was a read.
void open_rows(Channel& channel) {
  channel.add(request(90, false, 0, 1, 0));
  channel.add(request(91, false, 4, 1, 0));
  channel.run(1000, 1999);
  channel.log_.clear();
}

TEST(Turns, ReadsOfABankPassAnOlderWriteToItsRowWhileTheBusReads) {
  Channel channel(gddr5());
  channel.check(gddr5());
  open_rows(channel);
  channel.add(request(1, false, 4, 1, 1));
  channel.add(request(2, true, 0, 1, 2));
  channel.add(request(3, false, 0, 1, 3));
  channel.add(request(4, false, 0, 1, 4));
  channel.run(2000);
  EXPECT_EQ(channel.log_, (std::vector<Issued>{{2000, DramCommand::read, 4, 1},
                                               {2002, DramCommand::read, 0, 1},
                                               {2005, DramCommand::read, 0, 1},
                                               {2017, DramCommand::write, 0, 1}}));
}

TEST(Turns, ByAgeTheWriteTurnsTheBusBeforeThem) {
  Channel channel(gddr5({"turns=by_age"}));
  open_rows(channel);
  channel.add(request(1, false, 4, 1, 1));
  channel.add(request(2, true, 0, 1, 2));
  channel.add(request(3, false, 0, 1, 3));
  channel.add(request(4, false, 0, 1, 4));
  channel.run(2000);
  EXPECT_EQ(channel.log_, (std::vector<Issued>{{2000, DramCommand::read, 4, 1},
                                               {2012, DramCommand::write, 0, 1},
                                               {2023, DramCommand::read, 0, 1},
                                               {2026, DramCommand::read, 0, 1}}));
}

/// A read that opens a row of bank 8 from cycle 2000, and a write to an open row the given number of cycles later.
std::vector<Issued> write_while_a_row_opens(Cycle later) {
  Channel channel(gddr5());
  open_rows(channel);
  channel.add(request(1, false, 8, 1, 0));
  channel.run(2000, 2000 + later - 1);
  channel.add(request(2, true, 0, 1, 2));
  channel.run(2000 + later);
  return channel.log_;
}

TEST(Turns, TheBusWaitsForAReadThatIsReadyBeforeItCouldTurnTwice) {
  // Activate to read 12; write to read 4 + 2 + 5, read to write 12 + 2 + 2 - 4.
  EXPECT_EQ(write_while_a_row_opens(1), (std::vector<Issued>{{2000, DramCommand::activate, 8, 1},
                                                             {2001, DramCommand::write, 0, 1},
                                                             {2012, DramCommand::read, 8, 1}}));
  EXPECT_EQ(write_while_a_row_opens(2), (std::vector<Issued>{{2000, DramCommand::activate, 8, 1},
                                                             {2012, DramCommand::read, 8, 1},
                                                             {2024, DramCommand::write, 0, 1}}));
}

TEST(Turns, NobodyPassesAnOlderRequestToTheSameBytes) {
  for (const bool write_first : {false, true}) {
    Channel channel(gddr5());
    open_rows(channel);
    DramRequest first = request(1, write_first, 0, 1, 4), second = request(2, !write_first, 0, 1, 5);
    first.bursts = 2;
    channel.add(request(3, !write_first, 4, 1, 1));  // turns the bus to the second's direction
    channel.add(first);
    channel.add(second);
    channel.add(request(4, !write_first, 0, 1, 6));  // and an unrelated one after the second
    channel.run(2000);
    EXPECT_LT(channel.done_[1], channel.done_[2]);
    EXPECT_LT(channel.done_[2], channel.done_[4]);
    EXPECT_EQ(channel.done_.size(), 6u);
  }
}

TEST(Turns, FirstComeFirstServedDoesNotBatch) {
  std::vector<std::vector<Issued>> logs;
  for (const char* turns : {"batched", "by_age"}) {
    const auto parameters = gddr5({"scheduler=fcfs", std::string("turns=") + turns});
    Channel channel(parameters);
    Draw draw;
    serve(channel, parameters, 1000, [&](unsigned i) { return mixed(parameters.geometry, draw, i); });
    logs.push_back(channel.log_);
  }
  EXPECT_EQ(logs[0], logs[1]);
}

// ------------------------------------------------------------------------------------------------ write queue

TEST(WriteQueue, ARequestWhoseRowWasOpenedForItFinishesAcrossATurn) {
  const auto parameters = gddr5({"write_queue_entries=8", "write_drain_high=6", "write_drain_low=2"});
  Channel channel(parameters);
  channel.check(parameters);
  channel.add(request(50, false, 0, 1, 0));
  channel.run(1000, 1002);
  channel.add(request(51, false, 4, 3, 0));  // a waiting read, so that writes are not served for lack of reads
  for (std::uint32_t i = 0; i < 6; ++i) channel.add(request(i, true, 0, 2, i));
  channel.run(1003);
  EXPECT_EQ(channel.log_[0], (Issued{1000, DramCommand::activate, 0, 1}));
  EXPECT_EQ(channel.done_[50], 1012u + 12 + 2);
  std::vector<Issued> of_bank;
  for (const Issued& issued : channel.log_) {
    if (issued.bank == 0) of_bank.push_back(issued);
  }
  EXPECT_EQ(of_bank[1], (Issued{1012, DramCommand::read, 0, 1}));
  EXPECT_EQ(of_bank[2], (Issued{1028, DramCommand::precharge, 0, 1}));
  EXPECT_EQ(channel->counts().activates.value(), 3u);
  EXPECT_EQ(channel.faults(), "");
}

TEST(WriteQueue, RandomRowsAreOpenedOnceARequest) {
  const auto parameters = gddr5({"write_queue_entries=64", "write_drain_high=48", "write_drain_low=16"});
  Channel channel(parameters);
  Draw draw;
  serve(channel, parameters, 20000,
        [&](unsigned i) { return request(i, draw(3) == 0, draw(16), draw(4096), draw(64)); });
  EXPECT_LE(channel->counts().activates.value(), 20000u);
}

/// Writes served before the first read that arrives after one write.
unsigned written_before_reads(const std::vector<std::string>& settings) {
  std::vector<std::string> all{"write_queue_entries=8", "write_drain_high=6", "write_drain_low=2"};
  all.insert(all.end(), settings.begin(), settings.end());
  Channel channel(gddr5(all));
  open_rows(channel);
  for (std::uint32_t i = 0; i < 5; ++i) channel.add(request(i, true, 0, 1, i));
  channel.run(2000, 2001);
  for (std::uint32_t i = 10; i < 13; ++i) channel.add(request(i, false, 4, 1, i));
  channel.run(2002);
  unsigned before = 0;
  for (std::uint32_t i = 0; i < 5; ++i) before += channel.done_[i] < channel.done_[10] ? 1 : 0;
  return before;
}

TEST(WriteQueue, WritesThatWentForWantOfReadsGiveWayOrGoOnToTheLowMark) {
  EXPECT_EQ(written_before_reads({}), 1u);
  EXPECT_EQ(written_before_reads({"write_mode_to_low=true"}), 3u);
}

// ------------------------------------------------------------------------------------------------ bounded waits

/// Waiting time of the last request of `rare`, which arrives 2,000 cycles after the start of an endless stream of
/// `common`; kNever: longer than 40,000 cycles.
Cycle wait_behind(const std::vector<std::string>& settings, const std::function<DramRequest(unsigned)>& common,
                  const DramRequest& rare) {
  const auto parameters = gddr5(settings);
  Channel channel(parameters);
  channel.check(parameters);
  unsigned added = 0;
  const Cycle comes = 3000;
  bool waits = false;
  for (Cycle now = 1000; now < comes + 40000; ++now) {
    DramRequest next = common(added);
    for (; !channel->full(next.write) && (waits || now < comes || channel->queue().size() < 60); next = common(added)) {
      next.token = ++added;
      next.arrival = now;
      channel.add(next);
    }
    if (!waits && now >= comes && !channel->full(rare.write)) {
      DramRequest last = rare;
      last.arrival = now;
      last.token = 0;
      channel.add(last);
      waits = true;
    }
    channel.step(now);
    if (channel.done_.count(0) != 0) {
      EXPECT_EQ(channel.faults(), "");
      return channel.done_[0] - comes;
    }
  }
  return kNever;
}

/// Hits in the open rows of two banks, one per group.
std::function<DramRequest(unsigned)> hits(bool write) {
  return [write](unsigned i) { return request(0, write, i % 2 * 4, 1, i % 32); };
}

TEST(BoundedWait, OfARowHitBehindHitsOfTheOtherDirection) {
  // Older requests in the queue and turn_cap others at two cycles each, and the turnaround.
  for (const bool write : {false, true}) {
    EXPECT_LE(wait_behind({"age_cap=0"}, hits(write), request(0, !write, 0, 1, 60)), (64u + 256) * 2 + 64) << write;
    EXPECT_LE(wait_behind({"age_cap=0", "turn_cap=16"}, hits(write), request(0, !write, 0, 1, 60)),
              (64u + 16) * 2 + 64);
  }
}

TEST(BoundedWait, OfARowMissBehindHits) {
  for (const bool write : {false, true}) {
    for (const bool rare : {false, true}) {
      EXPECT_LE(wait_behind({}, hits(write), request(0, rare, 0, 2, 60)), 10000u + 100);
      EXPECT_LE(wait_behind({"age_cap=500"}, hits(write), request(0, rare, 0, 2, 60)), 500u + 100);
      EXPECT_GE(wait_behind({"age_cap=500"}, hits(write), request(0, rare, 0, 2, 60)), 500u);
      EXPECT_EQ(wait_behind({"age_cap=0"}, hits(write), request(0, rare, 0, 2, 60)), kNever);
    }
  }
}

const std::vector<std::string> kSplit = {"write_queue_entries=64", "write_drain_high=48", "write_drain_low=16"};

TEST(BoundedWait, OfAReadBehindADrainThatNeverEnds) {
  std::vector<std::string> uncapped = kSplit;
  uncapped.push_back("age_cap=0");
  EXPECT_LE(wait_behind(uncapped, hits(true), request(0, false, 0, 1, 60)), 64u * 2 + 64);
}

TEST(BoundedWait, OfAWriteBehindReadsThatNeverCease) {
  // One write never reaches the high mark.
  EXPECT_LE(wait_behind(kSplit, hits(false), request(0, true, 0, 1, 60)), 10000u + 100);
  EXPECT_LE(wait_behind(kSplit, hits(false), request(0, true, 0, 2, 60)), 10000u + 100);
}

TEST(BoundedWait, OfAllInAStreamOfRandomRows) {
  for (const bool split : {false, true}) {
    std::vector<std::string> settings = split ? kSplit : std::vector<std::string>{};
    settings.push_back("age_cap=3000");
    const auto parameters = gddr5(settings);
    Channel channel(parameters);
    std::vector<Cycle> arrivals(6000);
    Draw draw;
    unsigned added = 0;
    Cycle longest = 0;
    DramRequest next = request(0, false, 0, 0, 0);
    for (Cycle now = 1000; channel.done_.size() < arrivals.size() && now < 1000000; ++now) {
      while (added < arrivals.size() && !channel->full(next.write)) {
        arrivals[added] = next.arrival = now;
        channel.add(next);
        ++added;
        next = request(added, draw(2) == 0, draw(4), draw(3) == 0 ? draw(50) : 1, draw(64));
      }
      channel.step(now);
    }
    ASSERT_EQ(channel.done_.size(), arrivals.size());
    for (const auto& [token, done] : channel.done_) longest = std::max(longest, done - arrivals[token]);
    EXPECT_LE(longest, 3000u + 128 * 50);
  }
}

}  // namespace
}  // namespace heddle::memory
