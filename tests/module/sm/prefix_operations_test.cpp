// SPDX-License-Identifier: Apache-2.0
// cond_acc, tree_traverse and hinted loads on an SM: passes over the banks, transactions, cycles, calls of the prefix-
// sum block. Source: docs/sources/large-warps-and-database-search.md, 2.10 to 2.14.
#include <fmt/format.h>

#include "sm_fixture.h"

namespace heddle {
namespace {

class PrefixOperationsTest : public SmTest {
 protected:
  /// 128-byte aligned room of 1 KB.
  std::uint64_t room() const { return (address(room_.data()) + 127) / 128 * 128; }
  /// 32 threads accumulate once; `predicate` sets %p1 by %r1, the thread.
  void accumulate(const std::string& type, const std::string& place, const std::string& predicate) {
    build();
    const char* data = type.ends_with("64") ? "%rd4" : type.ends_with("8") || type.ends_with("16") ? "%h1" : "%r1";
    run(kernel(".param .u64 p", fmt::format(R"(
      .shared .align 128 .b8 tile[1024];
      .reg .pred %p<3>; .reg .b16 %h<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
      ld.param.u64 %rd1, [p];
      mov.u32 %r1, %tid.x;
      cvt.u64.u32 %rd4, %r1; cvt.u16.u32 %h1, %r1;
      {};
      heddle.cond_acc.sync.{} %r2, [{}], %p1, {}, -1;
      mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
      st.global.u32 [%rd3+512], %r2;
      ret;)",
                                            predicate, type, place, data)),
        {1}, {32}, {room()});
  }
  double value(const std::string& name) { return services_.statistics.total().value("sm0." + name); }
  /// Of the accumulate alone: the kernel stores one more line.
  double transactions() { return value("memory.transactions_per_access.sum") - 1; }
  std::uint32_t count() const { return reinterpret_cast<const std::uint32_t*>(room())[128]; }

  std::vector<std::uint32_t> room_ = std::vector<std::uint32_t>(512);
};

constexpr const char* kAll = "setp.lt.u32 %p1, %r1, 32";
constexpr const char* kNone = "setp.gt.u32 %p1, %r1, 32";
constexpr const char* kHalf = "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0";

TEST_F(PrefixOperationsTest, FourByteDataAreConflictFreeInSharedMemoryEvenFromAnUnalignedPlaceOn) {
  accumulate("shared.b32", "tile+4", kAll);
  EXPECT_EQ(value("shared_memory.accesses"), 1);
  EXPECT_EQ(value("shared_memory.passes"), 1);
  EXPECT_EQ(count(), 32u);
}

TEST_F(PrefixOperationsTest, EightByteDataTakeTwoPasses) {
  accumulate("shared.b64", "tile+8", kAll);
  EXPECT_EQ(value("shared_memory.passes"), 2);
}

TEST_F(PrefixOperationsTest, SixteenEightByteDataTakeOne) {
  accumulate("shared.b64", "tile+8", kHalf);
  EXPECT_EQ(value("shared_memory.passes"), 1);
  EXPECT_EQ(count(), 16u);
}

TEST_F(PrefixOperationsTest, WithoutATrueInSharedMemoryItPassesOnceAndWritesNothing) {
  accumulate("shared.b32", "tile", kNone);
  EXPECT_EQ(value("shared_memory.passes"), 1);
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrefixOperationsTest, AWholeLineIsOneTransaction) {
  accumulate("global.b32", "%rd1", kAll);
  EXPECT_EQ(value("memory.transactions"), 3);  // parameter, line, counts
  EXPECT_EQ(flat_memory().partial_stores, 0u);
}

TEST_F(PrefixOperationsTest, AStraddledLineIsTwoTransactionsAndBothArePartial) {
  accumulate("global.b32", "%rd1+4", kAll);
  EXPECT_EQ(value("memory.transactions"), 4);
  EXPECT_EQ(flat_memory().partial_stores, 2u);
  EXPECT_EQ(reinterpret_cast<const std::uint32_t*>(room())[32], 31u);
}

TEST_F(PrefixOperationsTest, EightByteDataAreUpToThreeTransactions) {
  accumulate("global.b64", "%rd1+8", kAll);
  EXPECT_EQ(value("memory.transactions"), 5);
}

TEST_F(PrefixOperationsTest, OneByteDataAreOneTransaction) {
  accumulate("global.b8", "%rd1+3", kAll);
  EXPECT_EQ(value("memory.transactions"), 3);
  EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(room())[34], 31u);
}

TEST_F(PrefixOperationsTest, WithoutATrueInGlobalMemoryNothingIsSent) {
  accumulate("global.b32", "%rd1", kNone);
  EXPECT_EQ(value("memory.transactions"), 2);
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrefixOperationsTest, TheNetworkIsAskedOnceForEachSum) {
  accumulate("shared.b32", "tile", kHalf);
  EXPECT_EQ(value("prefix_sum.sums"), 1);
  EXPECT_EQ(value("prefix_sum.held"), 16);
}

TEST_F(PrefixOperationsTest, TheNetworkDeclaresItsAddersAsLogic) {
  build();
  EXPECT_EQ(services_.structures.logic_bits("sm0.prefix_sum.*"), 351u);
  EXPECT_EQ(services_.structures.bits("sm0.prefix_sum.*"), 0u);
  std::size_t adders = 0;
  for (const Structure* structure : services_.structures.all()) adders += structure->logic() ? structure->entries() : 0;
  EXPECT_EQ(adders, 129u);
}

// Threads of one warp at two copies of the instruction: one sum, and each copy stores its own threads' data.
TEST_F(PrefixOperationsTest, ThreadsThatMeetFromTwoPlacesShareOneSum) {
  build();
  run(kernel(".param .u64 p", R"(
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0;
    setp.lt.u32 %p2, %r1, 10;
    @%p2 bra LOW;
    heddle.cond_acc.sync.global.b32 %r2, [%rd1], %p1, %r1, -1;
    add.u32 %r2, %r2, 1000;
    bra JOIN;
LOW:
    heddle.cond_acc.sync.global.b32 %r2, [%rd1], %p1, %r1, -1;
JOIN:
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3+512], %r2;
    ret;)"),
      {1}, {32}, {room()});
  const auto* words = reinterpret_cast<const std::uint32_t*>(room());
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(words[i], 2 * i);
  EXPECT_EQ(words[16], 0u);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words[128 + i], i < 10 ? 16u : 1016u);
}

TEST_F(PrefixOperationsTest, AHintTravelsWithEveryTransactionOfItsLoadAndNoOther) {
  build();
  run(kernel(".param .u64 p", R"(
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;
    ld.global.rowhint.u32 %r2, [%rd3];
    ld.global.u32 %r3, [%rd3+4];
    ld.rowhint.u32 %r4, [%rd1];
    add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
    st.global.u32 [%rd3], %r2;
    ret;)"),
      {1}, {32}, {room()});
  EXPECT_EQ(flat_memory().hinted, 3u);
}

}  // namespace
}  // namespace heddle
