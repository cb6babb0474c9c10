// SPDX-License-Identifier: Apache-2.0
// Recursive functions, tested by execution, since only results show whether activations are kept apart.
#include "../front_end_fixture.h"
#include "../warp_interpreter.h"
#include "fibonacci.h"

namespace heddle::isa {
namespace {

// Runs kernel k(buffer): thread t gets its number in %r0 and leaves a result in buffer[t].
std::vector<std::uint32_t> results_of(const std::string& functions, const std::string& body,
                                      const LowerOptions& options = {}) {
  const auto kernel = lower_text(module_text(functions + R"(
.visible .entry k(.param .u64 buffer) { .reg .b32 %r<30>; .reg .b64 %d<30>; .reg .pred %p<9>;
mov.u32 %r0, %tid.x; ld.param.u64 %d0, [buffer]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;
)" + body + "\nst.global.u32 [%d0], %r9; ret; }"),
                                 "k", options);
  std::vector<std::uint32_t> out(32, 0xdeadbeef);
  WarpInterpreter warp(*kernel, parameters_of({reinterpret_cast<std::uint64_t>(out.data())}));
  EXPECT_TRUE(warp.run()) << dump(*kernel);
  return out;
}

std::vector<std::uint32_t> expected(std::uint32_t (*function)(std::uint32_t)) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t t = 0; t < 32; ++t) out.push_back(function(t));
  return out;
}

TEST(Recursion, EveryThreadHasActivationsOfItsOwn) {
  EXPECT_EQ(results_of(kFibonacci, R"(
and.b32 %r1, %r0, 7;
{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call (b), fib, (a); ld.param.b32 %r9, [b]; })"),
            expected([](std::uint32_t t) { return fibonacci(t & 7); }));
}

TEST(Recursion, CallersOutsideKeepTheirValuesAndMayBeMany) {
  EXPECT_EQ(results_of(kFibonacci, R"(
and.b32 %r1, %r0, 3; setp.gt.u32 %p1, %r0, 9;
{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call (b), fib, (a); ld.param.b32 %r2, [b]; }
{ .param .b32 a; st.param.b32 [a], 6; .param .b32 b; call (b), fib, (a); ld.param.b32 %r3, [b]; }
mad.lo.u32 %r9, %r2, 1000, %r3; selp.b32 %r4, 5, 7, %p1; mad.lo.u32 %r9, %r9, 10, %r4; add.u32 %r9, %r9, %r0;)"),
            expected([](std::uint32_t t) { return (fibonacci(t & 3) * 1000 + 8) * 10 + (t > 9 ? 5 : 7) + t; }));
}

TEST(Recursion, SavesPredicatesAndWideValues) {
  // f(n) = n == 0 ? 1 : (n odd ? wide : 0) + f(n - 1), with the parity and a 64-bit value held over the call.
  EXPECT_EQ(
      results_of(R"(
.func (.param .b32 ret) f(.param .b32 n) { .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p, %odd;
ld.param.b32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra ZERO;
and.b32 %r2, %r1, 1; setp.ne.u32 %odd, %r2, 0; mul.wide.u32 %d1, %r1, 0x10000001;
sub.u32 %r3, %r1, 1;
{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 b; call (b), f, (a); ld.param.b32 %r4, [b]; }
shr.u64 %d2, %d1, 4; cvt.u32.u64 %r5, %d2; selp.b32 %r6, %r5, 0, %odd; add.u32 %r7, %r6, %r4; st.param.b32 [ret], %r7; ret;
ZERO: st.param.b32 [ret], 1; ret; })",
                 R"({ .param .b32 a; st.param.b32 [a], %r0; .param .b32 b; call (b), f, (a); ld.param.b32 %r9, [b]; })",
                 {.stack_bytes = 4096}),
      expected([](std::uint32_t t) {
        std::uint32_t sum = 1;
        for (std::uint32_t n = 1; n <= t; ++n) {
          if (n % 2 != 0) sum += static_cast<std::uint32_t>((std::uint64_t{n} * 0x10000001u) >> 4);
        }
        return sum;
      }));
}

TEST(Recursion, GoesRoundThroughSeveralFunctions) {
  EXPECT_EQ(results_of(
                R"(
.func (.param .b32 ret) odd(.param .b32 n);
.func (.param .b32 ret) even(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p; ld.param.b32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra Z;
sub.u32 %r2, %r1, 1; { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call (b), odd, (a); ld.param.b32 %r3, [b]; } st.param.b32 [ret], %r3; ret;
Z: st.param.b32 [ret], 1; ret; }
.func (.param .b32 ret) odd(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p; ld.param.b32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra Z;
sub.u32 %r2, %r1, 1; { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call (b), even, (a); ld.param.b32 %r3, [b]; } st.param.b32 [ret], %r3; ret;
Z: st.param.b32 [ret], 0; ret; })",
                "{ .param .b32 a; st.param.b32 [a], %r0; .param .b32 b; call (b), even, (a); ld.param.b32 %r9, [b]; }"),
            expected([](std::uint32_t t) { return t % 2 == 0 ? 1u : 0u; }));
}

TEST(Recursion, LocalVariablesBelongToTheActivation) {
  // Each activation fills an array with its n, calls itself with a pointer into it, and sums what it finds afterwards.
  EXPECT_EQ(
      results_of(
          R"(
.func (.param .b32 ret) f(.param .b32 n, .param .b64 from) { .local .align 8 .b8 mine[16]; .reg .b32 %r<19>; .reg .b64 %d<9>; .reg .pred %p;
ld.param.b32 %r1, [n]; ld.param.b64 %d1, [from]; ld.u32 %r2, [%d1+8]; setp.eq.u32 %p, %r1, 0; @%p bra Z;
mov.u64 %d2, mine; cvta.local.u64 %d3, %d2; st.u32 [%d3+8], %r1; st.local.u32 [mine+4], %r2;
sub.u32 %r3, %r1, 1; { .param .b32 a; st.param.b32 [a], %r3; .param .b64 c; st.param.b64 [c], %d3; .param .b32 b; call (b), f, (a, c); ld.param.b32 %r4, [b]; }
ld.local.u32 %r5, [mine+4]; ld.local.u32 %r6, [%d2+8]; mad.lo.u32 %r7, %r5, 3, %r6; add.u32 %r8, %r7, %r4; st.param.b32 [ret], %r8; ret;
Z: st.param.b32 [ret], %r2; ret; })",
          R"(.local .align 8 .b8 first[16]; mov.u64 %d3, first; cvta.local.u64 %d4, %d3; mov.u32 %r5, 100; st.local.u32 [first+8], %r5; and.b32 %r1, %r0, 7;
{ .param .b32 a; st.param.b32 [a], %r1; .param .b64 c; st.param.b64 [c], %d4; .param .b32 b; call (b), f, (a, c); ld.param.b32 %r9, [b]; })"),
      expected([](std::uint32_t t) {
        const std::uint32_t n = t & 7;
        std::uint32_t sum = 0, from = 100;
        for (std::uint32_t k = n; k > 0; --k) {
          sum += from * 3 + k;
          from = k;
        }
        return sum + from;
      }));
}

TEST(Recursion, PassesStructuresThroughRegistersAndThroughMemory) {
  // The pieces are stored as two words and read as one long: memory, for every activation.
  EXPECT_EQ(
      results_of(
          R"(
.func (.param .b32 ret) f(.param .align 8 .b8 s[8]) { .reg .b32 %r<19>; .reg .b64 %d<9>; .reg .pred %p;
ld.param.u64 %d1, [s]; cvt.u32.u64 %r1, %d1; setp.eq.u32 %p, %r1, 0; @%p bra Z; sub.u32 %r2, %r1, 1;
{ .param .align 8 .b8 a[8]; st.param.b32 [a], %r2; st.param.b32 [a+4], %r1; .param .b32 b; call (b), f, (a); ld.param.b32 %r4, [b]; }
ld.param.u64 %d2, [s]; shr.u64 %d3, %d2, 32; cvt.u32.u64 %r5, %d3; add.u32 %r6, %r4, %r5; st.param.b32 [ret], %r6; ret;
Z: st.param.b32 [ret], 0; ret; })",
          R"(and.b32 %r1, %r0, 7; { .param .align 8 .b8 a[8]; st.param.b32 [a], %r1; st.param.b32 [a+4], 1000; .param .b32 b; call (b), f, (a); ld.param.b32 %r9, [b]; })"),
      expected([](std::uint32_t t) {
        // Each activation adds its second word: 1000 for the outermost, the caller's n for the others.
        std::uint32_t sum = 0, second = 1000;
        for (std::uint32_t n = t & 7; n > 0; --n) {
          sum += second;
          second = n;
        }
        return sum;
      }));
}

TEST(Recursion, PassesRegistersOfOldFunctions) {
  EXPECT_EQ(results_of(R"(
.func (.reg .u32 out) f(.reg .u32 n) { .reg .pred %p; .reg .u32 m, x; setp.eq.u32 %p, n, 0; @%p bra Z;
sub.u32 m, n, 1; call (x), f, (m); mad.lo.u32 out, x, 2, n; ret; Z: mov.u32 out, 1; ret; })",
                       "and.b32 %r1, %r0, 15; call (%r9), f, (%r1);"),
            expected([](std::uint32_t t) {
              std::uint32_t out = 1;
              for (std::uint32_t n = 1; n <= (t & 15); ++n) out = out * 2 + n;
              return out;
            }));
}

TEST(Recursion, WorksThroughPointers) {
  EXPECT_EQ(
      results_of(
          R"(
.func (.param .b32 ret) f(.param .b32 n, .param .b64 g) { .reg .b32 %r<9>; .reg .b64 %d; .reg .pred %p; ld.param.b32 %r1, [n]; ld.param.b64 %d, [g]; setp.eq.u32 %p, %r1, 0; @%p bra Z;
sub.u32 %r2, %r1, 1; { .param .b32 a; st.param.b32 [a], %r2; .param .b64 c; st.param.b64 [c], %d; .param .b32 b;
P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); call (b), %d, (a, c), P; ld.param.b32 %r3, [b]; } add.u32 %r4, %r3, %r1; st.param.b32 [ret], %r4; ret;
Z: st.param.b32 [ret], 0; ret; })",
          R"(mov.u64 %d5, f; { .param .b32 a; st.param.b32 [a], %r0; .param .b64 c; st.param.b64 [c], %d5; .param .b32 b; call (b), f, (a, c); ld.param.b32 %r9, [b]; })",
          {.stack_bytes = 4096}),
      expected([](std::uint32_t t) { return t * (t + 1) / 2; }));
}

TEST(Recursion, UnderAGuardAndInLoops) {
  EXPECT_EQ(results_of(std::string(kFibonacci) + R"(
.func (.param .b32 ret) sum(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p; ld.param.b32 %r1, [n]; mov.u32 %r2, 0;
L: { .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call (b), fib, (a); ld.param.b32 %r3, [b]; } add.u32 %r2, %r2, %r3;
sub.u32 %r1, %r1, 1; setp.ge.s32 %p, %r1, 0; @%p bra L; st.param.b32 [ret], %r2; ret; })",
                       R"(mov.u32 %r9, 0; setp.lt.u32 %p1, %r0, 9; @!%p1 bra SKIP;
{ .param .b32 a; st.param.b32 [a], %r0; .param .b32 b; call (b), sum, (a); ld.param.b32 %r9, [b]; } SKIP:)"),
            expected([](std::uint32_t t) {
              std::uint32_t sum = 0;
              for (std::uint32_t n = 0; t < 9 && n <= t; ++n) sum += fibonacci(n);
              return sum;
            }));
}

TEST(Recursion, TakesLocalMemoryForItsStack) {
  const std::string text = module_text(std::string(kFibonacci) + R"(
.entry k() { .local .align 4 .b8 mine[20]; st.local.u32 [mine+16], 1; { .param .b32 a; st.param.b32 [a], 3; .param .b32 b; call (b), fib, (a); } ret; })");
  EXPECT_EQ(lower_text(text, "k", {.stack_bytes = 512})->local_bytes, 32u + 512u);
}

}  // namespace
}  // namespace heddle::isa
