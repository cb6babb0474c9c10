// SPDX-License-Identifier: Apache-2.0
// A function that calls itself twice, in PTX and here.
#pragma once

#include <cstdint>

namespace heddle::isa {

inline constexpr const char* kFibonacci = R"(
.func (.param .b32 ret) fib(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p;
ld.param.b32 %r1, [n]; setp.lt.u32 %p, %r1, 2; @%p bra SMALL;
sub.u32 %r2, %r1, 1;
{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r3, [b]; }
sub.u32 %r4, %r1, 2;
{ .param .b32 a; st.param.b32 [a], %r4; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }
add.u32 %r6, %r3, %r5; st.param.b32 [ret], %r6; ret;
SMALL: st.param.b32 [ret], %r1; ret; }
)";

inline std::uint32_t fibonacci(std::uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

}  // namespace heddle::isa
