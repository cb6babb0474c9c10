// SPDX-License-Identifier: Apache-2.0
// libstdc++ 14 asserts in functions that clang makes available to kernels, by a function of the host; the same for the device.
#pragma once
#pragma GCC system_header
#include_next <bits/c++config.h>
#if defined(__CUDA__) && _GLIBCXX_RELEASE >= 14 && !defined(_GLIBCXX_ASSERTIONS)
namespace std {
__attribute__((device, always_inline)) inline void __glibcxx_assert_fail() {}
}  // namespace std
#endif
