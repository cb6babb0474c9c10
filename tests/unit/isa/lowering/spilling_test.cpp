// SPDX-License-Identifier: Apache-2.0
// Spilled values: where they are stored, and that only registers change.
#include <gmock/gmock.h>

#include "../front_end_fixture.h"
#include "../warp_interpreter.h"
#include "fibonacci.h"

namespace heddle::isa {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LowerOptions within(std::uint32_t limit) {
  return {.spill_limit = [limit](const Kernel&) { return limit; }};
}

constexpr const char* kLoad = "ld.local (inserted)";
constexpr const char* kStore = "st.local (inserted)";

std::size_t count(const Kernel& kernel, const std::string& text) {
  const auto texts = texts_of(kernel);
  return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

/// A body that leaves each thread's result in %r9, with the thread's number in %r0.
std::shared_ptr<const Kernel> kernel_of(const std::string& body, const LowerOptions& options,
                                        const std::string& functions = "") {
  return lower_text(module_text(functions + R"(
.visible .entry k(.param .u64 buffer) { .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<30>; .reg .pred %p<9>;
mov.u32 %r0, %tid.x; ld.param.u64 %d0, [buffer]; mad.wide.u32 %d0, %r0, 4, %d0;
)" + body + "\nst.global.u32 [%d0], %r9; ret; }"),
                    "k", options);
}

std::vector<std::uint32_t> run(const Kernel& kernel) {
  std::vector<std::uint32_t> out(32, 0xdeadbeef);
  WarpInterpreter warp(kernel, parameters_of({reinterpret_cast<std::uint64_t>(out.data())}));
  EXPECT_TRUE(warp.run()) << dump(kernel);
  return out;
}

/// Expects the results of `function` for every thread, with all registers and with as few as `limit`.
std::shared_ptr<const Kernel> expect_both(const std::string& body, std::uint32_t limit,
                                          std::uint32_t (*function)(std::uint32_t), const std::string& functions = "") {
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t t = 0; t < 32; ++t) wanted.push_back(function(t));
  const auto free = kernel_of(body, {.stack_bytes = 4096}, functions);
  LowerOptions options = within(limit);
  options.stack_bytes = 4096;
  const auto spilled = kernel_of(body, options, functions);
  EXPECT_EQ(run(*free), wanted) << dump(*free);
  EXPECT_EQ(run(*spilled), wanted) << dump(*spilled);
  EXPECT_LE(spilled->registers, limit) << dump(*spilled);
  EXPECT_LT(spilled->registers, free->registers);
  EXPECT_THAT(free->notes, IsEmpty());
  return spilled;
}

/// Four values live at once.
constexpr const char* kFour = R"(.visible .entry k() {
.reg .b32 %r<5>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ctaid.x;
st.global.u32 [0], %r1; st.global.u32 [4], %r2; st.global.u32 [8], %r3; st.global.u32 [12], %r4;
ret; })";

TEST(Spilling, StoresBehindTheWriteAndLoadsBeforeTheRead) {
  const auto kernel = lower_text(module_text(kFour), "k", within(3));
  EXPECT_EQ(kernel->registers, 3u);
  EXPECT_THAT(texts_of(*kernel),
              ElementsAre("mov.u32 %r1, %tid.x", "mov.u32 %r2, %tid.y", kStore, "mov.u32 %r3, %tid.z",
                          "mov.u32 %r4, %ctaid.x", "st.global.u32 [0], %r1", kLoad, "st.global.u32 [4], %r2",
                          "st.global.u32 [8], %r3", "st.global.u32 [12], %r4", "ret"))
      << dump(*kernel);
  EXPECT_EQ(kernel->ops[2].ptx_line, kernel->ops[1].ptx_line);
  EXPECT_EQ(kernel->ops[6].ptx_line, kernel->ops[7].ptx_line);
}

TEST(Spilling, IsToldWithItsBytes) {
  const auto kernel = lower_text(module_text(kFour), "k", within(3));
  EXPECT_EQ(kernel->spilled_values, 1u);
  EXPECT_EQ(kernel->spilled_bytes, 4u);
  EXPECT_EQ(kernel->local_bytes, 4u);
  EXPECT_THAT(kernel->notes, ElementsAre("kernel 'k' needs 4 registers per thread, above its limit of 3: 1 of its "
                                         "values are spilled to local memory, 4 bytes per thread"));
}

TEST(Spilling, LeavesAKernelWithinItsLimitAsItIs) {
  for (const std::uint32_t limit : {4u, 0u}) {
    const auto kernel = lower_text(module_text(kFour), "k", within(limit));
    EXPECT_EQ(kernel->registers, 4u);
    EXPECT_EQ(kernel->local_bytes, 0u);
    EXPECT_EQ(kernel->ops.size(), 9u);
    EXPECT_THAT(kernel->notes, IsEmpty());
  }
}

/// Three operands of two units each, and `others` values live across the operation.
std::string fused(unsigned others) {
  std::string body = "ld.global.f64 %d1, [0]; ld.global.f64 %d2, [8]; ld.global.f64 %d3, [16];\n";
  for (unsigned i = 0; i < others; ++i) body += fmt::format("ld.global.f64 %d{}, [{}];\n", 5 + i, 24 + 8 * i);
  body += "fma.rn.f64 %d4, %d1, %d2, %d3; st.global.f64 [96], %d4; st.global.f64 [104], %d1;\n";
  for (unsigned i = 0; i < others; ++i) body += fmt::format("st.global.f64 [{}], %d{};\n", 112 + 8 * i, 5 + i);
  return module_text(".visible .entry k() { .reg .f64 %d<9>;\n" + body + "ret; }");
}

TEST(Spilling, SaysWhatIsNeededAtLeast) {
  const auto kernel = lower_text(fused(2), "k", within(2));
  EXPECT_EQ(kernel->registers, 6u);
  EXPECT_THAT(kernel->notes, ElementsAre(AllOf(HasSubstr("needs 10 registers per thread, above its limit of 2: 3 of"),
                                               HasSubstr("bytes per thread; it needs 6 after spilling"))));
  // All five values would be spilled if useless ones were chosen too.
  EXPECT_LE(kernel->spilled_values, 3u) << dump(*kernel);
}

TEST(Spilling, SaysThatItWouldNotHelp) {
  const auto kernel = lower_text(fused(0), "k", within(2));
  EXPECT_EQ(kernel->registers, 6u);
  EXPECT_EQ(kernel->local_bytes, 0u);
  EXPECT_THAT(
      kernel->notes,
      ElementsAre("kernel 'k' needs 6 registers per thread, above its limit of 2: spilling would not reduce that"));
}

TEST(Spilling, ValuesThatAreNeverNeededTogetherShareAPlace) {
  // Two such groups of four, one after the other.
  std::string body;
  for (const unsigned base : {1, 5}) {
    for (unsigned i = base; i < base + 4; ++i) body += fmt::format("mov.u32 %r{}, %tid.x;\n", i);
    for (unsigned i = base; i < base + 4; ++i) body += fmt::format("st.global.u32 [{}], %r{};\n", 4 * i, i);
  }
  const auto kernel =
      lower_text(module_text(".visible .entry k() { .reg .b32 %r<9>;\n" + body + "ret; }"), "k", within(3));
  EXPECT_EQ(kernel->registers, 3u);
  EXPECT_EQ(kernel->spilled_values, 2u);
  EXPECT_EQ(kernel->spilled_bytes, 4u);
}

TEST(Spilling, KeepsAGuardedWriteUnderItsGuard) {
  const auto kernel = expect_both(R"(
mul.lo.u32 %r1, %r0, 3; mul.lo.u32 %r2, %r0, 5; mul.lo.u32 %r3, %r0, 7; mul.lo.u32 %r4, %r0, 11;
setp.gt.u32 %p1, %r0, 9;
@%p1 add.u32 %r1, %r2, %r3; @!%p1 add.u32 %r2, %r3, %r4; @%p1 add.u32 %r3, %r4, %r1; @!%p1 add.u32 %r4, %r1, %r2;
mad.lo.u32 %r9, %r1, 31, %r2; mad.lo.u32 %r9, %r9, 31, %r3; mad.lo.u32 %r9, %r9, 31, %r4;)",
                                  5, [](std::uint32_t t) {
                                    std::uint32_t a = 3 * t, b = 5 * t, c = 7 * t, d = 11 * t;
                                    if (t > 9) a = b + c;
                                    if (t <= 9) b = c + d;
                                    if (t > 9) c = d + a;
                                    if (t <= 9) d = a + b;
                                    return ((a * 31 + b) * 31 + c) * 31 + d;
                                  });
  std::size_t guarded = 0;
  for (std::size_t i = 1; i < kernel->ops.size(); ++i) {
    const MicroOp &op = kernel->ops[i], &before = kernel->ops[i - 1];
    if (kernel->text(op) != kStore || !before.guard.present()) continue;
    ++guarded;
    EXPECT_EQ(op.guard.offset, before.guard.offset) << dump(*kernel);
    EXPECT_EQ(op.guard.negate, before.guard.negate) << dump(*kernel);
  }
  EXPECT_GT(guarded, 0u) << dump(*kernel);
}

TEST(Spilling, AnOpMayOverwriteItsOwnGuard) {
  // Each shuffle leaves the guard with the threads whose source lay in their segment: of 8, 4 and 2 threads.
  const auto kernel = expect_both(R"(
mul.lo.u32 %r1, %r0, 3; mul.lo.u32 %r2, %r0, 5; mul.lo.u32 %r3, %r0, 7; mul.lo.u32 %r4, %r0, 11;
mul.lo.u32 %r5, %r0, 13;
setp.ge.u32 %p1, %r0, 16;
@%p1 shfl.sync.down.b32 %r1|%p1, %r4, 4, 0x181f, 0xffff0000;
@%p1 shfl.sync.down.b32 %r2|%p1, %r4, 2, 0x1c1f, 0x0f0f0000;
@%p1 shfl.sync.down.b32 %r3|%p1, %r4, 1, 0x1e1f, 0x03030000;
selp.u32 %r9, 1, 0, %p1;
mad.lo.u32 %r9, %r1, 31, %r9; mad.lo.u32 %r9, %r2, 31, %r9; mad.lo.u32 %r9, %r3, 31, %r9;
mad.lo.u32 %r9, %r4, 31, %r9; mad.lo.u32 %r9, %r5, 31, %r9;)",
                                  4, [](std::uint32_t t) {
                                    const bool first = t >= 16, second = first && t % 8 < 4;
                                    const bool third = second && t % 4 < 2, last = third && t % 2 < 1;
                                    const std::uint32_t r1 = first ? 11 * (second ? t + 4 : t) : 3 * t;
                                    const std::uint32_t r2 = second ? 11 * (third ? t + 2 : t) : 5 * t;
                                    const std::uint32_t r3 = third ? 11 * (last ? t + 1 : t) : 7 * t;
                                    return (last ? 1 : 0) + 31 * (r1 + r2 + r3 + 11 * t + 13 * t);
                                  });
  EXPECT_GT(count(*kernel, kStore), 0u);
}

TEST(Spilling, MovesWideNarrowAndManyResults) {
  expect_both(R"(
cvt.u16.u32 %h1, %r0; mul.lo.u16 %h2, %h1, 257; mul.wide.u32 %d2, %r0, 0x10000001; mul.wide.u32 %d3, %r0, 0x30000007;
mov.b64 {%r1, %r2}, %d2; mov.b64 {%r3, %r4}, %d3; mov.b32 {%h3, %h4}, %r3; shl.b64 %d4, %d2, 7; xor.b64 %d5, %d4, %d3;
mov.b64 %d6, {%r4, %r1}; add.u64 %d6, %d6, %d5; mov.b64 {%r5, %r6}, %d6;
cvt.u32.u16 %r7, %h2; cvt.u32.u16 %r8, %h4; cvt.u32.u16 %r10, %h3;
mov.u32 %r9, %r1; mad.lo.u32 %r9, %r9, 31, %r2; mad.lo.u32 %r9, %r9, 31, %r3; mad.lo.u32 %r9, %r9, 31, %r4;
mad.lo.u32 %r9, %r9, 31, %r5; mad.lo.u32 %r9, %r9, 31, %r6; mad.lo.u32 %r9, %r9, 31, %r7;
mad.lo.u32 %r9, %r9, 31, %r8; mad.lo.u32 %r9, %r9, 31, %r10;)",
              10, [](std::uint32_t t) {
                const std::uint64_t d2 = std::uint64_t{t} * 0x10000001, d3 = std::uint64_t{t} * 0x30000007;
                const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
                const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
                const std::uint64_t d6 = (high(d3) | (std::uint64_t{low(d2)} << 32)) + ((d2 << 7) ^ d3);
                std::uint32_t sum = low(d2);
                for (const std::uint32_t value : {high(d2), low(d3), high(d3), low(d6), high(d6), (t * 257) & 0xffff,
                                                  low(d3) >> 16, low(d3) & 0xffff}) {
                  sum = sum * 31 + value;
                }
                return sum;
              });
}

TEST(Spilling, SparesWhatLoopsUse) {
  // %r8 is written once and read once, in the loop; %r1 has more accesses, none of them there.
  const auto kernel = expect_both(R"(
mul.lo.u32 %r8, %r0, 3; mul.lo.u32 %r1, %r0, 5; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3;
mov.u32 %r5, 0; mov.u32 %r6, 1; mov.u32 %r7, 10;
LOOP: add.u32 %r5, %r5, %r6; mad.lo.u32 %r6, %r6, 3, %r5; mul.lo.u32 %r6, %r6, %r8; sub.u32 %r7, %r7, 1;
setp.ne.u32 %p1, %r7, 0; @%p1 bra LOOP;
add.u32 %r9, %r5, %r6; add.u32 %r9, %r9, %r1;)",
                                  6, [](std::uint32_t t) {
                                    std::uint32_t a = 0, b = 1;
                                    for (unsigned i = 0; i < 10; ++i) {
                                      a += b;
                                      b = (b * 3 + a) * (3 * t);
                                    }
                                    return a + b + 5 * t + 6;
                                  });
  std::vector<std::uint32_t> depths;
  for (const MicroOp& op : kernel->ops) {
    if (kernel->text(op) == kLoad || kernel->text(op) == kStore) depths.push_back(kernel->blocks[op.block].loop);
  }
  EXPECT_THAT(depths, AllOf(testing::Not(IsEmpty()), Each(0u))) << dump(*kernel);
}

TEST(Spilling, GuardedValuesInALoopDoNotLiveAllTheWayRound) {
  // Their registers are only written under a guard, which does not end a live range.
  expect_both(R"(
mul.lo.u32 %r1, %r0, 3; mul.lo.u32 %r2, %r0, 5; mul.lo.u32 %r3, %r0, 7; mov.u32 %r9, 0; mov.u32 %r7, 8;
LOOP: and.b32 %r8, %r7, 1; setp.eq.u32 %p1, %r8, 0;
@%p1 add.u32 %r1, %r1, %r7; @%p1 add.u32 %r2, %r2, %r1; @!%p1 add.u32 %r3, %r3, %r2; @%p1 add.u32 %r9, %r9, %r3;
sub.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra LOOP;
add.u32 %r9, %r9, %r1; add.u32 %r9, %r9, %r2;)",
              4, [](std::uint32_t t) {
                std::uint32_t a = 3 * t, b = 5 * t, c = 7 * t, sum = 0;
                for (std::uint32_t i = 8; i != 0; --i) {
                  if (i % 2 == 0) a += i;
                  if (i % 2 == 0) b += a;
                  if (i % 2 != 0) c += b;
                  if (i % 2 == 0) sum += c;
                }
                return sum + a + b;
              });
}

TEST(Spilling, AnInsertedLoadIsPartOfTheBlockThatIsJumpedTo) {
  const auto kernel =
      expect_both(R"(
mul.lo.u32 %r1, %r0, 3; mul.lo.u32 %r2, %r0, 5; mul.lo.u32 %r3, %r0, 7; mul.lo.u32 %r4, %r0, 11; mov.u32 %r9, 1;
setp.gt.u32 %p1, %r0, 9; @%p1 bra OVER; mad.lo.u32 %r9, %r4, %r3, %r0;
OVER: mad.lo.u32 %r9, %r1, 31, %r9; mad.lo.u32 %r9, %r2, 31, %r9; mad.lo.u32 %r9, %r3, 31, %r9;)",
                  5, [](std::uint32_t t) { return (t > 9 ? 1 : 77 * t * t + t) + 31 * (3 * t + 5 * t + 7 * t); });
  bool jumps_to_load = false;
  for (const MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::bra) jumps_to_load |= kernel->text(kernel->ops[op.target]) == kLoad;
  }
  EXPECT_TRUE(jumps_to_load) << dump(*kernel);
}

TEST(Spilling, LiesBetweenVariablesAndTheStackOfARecursion) {
  const auto kernel = expect_both(R"(
.local .align 4 .b8 mine[20]; st.local.u32 [mine+16], %r0;
mul.lo.u32 %r1, %r0, 3; mul.lo.u32 %r2, %r0, 5; mul.lo.u32 %r3, %r0, 7; mul.wide.u32 %d5, %r0, 11;
and.b32 %r5, %r0, 7; { .param .b32 a; st.param.b32 [a], %r5; .param .b32 b; call (b), fib, (a); ld.param.b32 %r9, [b]; }
ld.local.u32 %r6, [mine+16]; cvt.u32.u64 %r7, %d5;
mad.lo.u32 %r9, %r1, 31, %r9; mad.lo.u32 %r9, %r2, 31, %r9; mad.lo.u32 %r9, %r3, 31, %r9; mad.lo.u32 %r9, %r7, 31, %r9;
add.u32 %r9, %r9, %r6;)",
                                  10, [](std::uint32_t t) { return fibonacci(t & 7) + 31 * 26 * t + t; }, kFibonacci);
  EXPECT_GT(kernel->spilled_bytes, 0u);
  const std::uint32_t stack = (24 + kernel->spilled_bytes + 15) / 16 * 16;
  EXPECT_EQ(kernel->local_bytes, stack + 4096);
  EXPECT_EQ(constant_of(*kernel, kernel->ops[0].sources[0]), stack) << "where the stack begins";
  for (const MicroOp& op : kernel->ops) {
    if (kernel->text(op) != kLoad && kernel->text(op) != kStore) continue;
    EXPECT_GE(op.address_offset, 24);
    EXPECT_LE(op.address_offset + size_of(op.type), 24 + kernel->spilled_bytes);
  }
}

}  // namespace
}  // namespace heddle::isa
