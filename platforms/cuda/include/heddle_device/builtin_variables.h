// SPDX-License-Identifier: Apache-2.0
// threadIdx, blockIdx, blockDim, gridDim, warpSize. Components are properties: reading one reads the special register
// and yields a plain unsigned int, so that templates, printf and auto see no wrapper. A copy (auto index = threadIdx) reads
// the registers as the original does.
#pragma once

#include "../vector_types.h"

#define HEDDLE_SPECIAL_COMPONENT(letter, sreg)                                              \
  __declspec(property(get = heddle_get_##letter)) unsigned int letter;                      \
  static inline __attribute__((always_inline, device)) unsigned int heddle_get_##letter() { \
    return __nvvm_read_ptx_sreg_##sreg##_##letter();                                        \
  }
#define HEDDLE_SPECIAL_VARIABLE(type, name, sreg)                                                   \
  struct type {                                                                                     \
    HEDDLE_SPECIAL_COMPONENT(x, sreg)                                                               \
    HEDDLE_SPECIAL_COMPONENT(y, sreg)                                                               \
    HEDDLE_SPECIAL_COMPONENT(z, sreg)                                                               \
    inline __attribute__((always_inline, device)) operator dim3() const { return dim3(x, y, z); }   \
    inline __attribute__((always_inline, device)) operator uint3() const { return uint3{x, y, z}; } \
    type(const type&) = default;                                                                    \
    void operator=(const type&) = delete;                                                           \
    type* operator&() const = delete;                                                               \
                                                                                                    \
   private:                                                                                         \
    type() = default;                                                                               \
  };                                                                                                \
  extern const __attribute__((device, weak)) type name;

HEDDLE_SPECIAL_VARIABLE(HeddleThreadIdx, threadIdx, tid)
HEDDLE_SPECIAL_VARIABLE(HeddleBlockIdx, blockIdx, ctaid)
HEDDLE_SPECIAL_VARIABLE(HeddleBlockDim, blockDim, ntid)
HEDDLE_SPECIAL_VARIABLE(HeddleGridDim, gridDim, nctaid)

#undef HEDDLE_SPECIAL_VARIABLE
#undef HEDDLE_SPECIAL_COMPONENT

// A constant rather than %WARP_SZ: the ISA warp is 32 threads on every machine, whatever the hardware warp size.
__attribute__((device)) const int warpSize = 32;
