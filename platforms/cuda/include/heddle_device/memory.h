// SPDX-License-Identifier: Apache-2.0
// Loads and stores with a cache hint, and address-space queries.
#pragma once

#include "../vector_types.h"
#include "macros.h"

// --- __ldg: the read-only path (ld.global.nc) ------------------------------------------------------------------------
HEDDLE_DEVICE char __ldg(const char* p) { return __nvvm_ldg_c(p); }
HEDDLE_DEVICE signed char __ldg(const signed char* p) { return __nvvm_ldg_c((const char*)p); }
HEDDLE_DEVICE short __ldg(const short* p) { return __nvvm_ldg_s(p); }
HEDDLE_DEVICE int __ldg(const int* p) { return __nvvm_ldg_i(p); }
HEDDLE_DEVICE long __ldg(const long* p) { return __nvvm_ldg_l(p); }
HEDDLE_DEVICE long long __ldg(const long long* p) { return __nvvm_ldg_ll(p); }
HEDDLE_DEVICE unsigned char __ldg(const unsigned char* p) { return __nvvm_ldg_uc(p); }
HEDDLE_DEVICE unsigned short __ldg(const unsigned short* p) { return __nvvm_ldg_us(p); }
HEDDLE_DEVICE unsigned int __ldg(const unsigned int* p) { return __nvvm_ldg_ui(p); }
HEDDLE_DEVICE unsigned long __ldg(const unsigned long* p) { return __nvvm_ldg_ul(p); }
HEDDLE_DEVICE unsigned long long __ldg(const unsigned long long* p) { return __nvvm_ldg_ull(p); }
HEDDLE_DEVICE float __ldg(const float* p) { return __nvvm_ldg_f(p); }
HEDDLE_DEVICE double __ldg(const double* p) { return __nvvm_ldg_d(p); }

#define HEDDLE_LDG_VECTOR(vector, scalar, count, letter)           \
  HEDDLE_DEVICE vector __ldg(const vector* p) {                    \
    typedef scalar packed __attribute__((ext_vector_type(count))); \
    const packed v = __nvvm_ldg_##letter((const packed*)p);        \
    vector result;                                                 \
    __builtin_memcpy(&result, &v, sizeof result);                  \
    return result;                                                 \
  }
HEDDLE_LDG_VECTOR(char2, char, 2, c2)
HEDDLE_LDG_VECTOR(char4, char, 4, c4)
HEDDLE_LDG_VECTOR(short2, short, 2, s2)
HEDDLE_LDG_VECTOR(short4, short, 4, s4)
HEDDLE_LDG_VECTOR(int2, int, 2, i2)
HEDDLE_LDG_VECTOR(int4, int, 4, i4)
HEDDLE_LDG_VECTOR(longlong2, long long, 2, ll2)
HEDDLE_LDG_VECTOR(uchar2, unsigned char, 2, uc2)
HEDDLE_LDG_VECTOR(uchar4, unsigned char, 4, uc4)
HEDDLE_LDG_VECTOR(ushort2, unsigned short, 2, us2)
HEDDLE_LDG_VECTOR(ushort4, unsigned short, 4, us4)
HEDDLE_LDG_VECTOR(uint2, unsigned int, 2, ui2)
HEDDLE_LDG_VECTOR(uint4, unsigned int, 4, ui4)
HEDDLE_LDG_VECTOR(ulonglong2, unsigned long long, 2, ull2)
HEDDLE_LDG_VECTOR(float2, float, 2, f2)
HEDDLE_LDG_VECTOR(float4, float, 4, f4)
HEDDLE_LDG_VECTOR(double2, double, 2, d2)
#undef HEDDLE_LDG_VECTOR

// --- cache operators: ca cg cs lu cv for loads, wb cg cs wt for stores
// -------------------------------------------------
#define HEDDLE_LOAD1(function, operation, type, ptx, letter, as)                                       \
  HEDDLE_DEVICE type function(const type* p) {                                                         \
    as value;                                                                                          \
    asm volatile("ld.global." operation "." ptx " %0, [%1];" : "=" letter(value) : "l"(p) : "memory"); \
    return static_cast<type>(value);                                                                   \
  }
#define HEDDLE_LOAD2(function, operation, type, ptx, letter, as)      \
  HEDDLE_DEVICE type function(const type* p) {                        \
    as x, y;                                                          \
    asm volatile("ld.global." operation ".v2." ptx " {%0, %1}, [%2];" \
                 : "=" letter(x), "=" letter(y)                       \
                 : "l"(p)                                             \
                 : "memory");                                         \
    type v;                                                           \
    v.x = x;                                                          \
    v.y = y;                                                          \
    return v;                                                         \
  }
#define HEDDLE_LOAD4(function, operation, type, ptx, letter, as)              \
  HEDDLE_DEVICE type function(const type* p) {                                \
    as x, y, z, w;                                                            \
    asm volatile("ld.global." operation ".v4." ptx " {%0, %1, %2, %3}, [%4];" \
                 : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w) \
                 : "l"(p)                                                     \
                 : "memory");                                                 \
    type v;                                                                   \
    v.x = x;                                                                  \
    v.y = y;                                                                  \
    v.z = z;                                                                  \
    v.w = w;                                                                  \
    return v;                                                                 \
  }
#define HEDDLE_STORE1(function, operation, type, ptx, letter, as)                                                  \
  HEDDLE_DEVICE void function(type* p, type value) {                                                               \
    asm volatile("st.global." operation "." ptx " [%0], %1;" ::"l"(p), letter(static_cast<as>(value)) : "memory"); \
  }
#define HEDDLE_STORE2(function, operation, type, ptx, letter, as)                                             \
  HEDDLE_DEVICE void function(type* p, type v) {                                                              \
    asm volatile("st.global." operation ".v2." ptx " [%0], {%1, %2};" ::"l"(p), letter(static_cast<as>(v.x)), \
                 letter(static_cast<as>(v.y))                                                                 \
                 : "memory");                                                                                 \
  }
#define HEDDLE_STORE4(function, operation, type, ptx, letter, as)                                                     \
  HEDDLE_DEVICE void function(type* p, type v) {                                                                      \
    asm volatile("st.global." operation ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p), letter(static_cast<as>(v.x)), \
                 letter(static_cast<as>(v.y)), letter(static_cast<as>(v.z)), letter(static_cast<as>(v.w))             \
                 : "memory");                                                                                         \
  }
// The scalar and vector types, each with its PTX type, register constraint and register type. An 8-bit value uses a
// 16-bit register.
#define HEDDLE_CACHE_TYPES(X1, X2, X4, function, operation)                   \
  X1(function, operation, char, "s8", "h", short)                             \
  X1(function, operation, signed char, "s8", "h", short)                      \
  X1(function, operation, short, "s16", "h", short)                           \
  X1(function, operation, int, "s32", "r", int)                               \
  X1(function, operation, long, "s64", "l", long)                             \
  X1(function, operation, long long, "s64", "l", long long)                   \
  X1(function, operation, unsigned char, "u8", "h", unsigned short)           \
  X1(function, operation, unsigned short, "u16", "h", unsigned short)         \
  X1(function, operation, unsigned int, "u32", "r", unsigned int)             \
  X1(function, operation, unsigned long, "u64", "l", unsigned long)           \
  X1(function, operation, unsigned long long, "u64", "l", unsigned long long) \
  X1(function, operation, float, "f32", "f", float)                           \
  X1(function, operation, double, "f64", "d", double)                         \
  X2(function, operation, char2, "s8", "h", short)                            \
  X2(function, operation, short2, "s16", "h", short)                          \
  X2(function, operation, int2, "s32", "r", int)                              \
  X2(function, operation, longlong2, "s64", "l", long long)                   \
  X2(function, operation, uchar2, "u8", "h", unsigned short)                  \
  X2(function, operation, ushort2, "u16", "h", unsigned short)                \
  X2(function, operation, uint2, "u32", "r", unsigned int)                    \
  X2(function, operation, ulonglong2, "u64", "l", unsigned long long)         \
  X2(function, operation, float2, "f32", "f", float)                          \
  X2(function, operation, double2, "f64", "d", double)                        \
  X4(function, operation, char4, "s8", "h", short)                            \
  X4(function, operation, short4, "s16", "h", short)                          \
  X4(function, operation, int4, "s32", "r", int)                              \
  X4(function, operation, uchar4, "u8", "h", unsigned short)                  \
  X4(function, operation, ushort4, "u16", "h", unsigned short)                \
  X4(function, operation, uint4, "u32", "r", unsigned int)                    \
  X4(function, operation, float4, "f32", "f", float)
#define HEDDLE_LOADS(function, operation) \
  HEDDLE_CACHE_TYPES(HEDDLE_LOAD1, HEDDLE_LOAD2, HEDDLE_LOAD4, function, operation)
#define HEDDLE_STORES(function, operation) \
  HEDDLE_CACHE_TYPES(HEDDLE_STORE1, HEDDLE_STORE2, HEDDLE_STORE4, function, operation)
HEDDLE_LOADS(__ldca, "ca")
HEDDLE_LOADS(__ldcg, "cg")
HEDDLE_LOADS(__ldcs, "cs")
HEDDLE_LOADS(__ldlu, "lu")
HEDDLE_LOADS(__ldcv, "cv")
HEDDLE_STORES(__stwb, "wb")
HEDDLE_STORES(__stcg, "cg")
HEDDLE_STORES(__stcs, "cs")
HEDDLE_STORES(__stwt, "wt")
#undef HEDDLE_STORES
#undef HEDDLE_LOADS
#undef HEDDLE_CACHE_TYPES
#undef HEDDLE_STORE4
#undef HEDDLE_STORE2
#undef HEDDLE_STORE1
#undef HEDDLE_LOAD4
#undef HEDDLE_LOAD2
#undef HEDDLE_LOAD1

// --- address spaces
// ---------------------------------------------------------------------------------------------------
HEDDLE_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
HEDDLE_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
HEDDLE_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
HEDDLE_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
// Taking a parameter's address makes a local copy, even if declared __grid_constant__.
HEDDLE_DEVICE unsigned int __isGridConstant(const void*) { return 0; }

#define HEDDLE_CONVERT_ADDRESS(name, space)                        \
  HEDDLE_DEVICE size_t __cvta_generic_to_##name(const void* p) {   \
    size_t address;                                                \
    asm("cvta.to." space ".u64 %0, %1;" : "=l"(address) : "l"(p)); \
    return address;                                                \
  }                                                                \
  HEDDLE_DEVICE void* __cvta_##name##_to_generic(size_t address) { \
    void* p;                                                       \
    asm("cvta." space ".u64 %0, %1;" : "=l"(p) : "l"(address));    \
    return p;                                                      \
  }
HEDDLE_CONVERT_ADDRESS(global, "global")
HEDDLE_CONVERT_ADDRESS(shared, "shared")
HEDDLE_CONVERT_ADDRESS(constant, "const")
HEDDLE_CONVERT_ADDRESS(local, "local")
#undef HEDDLE_CONVERT_ADDRESS
