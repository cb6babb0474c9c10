// SPDX-License-Identifier: Apache-2.0
// fetch_max and fetch_min of signed numbers for libcu++ before 1.9, which compares all as unsigned. Overload resolution prefers
// these non-templates.
#pragma once

#if defined(__CUDA_ARCH__) && _LIBCUDACXX_CUDA_API_VERSION < 1009000
_LIBCUDACXX_BEGIN_NAMESPACE_STD
namespace __detail {

#define HEDDLE_EXTREMUM(name, operation, type, ptx, letter, scope, suffix)                                         \
  static inline __attribute__((device)) type name(volatile type* address, type value, int order,                   \
                                                  __thread_scope_##scope##_tag tag) {                              \
    type old;                                                                                                      \
    if (order >= __ATOMIC_RELEASE) __atomic_thread_fence_cuda(order, tag);                                         \
    asm volatile("atom." operation ".relaxed." suffix "." ptx " %0, [%1], %2;"                                     \
                 : "=" letter(old)                                                                                 \
                 : "l"(address), letter(value)                                                                     \
                 : "memory");                                                                                      \
    if (order != __ATOMIC_RELEASE && order != __ATOMIC_RELAXED) __atomic_thread_fence_cuda(__ATOMIC_ACQUIRE, tag); \
    return old;                                                                                                    \
  }
#define HEDDLE_EXTREMA(type, ptx, letter, scope, suffix)                            \
  HEDDLE_EXTREMUM(__atomic_fetch_max_cuda, "max", type, ptx, letter, scope, suffix) \
  HEDDLE_EXTREMUM(__atomic_fetch_min_cuda, "min", type, ptx, letter, scope, suffix)
#define HEDDLE_EXTREMA_OF(type, ptx, letter)       \
  HEDDLE_EXTREMA(type, ptx, letter, block, "cta")  \
  HEDDLE_EXTREMA(type, ptx, letter, device, "gpu") \
  HEDDLE_EXTREMA(type, ptx, letter, system, "sys")
HEDDLE_EXTREMA_OF(int, "s32", "r")
HEDDLE_EXTREMA_OF(long, "s64", "l")
HEDDLE_EXTREMA_OF(long long, "s64", "l")
// These would be compared bitwise.
#define HEDDLE_NO_EXTREMA(type, scope)                                                                          \
  __attribute__((device, unavailable("libcu++ has no fetch_max and fetch_min of floating-point numbers"))) type \
  __atomic_fetch_max_cuda(volatile type*, type, int, __thread_scope_##scope##_tag);                             \
  __attribute__((device, unavailable("libcu++ has no fetch_max and fetch_min of floating-point numbers"))) type \
  __atomic_fetch_min_cuda(volatile type*, type, int, __thread_scope_##scope##_tag);
HEDDLE_NO_EXTREMA(float, block)
HEDDLE_NO_EXTREMA(float, device)
HEDDLE_NO_EXTREMA(float, system)
HEDDLE_NO_EXTREMA(double, block)
HEDDLE_NO_EXTREMA(double, device)
HEDDLE_NO_EXTREMA(double, system)
#undef HEDDLE_NO_EXTREMA
#undef HEDDLE_EXTREMA_OF
#undef HEDDLE_EXTREMA
#undef HEDDLE_EXTREMUM

}  // namespace __detail
_LIBCUDACXX_END_NAMESPACE_STD
#endif
