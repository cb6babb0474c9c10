// SPDX-License-Identifier: Apache-2.0
// Registers the address range of the host shadows of this image's __managed__ variables before its kernels and
// variables are registered. The runtime then backs a variable whose shadow lies in the range with the shadow's bytes
// (initial values come from the PTX).
#pragma once

#if !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_heddle_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_heddle_managed[] __attribute__((weak, visibility("hidden")));
void heddle_register_managed(const void* begin, const void* end) __attribute__((weak));
}

namespace heddle_cuda {
// Priority 101 runs before the compiler's registration, which has none. There is one per translation unit: the runtime
// accepts the same range repeatedly.
__attribute__((constructor(101), host)) static void register_managed() {
  if (__start_heddle_managed != nullptr && heddle_register_managed != nullptr) {
    heddle_register_managed(__start_heddle_managed, __stop_heddle_managed);
  }
}
}  // namespace heddle_cuda
#endif
