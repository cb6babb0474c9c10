// SPDX-License-Identifier: Apache-2.0
// <cuda/std/chrono> of libcu++ with its own clock: clang requires %% before a special register in inline assembly, but
// libcu++ before 1.9 writes a single %, as nvcc accepts.
#pragma once
#pragma GCC system_header

#include <cuda/std/detail/__config>
#if _LIBCUDACXX_CUDA_API_VERSION < 1009000 && !defined(_CUDA_CHRONO)
#define _CUDA_CHRONO  // libcu++ then skips its own

#include <chrono>

#include <cuda/std/ctime>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/type_traits>
#include <cuda/std/version>
//
#include <cuda/std/detail/__pragma_push>
#include <cuda/std/detail/libcxx/include/chrono>

_LIBCUDACXX_BEGIN_NAMESPACE_STD
namespace chrono {

inline _LIBCUDACXX_INLINE_VISIBILITY system_clock::time_point system_clock::now() noexcept {
#if defined(__CUDA_ARCH__)
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time_point(duration_cast<duration>(nanoseconds(time)));
#else
  const auto time = ::std::chrono::system_clock::now().time_since_epoch();
  const auto count = ::std::chrono::duration_cast< ::std::chrono::nanoseconds>(time).count();
  return time_point(duration_cast<duration>(nanoseconds(count)));
#endif
}

inline _LIBCUDACXX_INLINE_VISIBILITY time_t system_clock::to_time_t(const time_point& time) noexcept {
  return static_cast<time_t>(duration_cast<seconds>(time.time_since_epoch()).count());
}

inline _LIBCUDACXX_INLINE_VISIBILITY system_clock::time_point system_clock::from_time_t(time_t time) noexcept {
  return time_point(seconds(time));
}

}  // namespace chrono
_LIBCUDACXX_END_NAMESPACE_STD

#include <cuda/std/detail/__pragma_pop>
#endif
