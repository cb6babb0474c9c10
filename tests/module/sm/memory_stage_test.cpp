// SPDX-License-Identifier: Apache-2.0
#include "sm_fixture.h"

namespace heddle {
namespace {

class MemoryStageTest : public SmTest {
 protected:
  std::vector<std::uint32_t> line_ = std::vector<std::uint32_t>(1024);
  /// A line's first byte: stores to it and what follows make known transactions.
  std::uint64_t aligned() const { return (address(line_.data()) + 127) / 128 * 128; }
  /// Runs one warp of 32 whose threads store 4 bytes at stride bytes; `guard` may keep some from it.
  void store(unsigned stride, const std::string& guard = "") {
    build();
    run(kernel(".param .u64 p", R"(
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  )" + guard + "mul.wide.u32 %rd2, %r1, " +
                                    std::to_string(stride) + R"(;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;)"),
        {1}, {32}, {aligned()});
  }
};

TEST_F(MemoryStageTest, AWarpThatWritesAWholeLineSendsNoPartialStore) {
  store(4);
  EXPECT_EQ(flat_memory().partial_stores, 0u);
}

TEST_F(MemoryStageTest, AStoreOfEverySecondWordLeavesBothLinesPartial) {
  store(8);
  EXPECT_EQ(flat_memory().partial_stores, 2u);
}

TEST_F(MemoryStageTest, AThreadThatLeftMakesTheStorePartial) {
  store(4, "setp.eq.u32 %p1, %r1, 31; @%p1 ret; ");
  EXPECT_EQ(flat_memory().partial_stores, 1u);
}

TEST_F(MemoryStageTest, TransactionsOfAnAccessAreSortedAndThoseAfterTheFirstAreReplays) {
  store(64);
  const auto total = services_.statistics.total();
  EXPECT_EQ(total.value("sm0.memory.transactions_per_access[16]"), 1);
  EXPECT_EQ(total.value("sm0.memory.transactions_per_access[*]"), 1);
  EXPECT_EQ(total.value("sm0.memory.mean_transactions"), 16);
  EXPECT_EQ(total.value("sm0.memory.replays"), 15);
}

TEST_F(MemoryStageTest, ThreadsThatAskForTheSameLineAreOneTransaction) {
  store(4, "shr.u32 %r1, %r1, 2; ");
  const auto total = services_.statistics.total();
  EXPECT_EQ(total.value("sm0.memory.transactions_per_access[1]"), 1);
  EXPECT_EQ(total.value("sm0.memory.replays"), 0);
}

TEST_F(MemoryStageTest, StridesOf64BytesMakeTwiceTheTransactionsOverTheWholeWarp) {
  parameters_.sm_classes[0].sm.coalescer.line_bytes = 64;
  store(4);
  EXPECT_EQ(services_.statistics.total().value("sm0.memory.transactions_per_access[2]"), 1);
  EXPECT_EQ(services_.statistics.total().value("sm0.memory.replays"), 1);
}

TEST_F(MemoryStageTest, LoadsOfAScopeWiderThanTheBlockAreCoherent) {
  build();
  const auto loads = [&](const std::vector<std::string>& texts) {
    std::string body = ".reg .b32 %r<2>; .reg .b64 %rd<2>; .shared .align 4 .b8 box[64]; ld.param.u64 %rd1, [p];\n";
    for (const std::string& text : texts) body += text + ";\n";
    run(kernel(".param .u64 p", body + "ret;"), {1}, {32}, {aligned()});
    return flat_memory().coherent;
  };
  EXPECT_EQ(
      loads({"ld.global.u32 %r1, [%rd1]", "ld.relaxed.cta.global.u32 %r1, [%rd1]",
             "ld.acquire.cta.global.u32 %r1, [%rd1]", "ld.global.ca.u32 %r1, [%rd1]", "ld.global.cs.u32 %r1, [%rd1]",
             "ld.global.lu.u32 %r1, [%rd1]", "ld.global.nc.u32 %r1, [%rd1]", "ld.volatile.shared.u32 %r1, [box]"}),
      0u);
  EXPECT_EQ(loads({"ld.volatile.global.u32 %r1, [%rd1]", "ld.volatile.u32 %r1, [%rd1]",
                   "ld.relaxed.gpu.global.u32 %r1, [%rd1]", "ld.acquire.sys.global.u32 %r1, [%rd1]",
                   "ld.global.cg.u32 %r1, [%rd1]", "ld.global.cv.u32 %r1, [%rd1]"}),
            6u);
}

/// Accesses of a part of their warp, and those of them that are one transaction.
class PartialAccesses : public MemoryStageTest {
 protected:
  double partial() { return services_.statistics.total().value("sm0.memory.partial_accesses"); }
  double coalesced() { return services_.statistics.total().value("sm0.memory.partial_coalesced"); }
};

TEST_F(PartialAccesses, AreNoneWhereAllThreadsTakePart) {
  store(4);
  EXPECT_EQ(partial(), 0);
}

TEST_F(PartialAccesses, AreNoneWhereTheOthersHaveLeftTheKernel) {
  store(4, "setp.ge.u32 %p1, %r1, 5; @%p1 ret; ");
  EXPECT_EQ(partial(), 0);
}

TEST_F(PartialAccesses, AreThoseThatTheRestOfTheWarpPassesBy) {
  store(4, "setp.ge.u32 %p1, %r1, 5; @%p1 bra SKIP; st.global.u32 [%rd1], %r1; SKIP: ");
  EXPECT_EQ(partial(), 1);
  EXPECT_EQ(coalesced(), 1);
}

TEST_F(PartialAccesses, AreThoseOfAGuardToo) {
  store(4, "setp.ge.u32 %p1, %r1, 31; @!%p1 st.global.u32 [%rd1], %r1; ");
  EXPECT_EQ(partial(), 1);
  EXPECT_EQ(coalesced(), 1);
}

TEST_F(PartialAccesses, OfOneThreadAreNotCoalesced) {
  store(4, "setp.ge.u32 %p1, %r1, 1; @!%p1 st.global.u32 [%rd1], %r1; ");
  EXPECT_EQ(partial(), 1);
  EXPECT_EQ(coalesced(), 0);
}

/// Warps of four threads, whose stores of one cycle are one access.
class MergedStores : public MemoryStageTest {
 protected:
  void SetUp() override {
    MemoryStageTest::SetUp();
    sm().grouping.choose("variable_warps");
    sm().warp_size = 4;
    sm().schedulers = 8;
    sm().residency.threads = 1024;
    sm().fetch.width = 8;
    sm().operands.banks = 0;
  }
};

// Of eight warps every other has no thread that stores. Its part of the access ends at once, while the lines of the
// others are still being sent, and its place is taken by the loads that follow.
TEST_F(MergedStores, EndOnceForAWarpWithoutAThreadThatStores) {
  build();
  std::vector<std::uint32_t> out(32 * 1024), in(32 + 4 * 64, 1), sums(32, 77);
  run(kernel(".param .u64 po, .param .u64 pi, .param .u64 ps", R"(
  .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [po]; ld.param.u64 %rd2, [pi]; ld.param.u64 %rd3, [ps];
  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
  and.b32 %r4, %r1, 4;
  setp.ne.u32 %p1, %r4, 0;
  mul.wide.u32 %rd4, %r1, 128; add.s64 %rd5, %rd1, %rd4;
  mul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd2, %rd6;
AGAIN:
  @%p1 st.global.u32 [%rd5], %r1;
  ld.global.u32 %r5, [%rd7]; ld.global.u32 %r6, [%rd7+256]; ld.global.u32 %r7, [%rd7+512]; ld.global.u32 %r8, [%rd7+768];
  add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; add.u32 %r3, %r3, %r7; add.u32 %r3, %r3, %r8;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 16;
  @%p2 bra AGAIN;
  add.s64 %rd8, %rd3, %rd6;
  st.global.u32 [%rd8], %r3;
  ret;)"),
      {1}, {32}, {address(out.data()), address(in.data()), address(sums.data())});
  EXPECT_EQ(sums, std::vector<std::uint32_t>(32, 16 * 4));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[32 * t], (t & 4) != 0 ? t : 0) << t;
}

// Threads below 8 write to shared memory, the others to device memory, by one generic store.
const char* const kMixedStore = R"(
  .shared .align 4 .b8 tile[512];
  .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u64 %rd4, tile;
  cvta.shared.u64 %rd5, %rd4;
  add.s64 %rd6, %rd5, %rd2;
  setp.lt.u32 %p1, %r1, LIMIT;
  selp.b64 %rd7, %rd6, %rd3, %p1;
  SKIP
  st.u32 [%rd7], %r1;
  ret;
)";
std::string mixed_store(const char* limit, const char* skip) {
  std::string text = kMixedStore;
  text.replace(text.find("LIMIT"), 5, limit);
  text.replace(text.find("SKIP"), 4, skip);
  return text;
}

TEST_F(MemoryStageTest, APacketOfBothKindsOfAddressesIsChargedForBoth) {
  build();
  run(kernel(".param .u64 p", mixed_store("8", "")), {1}, {32}, {aligned()});
  const auto sample = services_.statistics.total();
  EXPECT_EQ(sample.value("sm0.shared_memory.accesses"), 1);
  EXPECT_EQ(sample.value("sm0.memory.stores"), 1);
  const auto* words = reinterpret_cast<const std::uint32_t*>(aligned());
  EXPECT_EQ(words[7], 0u);
  EXPECT_EQ(words[8], 8u);
}

TEST_F(MemoryStageTest, AWideWarpWhoseFirstThreadsAreMissingStillAccessesSharedMemory) {
  sm().warp_size = sm().simd_width = sm().alu.lanes = sm().memory_lanes = 64;
  sm().residency.threads = 1024;
  build();
  run(kernel(".param .u64 p", mixed_store("1000", "setp.lt.u32 %p2, %r1, 32; @%p2 ret;")), {1}, {64}, {aligned()});
  const auto sample = services_.statistics.total();
  EXPECT_EQ(sample.value("sm0.shared_memory.accesses"), 1);
  EXPECT_EQ(sample.value("sm0.memory.stores"), 0);
}

TEST_F(MemoryStageTest, AGenericStoreToLocalMemoryIsLocalForTheCaches) {
  build();
  run(kernel(".param .u64 p", R"(
    .local .align 4 .b8 frame[16];
    .reg .b32 %r<2>; .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    mov.u64 %rd1, frame;
    cvta.local.u64 %rd2, %rd1;
    st.u32 [%rd2], %r1;
    ret;
  )"),
      {1}, {32}, {aligned()});
  EXPECT_EQ(flat_memory().local_requests, 1u);
}

}  // namespace
}  // namespace heddle
