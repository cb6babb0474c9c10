// SPDX-License-Identifier: Apache-2.0
// Which packets coalesce together, and what becomes of their group: transactions, their turn, requests.
#include "sm/memory/open_groups.h"

#include <gmock/gmock.h>

#include "memory_packets.h"
#include "sm/memory/memory_requests.h"
#include "sm/memory/transaction_queue.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using isa::Space;
using testing::ElementsAre;

class OpenGroupsTest : public MemoryPackets {
 protected:
  /// Adds packets of one access group; returns the number of packets of each group that they become.
  std::vector<std::size_t> sizes(const std::vector<Packet*>& packets) {
    for (Packet* packet : packets) {
      packet->access_group = 7;
      open_.add(*packet);
    }
    return sealed();
  }
  std::vector<std::size_t> sealed() {
    std::vector<std::size_t> sizes;
    open_.seal([&](std::uint32_t index) { sizes.push_back(table_[index].packets.size()); });
    return sizes;
  }
};

TEST_F(OpenGroupsTest, PacketsOfOneAccessGroupShareTransactions) {
  const AccessGroup& group = table_[group_of({&load(0x1000, 4, 0xffff), &load(0x1000, 4, 0xffff0000)})];
  ASSERT_EQ(group.packets.size(), 2u);
  ASSERT_EQ(group.transactions.size(), 1u);
  EXPECT_EQ(group.transactions[0].threads, 32u);
  EXPECT_EQ(group.transactions[0].members, 0b11u);
  EXPECT_EQ(group.pc, 1u) << "of the first";
}

TEST_F(OpenGroupsTest, PacketsOfOtherAccessGroupsDoNot) {
  open_.add(load(0x1000));
  open_.add(load(0x1000));
  EXPECT_THAT(sealed(), ElementsAre(1, 1));
}

TEST_F(OpenGroupsTest, LoadsAndStoresOfOneAccessGroupStayApart) {
  EXPECT_THAT(sizes({&load(0x1000), &store(0x1000), &load(0x2000)}), ElementsAre(2, 1));
}

TEST_F(OpenGroupsTest, SoDoLocalAndCoherentLoads) {
  Packet& coherent = load(0x1000);
  op_of(coherent).cache_op = isa::CacheOp::cg;
  EXPECT_THAT(sizes({&load(0x1000), &packet(Opcode::ld, Space::local, 0), &coherent}), ElementsAre(1, 1, 1));
}

TEST_F(OpenGroupsTest, AGroupOfSixtyFourPacketsIsFull) {
  std::vector<Packet*> packets;
  for (unsigned i = 0; i < 65; ++i) packets.push_back(&load(0x1000 + 128 * i, 0));
  EXPECT_THAT(sizes(packets), ElementsAre(64, 1));
}

TEST_F(OpenGroupsTest, AGroupIsOpenUntilItIsSealed) {
  open_.add(load(0x1000));
  EXPECT_EQ(open_.closing(), 1u);
  sealed();
  EXPECT_EQ(open_.closing(), 0u);
  EXPECT_THAT(sizes({&load(0x1000)}), ElementsAre(1)) << "nothing of the last";
}

class AccessOverCycles : public OpenGroupsTest {
 protected:
  /// The packet as one of `packets` of an access over several cycles.
  static Packet& of(Packet& packet, unsigned packets, std::uint64_t access = 9) {
    packet.access_group = access;
    packet.access_packets = static_cast<std::uint8_t>(packets);
    return packet;
  }
};

TEST_F(AccessOverCycles, IsOpenUntilItsLastPacketHasCome) {
  open_.add(of(load(0x1000, 4, 0xff), 3));
  EXPECT_THAT(sealed(), ElementsAre());
  open_.add(of(load(0x1000, 4, 0xff00), 3));
  EXPECT_THAT(sealed(), ElementsAre());
  open_.add(of(load(0x1000, 4, 0xff0000), 3));
  std::uint32_t index = 0;
  open_.seal([&](std::uint32_t of_all) { index = of_all; });
  ASSERT_EQ(table_[index].packets.size(), 3u);
  ASSERT_EQ(table_[index].transactions.size(), 1u) << "head and tail coalesce";
  EXPECT_EQ(table_[index].transactions[0].threads, 24u);
  EXPECT_EQ(table_[index].transactions[0].members, 0b111u);
  open_.add(of(load(0x1000), 2));
  EXPECT_THAT(sealed(), ElementsAre()) << "nothing is left of the access before";
}

TEST_F(AccessOverCycles, OfOnePacketIsNotKept) {
  open_.add(of(load(0x1000), 1));
  EXPECT_THAT(sealed(), ElementsAre(1));
}

TEST_F(AccessOverCycles, LetsOthersPass) {
  open_.add(of(load(0x1000), 2));
  open_.add(load(0x1000));
  open_.add(of(load(0x1000), 2, 10));
  EXPECT_EQ(open_.closing(), 1u);
  EXPECT_THAT(sealed(), ElementsAre(1));
  open_.add(of(load(0x2000), 2, 10));
  EXPECT_EQ(open_.closing(), 1u);
  EXPECT_THAT(sealed(), ElementsAre(2));
  open_.add(of(load(0x2000), 2));
  EXPECT_THAT(sealed(), ElementsAre(2));
}

TEST_F(AccessOverCycles, DoesNotWaitForPacketsThatAccessSharedMemoryOnly) {
  open_.add(of(load(0x1000), 3));
  open_.passes_by(of(load(0x1000), 3));
  EXPECT_THAT(sealed(), ElementsAre());
  open_.passes_by(of(load(0x1000), 3));
  EXPECT_THAT(sealed(), ElementsAre(1));
  open_.passes_by(of(load(0x1000), 2));
  open_.add(of(load(0x1000), 2));
  EXPECT_THAT(sealed(), ElementsAre(1)) << "in the other order, too";
}

TEST_F(AccessOverCycles, ClosesAllItsGroupsAtOnce) {
  open_.add(of(load(0x1000), 3));
  open_.add(of(packet(Opcode::ld, Space::local, 0), 3));
  EXPECT_THAT(sealed(), ElementsAre());
  open_.add(of(load(0x1000), 3));
  EXPECT_THAT(sealed(), ElementsAre(2, 1));
}

TEST_F(AccessOverCycles, AwaitsItsOwnPacketsOnly) {
  EXPECT_FALSE(open_.awaits(of(load(0x1000), 2))) << "the first is not awaited";
  open_.add(of(load(0x1000), 2));
  EXPECT_TRUE(open_.awaits(of(load(0x1000), 2)));
  EXPECT_FALSE(open_.awaits(of(load(0x1000), 2, 10)));
  EXPECT_FALSE(open_.awaits(load(0x1000)));
}

TEST_F(OpenGroupsTest, ConstantsCoalesceByTheirOwnLine) {
  EXPECT_EQ(table_[group_of({&packet(Opcode::ld, Space::constant, 0x1000)})].transactions.size(), 2u);
  EXPECT_EQ(table_[group_of({&load(0x1000)})].transactions.size(), 1u);
}

TEST_F(OpenGroupsTest, LanesInSharedMemoryMakeNoTransactions) {
  Packet& mixed = packet(Opcode::ld, Space::generic, 0x1000, 128);
  mixed.memory->addresses[0].shared_lanes = 0xfffffff0;
  EXPECT_EQ(table_[group_of({&mixed})].transactions.size(), 4u);
}

TEST_F(OpenGroupsTest, StoresSayWhichTransactionsTheyFill) {
  const AccessGroup& group = table_[group_of({&store(0x1000), &store(0x1080, 4, 1)})];
  EXPECT_THAT(group.partial, ElementsAre(false, true));
  EXPECT_TRUE(table_[group_of({&load(0x1000, 4, 1)})].partial.empty());
}

TEST_F(OpenGroupsTest, TexelsAreLinesOfTheirOwnSize) {
  Packet& fetch = packet(Opcode::tex, Space::none, 0, 0, 0);
  isa::Addresses texels = load(0x2000, 128).memory->addresses[0];
  texels.bytes = 4;
  fetch.memory->texels.push_back(texels);
  EXPECT_EQ(table_[group_of({&fetch})].transactions.size(), 32u);
}

TEST_F(OpenGroupsTest, TexelsCoalesceByTheLineOfTheirCache) {
  CoalescerParameters parameters;
  parameters.texture_line_bytes = 32;
  OpenGroups by_line(parameters, table_);
  Packet& fetch = packet(Opcode::tex, Space::none, 0, 0, 0);
  fetch.memory->texels.push_back(load(0x2000, 256).memory->addresses[0]);
  fetch.memory->texels[0].mask = 0b11;
  by_line.add(fetch);
  by_line.add(load(0x1000));
  std::vector<std::vector<unsigned>> bytes;
  by_line.seal([&](std::uint32_t index) {
    bytes.emplace_back();
    for (const Transaction& transaction : table_[index].transactions) bytes.back().push_back(transaction.bytes);
  });
  EXPECT_THAT(bytes, ElementsAre(ElementsAre(32, 32), ElementsAre(128)));
}

TEST_F(OpenGroupsTest, APlaceThatIsFreeIsTakenAgainUnderAnotherNumber) {
  const std::uint32_t first = group_of({&load(0x1000)});
  const std::uint64_t number = table_[first].number;
  table_.free(first);
  EXPECT_EQ(group_of({&load(0x1000, 128)}), first);
  EXPECT_NE(table_[first].number, number);
  EXPECT_EQ(table_[first].sent, 0u);
}

class TransactionQueueTest : public MemoryPackets {
 protected:
  /// One cycle: the groups that send a transaction, and those paths that were stalled.
  std::vector<std::uint32_t> cycle(unsigned most = 3) {
    std::vector<std::uint32_t> sent;
    stalled_ = queue_.arbitrate(
        most, [this](CachePath path) { return path != busy_; },
        [&](std::uint32_t index, CachePath) {
          sent.push_back(index);
          ++table_[index].sent;
          return !table_[index].all_sent();
        });
    return sent;
  }
  std::uint32_t queued(Packet& packet) {
    const std::uint32_t index = group_of({&packet});
    queue_.add(index, table_[index].what.path);
    return index;
  }
  static constexpr CachePath kNone{7};

  TransactionQueue queue_;
  CachePath busy_ = kNone;
  unsigned stalled_ = 0;
};

TEST_F(TransactionQueueTest, SendsOneTransactionOfAPathACycleInOrder) {
  const std::uint32_t first = queued(load(0x1000, 64)), second = queued(load(0x1000));
  EXPECT_EQ(table_[first].transactions.size(), 16u);
  for (unsigned i = 0; i < 16; ++i) EXPECT_THAT(cycle(), ElementsAre(first)) << i;
  EXPECT_THAT(cycle(), ElementsAre(second));
  EXPECT_THAT(cycle(), ElementsAre());
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(TransactionQueueTest, PathsWorkSideBySideUpToTheNumberOfPorts) {
  const std::uint32_t data = queued(load(0x1000)), constant = queued(packet(Opcode::ld, Space::constant, 0x1000, 0));
  EXPECT_THAT(cycle(1), ElementsAre(data));
  EXPECT_EQ(queue_.size(), 1u);
  const std::uint32_t more = queued(load(0x1000));
  EXPECT_THAT(cycle(2), ElementsAre(constant, more));
}

TEST_F(TransactionQueueTest, ABusyPathStallsOnceHoweverManyGroupsWait) {
  const std::uint32_t first = queued(load(0x1000));
  queued(load(0x2000));
  const std::uint32_t constant = queued(packet(Opcode::ld, Space::constant, 0x1000, 0));
  busy_ = CachePath::data;
  EXPECT_THAT(cycle(), ElementsAre(constant)) << "it overtakes";
  EXPECT_EQ(stalled_, 1u);
  busy_ = kNone;
  EXPECT_THAT(cycle(), ElementsAre(first));
  EXPECT_EQ(stalled_, 0u) << "the second group waits for its turn, not for the port";
}

TEST_F(TransactionQueueTest, NamesEachPathOnWhichAGroupWaitsOnce) {
  queued(load(0x1000));
  queued(packet(Opcode::tex, Space::none, 0));
  queued(load(0x1000));
  std::vector<CachePath> paths;
  queue_.for_paths([&paths](CachePath path) { paths.push_back(path); });
  EXPECT_THAT(paths, ElementsAre(CachePath::data, CachePath::texture));
}

class MemoryRequestsTest : public MemoryPackets {
 protected:
  RequestInfo info_of(std::uint32_t group, bool reports_miss = false) {
    tlm::tlm_generic_payload& payload = requests_.take(table_[group], group, reports_miss);
    const RequestInfo info = *RequestInfo::of(payload);
    write_ = payload.is_write();
    address_ = payload.get_address();
    payload.release();
    return info;
  }
  MemoryRequests requests_{SmId(5)};
  bool write_ = false;
  std::uint64_t address_ = 0;
};

TEST_F(MemoryRequestsTest, CarryTheNextTransactionAndWhoAsked) {
  Packet& one = load(0x1000, 64);
  one.warp = WarpId(9);
  const std::uint32_t group = group_of({&one});
  table_[group].sent = 2;
  const RequestInfo info = info_of(group, true);
  EXPECT_EQ(address_, 0x1100u);
  EXPECT_FALSE(write_);
  EXPECT_EQ(info.sm, 5);
  EXPECT_EQ(info.warp, 9u);
  EXPECT_EQ(info.pc, op_of(one).pc);
  EXPECT_TRUE(info.reports_miss);
  const AccessTag tag(info.access);
  EXPECT_EQ(tag.group(), group);
  EXPECT_EQ(tag.transaction(), 2u);
}

TEST_F(MemoryRequestsTest, OfStoresNameNobodyWhoWaits) {
  const RequestInfo info = info_of(group_of({&store(0x1000, 4, 1)}));
  EXPECT_TRUE(write_);
  EXPECT_TRUE(info.partial);
  EXPECT_EQ(info.access, 0u);
}

TEST_F(MemoryRequestsTest, KeepARowOpenForAnyLoadThatAsks) {
  Packet &first = load(0x1000, 4, 0xffff), &second = load(0x1000, 128, 0x3);
  op_of(second).row_hint = true;
  const std::uint32_t group = group_of({&first, &second});
  EXPECT_TRUE(info_of(group).keep_row_open) << "a line of both";
  op_of(second).row_hint = false;
  op_of(first).row_hint = true;
  table_[group].sent = 1;
  EXPECT_FALSE(info_of(group).keep_row_open) << "a line of the second alone";
}

TEST_F(MemoryRequestsTest, AreOutstandingUntilTheyAreReleased) {
  const std::uint32_t group = group_of({&load(0x1000)});
  tlm::tlm_generic_payload& payload = requests_.take(table_[group], group, false);
  EXPECT_EQ(requests_.outstanding(), 1u);
  payload.release();
  EXPECT_EQ(requests_.outstanding(), 0u);
}

}  // namespace
}  // namespace heddle::sm
