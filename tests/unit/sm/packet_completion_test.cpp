// SPDX-License-Identifier: Apache-2.0
// When packets of the memory stage are complete, what is reported of those that are not, what is counted.
#include "sm/memory/packet_completion.h"

#include <gmock/gmock.h>

#include "memory_packets.h"
#include "sm/memory/memory_reporter.h"
#include "sm/memory/memory_requests.h"
#include "sm/memory/memory_statistics.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using isa::Space;
using testing::ElementsAre;

/// Groups whose transactions were sent.
class WaitingPackets : public MemoryPackets {
 protected:
  std::uint32_t sent(const std::vector<Packet*>& packets) {
    const std::uint32_t index = group_of(packets);
    AccessGroup& group = table_[index];
    completion_.sealed(group);
    for (; !group.all_sent(); ++group.sent) payloads_.push_back(&requests_.take(group, index, false));
    return index;
  }
  /// The reply to a request that was sent.
  void reply(std::size_t request, Cycle visible, CachePath path = CachePath::data) {
    completion_.reply(path, *payloads_[request], visible);
  }
  std::vector<Packet*> finished(std::size_t room = 99) {
    std::vector<Packet*> packets;
    completion_.finish([&](const PacketHandle& packet) {
      if (packets.size() == room) return false;
      packets.push_back(&*packet);
      return true;
    });
    return packets;
  }

  MemoryRequests requests_{SmId(0)};
  PacketCompletion completion_{table_, true};
  std::vector<tlm::tlm_generic_payload*> payloads_;
};

using PacketCompletionTest = WaitingPackets;

TEST_F(PacketCompletionTest, APacketIsCompleteWithItsLastLineAndNotBefore) {
  Packet& one = load(0x1000, 8);
  sent({&one});
  reply(1, 20);
  EXPECT_EQ(completion_.take_replies(20), 1u);
  EXPECT_THAT(finished(), ElementsAre());
  reply(0, 22);
  EXPECT_EQ(completion_.take_replies(21), 0u) << "it counts from the next cycle on";
  EXPECT_EQ(completion_.take_replies(22), 1u);
  EXPECT_THAT(finished(), ElementsAre(&one));
  EXPECT_EQ(requests_.outstanding(), 0u);
}

TEST_F(PacketCompletionTest, PacketsOfAGroupCompleteOneByOne) {
  Packet &first = load(0x1000), &second = load(0x1000, 8);
  sent({&first, &second});
  reply(0, 20);
  completion_.take_replies(20);
  EXPECT_THAT(finished(), ElementsAre(&first));
  EXPECT_EQ(second.outstanding, 1u);
  reply(1, 30);
  completion_.take_replies(30);
  EXPECT_THAT(finished(), ElementsAre(&second));
}

TEST_F(PacketCompletionTest, ThePlaceOfAGroupIsFreeWithItsLastReply) {
  const std::uint32_t index = sent({&load(0x1000, 8)});
  reply(0, 20);
  completion_.take_replies(20);
  EXPECT_NE(group_of({&load(0)}), index);
  reply(1, 20);
  completion_.take_replies(20);
  EXPECT_EQ(group_of({&load(0)}), index);
}

TEST_F(PacketCompletionTest, APacketWithoutTransactionsIsCompleteAtOnceAndLeavesItsGroup) {
  Packet &none = store(0x1000, 4, 0), &some = store(0x1000);
  const std::uint32_t index = sent({&none, &some});
  EXPECT_THAT(finished(), ElementsAre(&none));
  completion_.sent(table_[index]);
  EXPECT_THAT(finished(), ElementsAre(&some));
}

TEST_F(PacketCompletionTest, RepliesToStoresCompleteNothing) {
  sent({&store(0x1000)});
  reply(0, 20);
  EXPECT_EQ(completion_.take_replies(20), 1u);
  EXPECT_THAT(finished(), ElementsAre());
  EXPECT_EQ(requests_.outstanding(), 0u);
}

TEST_F(PacketCompletionTest, RepliesOfACycleCountByPathWhateverTheOrderOfTheCaches) {
  Packet &data = load(0x1000), &constant = packet(Opcode::ld, Space::constant, 0x1000, 0);
  sent({&data});
  sent({&constant});
  reply(1, 20, CachePath::constant);
  reply(0, 20, CachePath::data);
  completion_.take_replies(20);
  EXPECT_THAT(finished(), ElementsAre(&data, &constant));
}

TEST_F(PacketCompletionTest, PacketsWaitForRoomInOrder) {
  Packet &first = store(0x1000, 4, 0), &second = store(0x1000, 4, 0);
  sent({&first});
  sent({&second});
  EXPECT_THAT(finished(1), ElementsAre(&first));
  EXPECT_EQ(completion_.ended(), 1u);
  EXPECT_THAT(finished(1), ElementsAre(&second));
}

/// A link to the issue stage.
struct Reports {
  bool can_send() const { return sent.size() < room; }
  void send(MemoryReport& report) { sent.push_back(report); }
  std::vector<MemoryReport> sent;
  std::size_t room = 99;
};

class MemoryReporterTest : public WaitingPackets {
 protected:
  /// All that has been reported, in order.
  std::vector<Packet*> reported() const {
    std::vector<Packet*> packets;
    for (const MemoryReport& report : link_.sent) packets.push_back(&*report.packet);
    return packets;
  }
  Reports link_;
};

TEST_F(MemoryReporterTest, ReportsAMissOncePerPacketFromTheCycleInWhichItCounts) {
  MemoryReporter reporter(table_, {.misses = true});
  reporter.expect_misses(CachePath::data);
  Packet& one = load(0x1000, 8);
  const std::uint32_t index = sent({&one});
  EXPECT_TRUE(reporter.asks(table_[index]));
  reporter.missed({index, 0}, 20);
  reporter.missed({index, 1}, 21);
  reporter.take_misses(19);
  EXPECT_EQ(reporter.report(19, link_), kNever);
  EXPECT_THAT(reported(), ElementsAre());
  for (const Cycle now : {20, 21}) {
    reporter.take_misses(now);
    EXPECT_EQ(reporter.report(now, link_), kNever);
  }
  EXPECT_THAT(reported(), ElementsAre(&one));
}

TEST_F(MemoryReporterTest, AMissIsOfThePacketsThatTheLineServes) {
  MemoryReporter reporter(table_, {.misses = true});
  Packet &first = load(0x1000), &second = load(0x1000, 8);
  const std::uint32_t index = sent({&first, &second});
  reporter.missed({index, 1}, 20);
  reporter.take_misses(20);
  reporter.report(20, link_);
  EXPECT_THAT(reported(), ElementsAre(&second));
}

TEST_F(MemoryReporterTest, WhereTheCacheTellsNothingEveryLoadMissesWhenItIsSent) {
  MemoryReporter reporter(table_, {.misses = true});
  Packet &one = load(0x1000), &other = store(0x1000);
  for (Packet* packet : {&one, &other}) {
    AccessGroup& group = table_[sent({packet})];
    group.sent = 0;
    EXPECT_FALSE(reporter.asks(group));
    reporter.sending(group);
  }
  reporter.report(20, link_);
  EXPECT_THAT(reported(), ElementsAre(&one)) << "nobody waits for the store";
}

TEST_F(MemoryReporterTest, NobodyAsksWhereMissesAreNotWanted) {
  MemoryReporter reporter(table_, {});
  reporter.expect_misses(CachePath::data);
  AccessGroup& group = table_[sent({&load(0x1000)})];
  EXPECT_FALSE(reporter.asks(group));
  group.sent = 0;
  reporter.sending(group);
  reporter.report(20, link_);
  EXPECT_THAT(reported(), ElementsAre());
}

TEST_F(MemoryReporterTest, AMissThatWaitsForRoomIsForgottenWhenTheLinesAreThere) {
  MemoryReporter reporter(table_, {.misses = true});
  Packet &first = load(0x1000), &second = load(0x2000);
  for (Packet* packet : {&first, &second}) reporter.missed({sent({packet}), 0}, 20);
  reporter.take_misses(20);
  link_.room = 0;
  EXPECT_EQ(reporter.report(20, link_), 21u);
  reply(0, 21);
  completion_.take_replies(21);
  link_.room = 1;
  EXPECT_EQ(reporter.report(21, link_), kNever);
  EXPECT_THAT(reported(), ElementsAre(&second));
}

/// Which threads have their data 5 cycles after a load of two lines was sent in cycle 10: thread 15 is the last of the
/// first line.
class Returns : public MemoryReporterTest {
 protected:
  std::uint32_t start(Packet& packet) {
    const std::uint32_t index = sent({&packet});
    reporter_.sent(index, 10);
    return index;
  }
  void came(std::size_t request, Cycle now) {
    reply(request, now);
    completion_.take_replies(now);
  }
  MemoryReporter reporter_{table_, {.return_wait = 5}};
};

TEST_F(Returns, AreTheThreadsWhoseLinesAreBackWhenTheWaitIsOver) {
  start(load(0x1000, 8));
  EXPECT_EQ(reporter_.report(10, link_), 15u);
  came(0, 12);
  EXPECT_EQ(reporter_.report(14, link_), 15u);
  EXPECT_TRUE(link_.sent.empty());
  EXPECT_EQ(reporter_.report(15, link_), kNever);
  ASSERT_EQ(link_.sent.size(), 1u);
  EXPECT_EQ(link_.sent[0].what, MemoryReport::What::returned);
  EXPECT_EQ(link_.sent[0].threads.count(), 16u);
  EXPECT_TRUE(link_.sent[0].threads.test(15));
}

TEST_F(Returns, AThreadHasItsDataOnlyWithBothLinesOfItsAccess) {
  Packet& one = load(0x1000, 8);
  op_of(one).vector_width = 4;
  start(one);
  came(0, 12);
  reporter_.report(15, link_);
  ASSERT_EQ(link_.sent.size(), 1u);
  EXPECT_EQ(link_.sent[0].threads.count(), 15u) << "the last thread's 16 bytes end in the second line";
}

TEST_F(Returns, AreNotReportedOfALoadThatHasAllOrNothing) {
  start(load(0x1000, 8));
  start(load(0x3000, 8));
  came(0, 12);
  came(1, 12);
  reporter_.report(15, link_);
  EXPECT_TRUE(link_.sent.empty());
}

TEST_F(Returns, AreNotThoseOfAnotherGroupThatTookThePlace) {
  const std::uint32_t index = start(load(0x1000, 8));
  came(0, 12);
  came(1, 12);
  EXPECT_EQ(sent({&load(0x3000, 8)}), index);
  came(2, 13);
  reporter_.report(15, link_);
  EXPECT_TRUE(link_.sent.empty());
}

TEST_F(Returns, WaitForRoomAndAreThenWhatIsThere) {
  start(load(0x1000, 12));
  came(0, 12);
  link_.room = 0;
  EXPECT_EQ(reporter_.report(15, link_), 16u);
  came(1, 16);
  link_.room = 1;
  EXPECT_EQ(reporter_.report(16, link_), kNever);
  ASSERT_EQ(link_.sent.size(), 1u);
  EXPECT_EQ(link_.sent[0].threads.count(), 22u) << "the last of them reads bytes 252 to 255 of the first 256";
}

TEST_F(Returns, AreWatchedOfLoadsWithSeveralLinesOnly) {
  start(load(0x1000));
  start(packet(Opcode::atom, Space::global, 0x1000, 128));
  EXPECT_EQ(reporter_.report(10, link_), kNever);
}

class MemoryStatisticsTest : public MemoryPackets {
 protected:
  std::uint64_t counted(const std::string& name) const { return owner_.data()[owner_.number_of("memory." + name)]; }
  void seal(Packet& packet) { statistics_.sealed(table_[group_of({&packet})]); }

  StatisticsOwner owner_{"sm0"};
  MemoryStatistics statistics_{owner_};
};

TEST_F(MemoryStatisticsTest, CountAccessesByKind) {
  seal(load(0x1000, 64));
  seal(store(0x1000));
  seal(packet(Opcode::red, Space::global, 0x1000));
  seal(packet(Opcode::atom, Space::global, 0x1000));
  seal(packet(Opcode::ld, Space::constant, 0x1000, 0));
  EXPECT_EQ(counted("accesses"), 5u);
  EXPECT_EQ(counted("loads"), 2u);
  EXPECT_EQ(counted("stores"), 2u);
  EXPECT_EQ(counted("atomics"), 1u);
  EXPECT_EQ(counted("partial_accesses"), 0u);
}

TEST_F(MemoryStatisticsTest, AnAccessIsPartialWhereLivingThreadsOfTheWarpStayAway) {
  seal(load(0x1000, 4, 0xff));
  seal(load(0x1000, 4, 0x1));
  EXPECT_EQ(counted("partial_accesses"), 2u);
  EXPECT_EQ(counted("partial_coalesced"), 1u) << "one thread has nothing to coalesce with";
  warp_.live = 0xff;
  seal(load(0x1000, 4, 0xff));
  EXPECT_EQ(counted("partial_accesses"), 2u);
}

TEST_F(MemoryStatisticsTest, ANarrowWarpCountsItsOwnThreadsOnly) {
  for (const std::uint32_t absent : {0u, 1u << 14}) {
    Packet& one = load(0x1000, 4, 0xff00 & ~absent);
    one.words[0].own = 0xff00;
    seal(one);
    EXPECT_EQ(counted("partial_accesses"), absent == 0 ? 0u : 1u);
  }
}

TEST_F(MemoryStatisticsTest, StallsCountInCyclesInWhichTheStageSleepsToo) {
  statistics_.begin(10);
  statistics_.stalled(1);
  statistics_.sleeps(2);
  EXPECT_EQ(counted("port_stalls"), 1u);
  statistics_.settle(12);
  EXPECT_EQ(counted("port_stalls"), 5u);
  statistics_.begin(14);
  EXPECT_EQ(counted("port_stalls"), 7u) << "cycle 13; the stage itself counts cycle 14";
  statistics_.sleeps(0);
  statistics_.begin(20);
  EXPECT_EQ(counted("port_stalls"), 7u);
}

}  // namespace
}  // namespace heddle::sm
