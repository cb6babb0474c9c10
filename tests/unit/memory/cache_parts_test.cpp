// SPDX-License-Identifier: Apache-2.0
// The parts of a cache, each alone: outstanding misses, stalled look-ups, open requests, requests below, port times.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "memory/cache/look_up_stalls.h"
#include "memory/cache/open_requests.h"
#include "memory/cache/outstanding_misses.h"
#include "memory/cache/port_times.h"
#include "memory/cache/requests_below.h"

namespace heddle::memory {
namespace {

constexpr Requester warp(unsigned number) { return {SmId(0), WarpId(number)}; }

/// A statistics owner.
struct Counted {
  Statistics all;
  StatisticsOwner owner{all, "cache", "cache"};
  CacheCounts counts{StatisticsGroup(owner, "main")};
};

TEST(OutstandingMisses, ARequestAsksOnlyForSectorsThatNobodyAskedForYet) {
  OutstandingMisses misses({8, 4, true});
  misses.begin(100, 0b0110, warp(1), 70, 5);
  EXPECT_EQ(misses.find(100, 0b1111, warp(2)).fresh, 0b1001u);
  EXPECT_EQ(misses.find(100, 0b0110, warp(2)).fresh, 0u);
  EXPECT_EQ(misses.used(), 2u);
  EXPECT_EQ(misses.free_entries(), 6u);
}

TEST(OutstandingMisses, ASectorComesToAllWhoWaitedInTheOrderInWhichTheyCame) {
  OutstandingMisses misses({8, 4, true});
  misses.begin(100, 0b01, warp(1), 70, 5);
  std::vector<std::uint32_t> below, waiting;
  misses.merge(100, 0b01, warp(2), 71, [&](std::uint32_t id) { below.push_back(id); });
  misses.merge(100, 0b01, warp(3), 72, [&](std::uint32_t id) { below.push_back(id); });
  EXPECT_EQ(below, (std::vector<std::uint32_t>{5, 5}));
  misses.end(100, warp(1), [&](std::uint32_t id) { waiting.push_back(id); });
  EXPECT_EQ(waiting, (std::vector<std::uint32_t>{70, 71, 72}));
  EXPECT_EQ(misses.used(), 0u);
}

TEST(OutstandingMisses, AnEntryThatTakesNoMoreIsNamedAndTheSameThatEnds) {
  OutstandingMisses misses({8, 2, true});
  misses.begin(100, 0b01, warp(1), 70, 5);
  misses.merge(100, 0b01, warp(2), 71, [](std::uint32_t) {});
  const auto full = misses.find(100, 0b11, warp(3)).full;
  EXPECT_NE(full, MissTable::kNone);
  EXPECT_EQ(misses.end(100, warp(1), [](std::uint32_t) {}), full);
  EXPECT_EQ(misses.find(100, 0b11, warp(3)).full, MissTable::kNone);
}

TEST(OutstandingMisses, AMissThatNobodyWaitsForEndsWithoutAVisit) {
  OutstandingMisses misses({8, 2, true});
  misses.begin(40, 0b11, warp(1), OutstandingMisses::kNobody, 3);
  EXPECT_TRUE(misses.any_under_way(40, 0b10, warp(9)));
  unsigned visits = 0;
  misses.end(40, warp(1), [&](std::uint32_t) { ++visits; });
  misses.end(41, warp(1), [&](std::uint32_t) { ++visits; });
  EXPECT_EQ(visits, 0u);
  EXPECT_FALSE(misses.any_under_way(40, 0b11, warp(9)));
}

TEST(OutstandingMisses, WithoutMergingAnotherWarpFindsNothingUnderWay) {
  OutstandingMisses misses({8, 4, false});
  misses.begin(100, 0b01, warp(1), 70, 5);
  EXPECT_EQ(misses.find(100, 0b01, warp(1)).fresh, 0u);
  EXPECT_EQ(misses.find(100, 0b01, warp(2)).fresh, 0b01u);
}

TEST(LookUpStalls, WhatIsFreedBehindTheLookUpsCountsFromTheNextCycle) {
  Counted counted;
  LookUpStalls stalls(1, counted.counts);
  EXPECT_FALSE(stalls.stall(0, Stall::miss_table, 10));
  EXPECT_TRUE(stalls.stalled(0));
  EXPECT_FALSE(stalls.resume(Stall::miss_table, 14));  // in this cycle: no wake-up needed
  EXPECT_FALSE(stalls.stalled(0));
  EXPECT_EQ(counted.counts.stalls.miss_table.value(), 4u);
  stalls.stall(0, Stall::replies, 20);
  EXPECT_TRUE(stalls.resume(Stall::replies, 24));
  EXPECT_EQ(counted.counts.stalls.replies.value(), 5u);
}

TEST(LookUpStalls, OnlyWhoWaitsForThisEntryOrSetResumes) {
  Counted counted;
  LookUpStalls stalls(2, counted.counts);
  stalls.stall(0, Stall::ways, 10, 3);
  stalls.stall(1, Stall::merge, 10, 3);
  stalls.resume(Stall::ways, 12, 4);
  EXPECT_EQ(stalls.count(), 2u);
  stalls.resume(Stall::ways, 12, 3);
  EXPECT_FALSE(stalls.stalled(0));
  EXPECT_TRUE(stalls.stalled(1));
}

TEST(LookUpStalls, WhoWasRefusedLongestGoesFirstAndKeepsWhatItWaitsFor) {
  Counted counted;
  LookUpStalls stalls(3, counted.counts);
  EXPECT_EQ(stalls.first(1), 1u);
  stalls.stall(2, Stall::miss_table, 10);
  stalls.stall(0, Stall::miss_queue, 11);
  EXPECT_EQ(stalls.first(1), 2u);
  EXPECT_TRUE(stalls.kept_for_elder(1, Stall::miss_table));
  EXPECT_FALSE(stalls.kept_for_elder(1, Stall::miss_queue));
  EXPECT_FALSE(stalls.kept_for_elder(2, Stall::miss_table));
  stalls.resume(Stall::miss_table, 12);
  stalls.served(2);
  EXPECT_EQ(stalls.first(1), 0u);
  EXPECT_TRUE(stalls.kept_for_elder(1, Stall::miss_queue));
}

TEST(LookUpStalls, TheTimeAtABankIsCountedOnceItIsFree) {
  Counted counted;
  LookUpStalls stalls(1, counted.counts);
  stalls.wait_for_bank(0, 5);
  stalls.wait_for_bank(0, 6);
  EXPECT_FALSE(stalls.stalled(0));
  stalls.bank_came(0, 8);
  stalls.bank_came(0, 9);
  EXPECT_EQ(counted.counts.stalls.bank.value(), 3u);
}

/// A request of a pool, as a look-up in cycle `now` sees it.
class OpenRequestsTest : public ::testing::Test {
 protected:
  CacheRequest request(AccessKind kind, Cycle now, unsigned socket = 0) {
    tlm::tlm_generic_payload& payload = pool_.take(tlm::TLM_READ_COMMAND, 0, 128);
    RequestInfo::of(payload)->kind = kind;
    taken_.push_back(&payload);
    return CacheRequest::of(payload, false, socket, now);
  }
  void TearDown() override {
    for (auto* payload : taken_) payload->release();
  }
  CacheParameters parameters_;
  PayloadPool pool_;
  std::vector<tlm::tlm_generic_payload*> taken_;
};

TEST_F(OpenRequestsTest, ARequestIsAnsweredWhenTheLastOfWhatItWaitsForIsThere) {
  PortTimes times(parameters_);
  OpenRequests open(1, parameters_, times);
  const CacheRequest one = request(AccessKind::load, 10);
  const auto id = open.wait(one, 2);
  open.looked_up(one, 12);
  open.arrived(id, tlm::TLM_OK_RESPONSE, 30);
  EXPECT_EQ(open.due(0), kNever);
  EXPECT_EQ(open.count(), 1u);
  open.arrived(id, tlm::TLM_ADDRESS_ERROR_RESPONSE, 31);
  EXPECT_EQ(open.due(0), 31u);
  const CacheReply reply = open.take(0);
  EXPECT_EQ(reply.payload, one.payload);
  EXPECT_EQ(reply.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(open.count(), 0u);
}

TEST_F(OpenRequestsTest, NothingIsAnsweredBeforeAllItsLinesAreLookedUp) {
  PortTimes times(parameters_);
  OpenRequests open(1, parameters_, times);
  const CacheRequest one = request(AccessKind::load, 10);
  const auto id = open.wait(one, 1);
  open.next_line(one);
  EXPECT_EQ(open.lines_done(0), 1u);
  open.arrived(id, tlm::TLM_OK_RESPONSE, 11);
  EXPECT_EQ(open.due(0), kNever);
  CacheRequest later = one;
  later.now = 12;
  open.looked_up(later, 14);
  EXPECT_EQ(open.due(0), 12u);
  EXPECT_EQ(open.lines_done(0), 0u);
}

TEST_F(OpenRequestsTest, TheReplyThatIsDueFirstGoesFirstAHitAmongEquals) {
  PortTimes times(parameters_);
  OpenRequests open(1, parameters_, times);
  const CacheRequest missed = request(AccessKind::load, 1), hit = request(AccessKind::load, 8);
  const auto id = open.wait(missed, 1);
  open.looked_up(missed, 2);
  open.looked_up(hit, 10);
  open.arrived(id, tlm::TLM_OK_RESPONSE, 10);
  EXPECT_EQ(open.take(0).payload, hit.payload);
  EXPECT_EQ(open.take(0).payload, missed.payload);
}

TEST_F(OpenRequestsTest, AtomicsThatAreDoneHereFollowEachOtherByTheirInterval) {
  parameters_.executes_atomics = true;
  parameters_.atomic_interval = 4;
  PortTimes times(parameters_);
  OpenRequests open(1, parameters_, times);
  const CacheRequest first = request(AccessKind::atomic, 1), second = request(AccessKind::atomic, 2);
  const auto a = open.wait(first, 1);
  open.looked_up(first, 1);
  const auto b = open.wait(second, 1);
  open.looked_up(second, 2);
  open.arrived(a, tlm::TLM_OK_RESPONSE, 20);
  open.arrived(b, tlm::TLM_OK_RESPONSE, 20);
  EXPECT_EQ(open.take(0).due, 20u);
  EXPECT_EQ(open.take(0).due, 24u);
}

TEST_F(OpenRequestsTest, RepliesOfASocketFillItsPlacesAndNobodyElses) {
  parameters_.reply_queue = 1;
  parameters_.data_latency = 1;
  PortTimes times(parameters_);
  OpenRequests open(2, parameters_, times);
  open.looked_up(request(AccessKind::load, 1), 2);
  EXPECT_TRUE(open.room(0));
  open.looked_up(request(AccessKind::load, 2), 3);
  EXPECT_FALSE(open.room(0));
  EXPECT_TRUE(open.room(1));
  EXPECT_FALSE(open.full());  // nothing has come from below
}

/// Memory below without byte enables that answers debug reads with one byte value.
class Unmasked final : public tlm::tlm_fw_transport_if<> {
 public:
  explicit Unmasked(bool has_debug) : has_debug_(has_debug) {}
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    if (!has_debug_) return 0;
    std::fill_n(payload.get_data_ptr(), payload.get_data_length(), static_cast<unsigned char>(0x5a));
    return payload.get_data_length();
  }

 private:
  bool has_debug_;
};

TEST(RequestsBelow, ARequestIsReadyAfterTheMissLatencyAndOneQueueTakesWhatItDeclares) {
  Counted counted;
  CacheParameters p;
  p.miss_latency = 3;
  p.miss_queue = 1;
  RequestsBelow below(p, counted.counts);
  EXPECT_TRUE(below.room(99));  // an empty queue accepts any number
  below.add(RequestsBelow::Kind::fill, tlm::TLM_READ_COMMAND, 0, 128, nullptr, 10);
  EXPECT_EQ(below.ready(), 13u);
  EXPECT_TRUE(below.room(3));
  EXPECT_FALSE(below.room(4));
  EXPECT_EQ(counted.counts.most_queued_below.value(), 1u);
}

TEST(RequestsBelow, AWriteBackBearsTheOwnerOfItsLine) {
  Counted counted;
  RequestsBelow below({}, counted.counts);
  below.write_back(0x1000, 32, {SmId(5), WarpId(7)}, false, 10);
  Unmasked memory(true);
  BytesBelow bytes("cache");
  const tlm::tlm_generic_payload& payload = below.send(memory, bytes);
  const RequestInfo& info = *RequestInfo::of(payload);
  EXPECT_TRUE(payload.is_write());
  EXPECT_EQ(payload.get_address(), 0x1000u);
  EXPECT_EQ(payload.get_data_length(), 32u);
  EXPECT_EQ(info.kind, AccessKind::write_back);
  EXPECT_EQ(info.sm, 5u);
  EXPECT_EQ(info.warp, 7u);
  EXPECT_FALSE(info.local);
  EXPECT_EQ(counted.counts.write_backs.value(), 1u);
  EXPECT_TRUE(below.answered(RequestsBelow::of(payload)));
}

TEST(RequestsBelow, AWriteUnderWayIsSeenByWhatOverlapsItUntilItIsAnswered) {
  Counted counted;
  RequestsBelow below({}, counted.counts);
  below.write_back(0x1000, 32, {}, false, 10);
  PayloadPool pool;
  tlm::tlm_generic_payload& inside = pool.take(tlm::TLM_WRITE_COMMAND, 0x101f, 4);
  tlm::tlm_generic_payload& behind = pool.take(tlm::TLM_WRITE_COMMAND, 0x1020, 4);
  EXPECT_TRUE(below.writes_to(inside));
  EXPECT_FALSE(below.writes_to(behind));
  below.answered(0);
  EXPECT_FALSE(below.writes_to(inside));
  inside.release();
  behind.release();
}

TEST(RequestsBelow, AMemoryThatRefusesByteEnablesIsSentTheVeryBytesItHolds) {
  Counted counted;
  RequestsBelow below({}, counted.counts);
  below.write_back(0x1000, 32, {}, false, 10);
  Unmasked memory(true);
  BytesBelow bytes("cache");
  tlm::tlm_generic_payload& payload = below.send(memory, bytes);
  EXPECT_NE(payload.get_byte_enable_ptr(), nullptr);
  payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_TRUE(below.refused(0, 20));
  EXPECT_TRUE(below.refuses_byte_enables());
  EXPECT_EQ(below.ready(), 20u);
  EXPECT_EQ(&below.send(memory, bytes), &payload);
  EXPECT_EQ(payload.get_byte_enable_ptr(), nullptr);
  EXPECT_EQ(payload.get_data_ptr()[31], 0x5a);
  payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_FALSE(below.refused(0, 30));  // once is enough: now it is an error
  EXPECT_TRUE(below.answered(0));
}

TEST(RequestsBelow, BytesThatAreNotKnownAreNotWritten) {
  Counted counted;
  RequestsBelow below({}, counted.counts);
  below.write_back(0x1000, 32, {}, false, 10);
  Unmasked memory(false);
  BytesBelow bytes("cache");
  tlm::tlm_generic_payload& payload = below.send(memory, bytes);
  payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  below.refused(0, 20);
  below.send(memory, bytes);
  EXPECT_NE(payload.get_byte_enable_ptr(), nullptr);
  below.answered(0);
}

TEST(PortTimes, AHitHoldsTheDataPortAsLongAsItsBytesTake) {
  CacheParameters p;
  p.data_bytes_per_cycle = 32;
  PortTimes times(p);
  times.hit(0, 128, 10);
  EXPECT_EQ(times.data_free(), 14u);
  times.hit(0, 1, 14);
  EXPECT_EQ(times.data_free(), 15u);
}

TEST(PortTimes, AFillWaitsInItsBankForTheHitBeforeIt) {
  CacheParameters p;
  p.banks = 2;
  p.data_bytes_per_cycle = 32;
  p.fill_bytes_per_cycle = 64;
  PortTimes times(p);
  times.hit(0, 128, 10);   // until 14
  times.fill(2, 128, 11);  // set 2 is of the same bank
  EXPECT_EQ(times.fill_free(), 13u);
  EXPECT_EQ(times.bank_free(0), 16u);
  EXPECT_EQ(times.bank_free(1), 0u);
  times.look_up(1, 11);
  EXPECT_EQ(times.bank_free(1), 12u);
}

}  // namespace
}  // namespace heddle::memory
