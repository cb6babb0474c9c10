// SPDX-License-Identifier: Apache-2.0
// Atomic functions: device scope (no suffix), _block and _system. The compiler treats device-scope operations as
// sequentially consistent and moves no other access across them. The intrinsics for other scopes, and for inc and dec,
// only declare access to their own location, hence the compiler barriers.
#pragma once

#include "macros.h"

#define HEDDLE_ATOMIC(name, type, builtin, as)                               \
  HEDDLE_DEVICE type name(type* address, type value) {                       \
    return static_cast<type>(builtin((as*)address, static_cast<as>(value))); \
  }
#define HEDDLE_ATOMIC_INTRINSIC(name, type, builtin, as)                               \
  HEDDLE_DEVICE type name(type* address, type value) {                                 \
    HEDDLE_COMPILER_BARRIER();                                                         \
    const type old = static_cast<type>(builtin((as*)address, static_cast<as>(value))); \
    HEDDLE_COMPILER_BARRIER();                                                         \
    return old;                                                                        \
  }

// One operation in three scopes; `kind` is the part of the builtin's name after "atom_", `letter` its type.
#define HEDDLE_ATOMIC_SCOPES(name, type, operation, letter, as)         \
  HEDDLE_ATOMIC(name, type, __nvvm_atom_##operation##_gen_##letter, as) \
  HEDDLE_ATOMIC_SCOPED(name, type, operation, letter, as)
#define HEDDLE_ATOMIC_SCOPED(name, type, operation, letter, as)                               \
  HEDDLE_ATOMIC_INTRINSIC(name##_block, type, __nvvm_atom_cta_##operation##_gen_##letter, as) \
  HEDDLE_ATOMIC_INTRINSIC(name##_system, type, __nvvm_atom_sys_##operation##_gen_##letter, as)

HEDDLE_ATOMIC_SCOPES(atomicAdd, int, add, i, int)
HEDDLE_ATOMIC_SCOPES(atomicAdd, unsigned int, add, i, int)
HEDDLE_ATOMIC_SCOPES(atomicAdd, unsigned long long, add, ll, long long)
HEDDLE_ATOMIC_SCOPES(atomicAdd, float, add, f, float)

// Templates, so that a program's own atomicAdd(double*, double) for architectures before sm_60 takes precedence instead
// of clashing.
template <class T = double>
HEDDLE_DEVICE T atomicAdd(double* address, double value) {
  return __nvvm_atom_add_gen_d(address, value);
}
#define HEDDLE_ATOMIC_ADD_DOUBLE(name, builtin)         \
  template <class T = double>                           \
  HEDDLE_DEVICE T name(double* address, double value) { \
    HEDDLE_COMPILER_BARRIER();                          \
    const T old = builtin(address, value);              \
    HEDDLE_COMPILER_BARRIER();                          \
    return old;                                         \
  }
HEDDLE_ATOMIC_ADD_DOUBLE(atomicAdd_block, __nvvm_atom_cta_add_gen_d)
HEDDLE_ATOMIC_ADD_DOUBLE(atomicAdd_system, __nvvm_atom_sys_add_gen_d)
#undef HEDDLE_ATOMIC_ADD_DOUBLE

#define HEDDLE_ATOMIC_SUB(suffix)                                                            \
  HEDDLE_DEVICE int atomicSub##suffix(int* address, int value) {                             \
    return atomicAdd##suffix((unsigned int*)address, 0u - static_cast<unsigned int>(value)); \
  }                                                                                          \
  HEDDLE_DEVICE unsigned int atomicSub##suffix(unsigned int* address, unsigned int value) {  \
    return atomicAdd##suffix(address, 0u - value);                                           \
  }
HEDDLE_ATOMIC_SUB()
HEDDLE_ATOMIC_SUB(_block)
HEDDLE_ATOMIC_SUB(_system)
#undef HEDDLE_ATOMIC_SUB

HEDDLE_ATOMIC_SCOPES(atomicExch, int, xchg, i, int)
HEDDLE_ATOMIC_SCOPES(atomicExch, unsigned int, xchg, i, int)
HEDDLE_ATOMIC_SCOPES(atomicExch, unsigned long long, xchg, ll, long long)
#define HEDDLE_ATOMIC_EXCHANGE_FLOAT(suffix)                            \
  HEDDLE_DEVICE float atomicExch##suffix(float* address, float value) { \
    unsigned int bits;                                                  \
    __builtin_memcpy(&bits, &value, 4);                                 \
    bits = atomicExch##suffix((unsigned int*)address, bits);            \
    __builtin_memcpy(&value, &bits, 4);                                 \
    return value;                                                       \
  }
HEDDLE_ATOMIC_EXCHANGE_FLOAT()
HEDDLE_ATOMIC_EXCHANGE_FLOAT(_block)
HEDDLE_ATOMIC_EXCHANGE_FLOAT(_system)
#undef HEDDLE_ATOMIC_EXCHANGE_FLOAT

HEDDLE_ATOMIC_SCOPES(atomicMin, int, min, i, int)
HEDDLE_ATOMIC_SCOPES(atomicMin, unsigned int, min, ui, unsigned int)
HEDDLE_ATOMIC_SCOPES(atomicMin, long long, min, ll, long long)
HEDDLE_ATOMIC_SCOPES(atomicMin, unsigned long long, min, ull, unsigned long long)
HEDDLE_ATOMIC_SCOPES(atomicMax, int, max, i, int)
HEDDLE_ATOMIC_SCOPES(atomicMax, unsigned int, max, ui, unsigned int)
HEDDLE_ATOMIC_SCOPES(atomicMax, long long, max, ll, long long)
HEDDLE_ATOMIC_SCOPES(atomicMax, unsigned long long, max, ull, unsigned long long)
HEDDLE_ATOMIC_SCOPES(atomicAnd, int, and, i, int)
HEDDLE_ATOMIC_SCOPES(atomicAnd, unsigned int, and, i, int)
HEDDLE_ATOMIC_SCOPES(atomicAnd, unsigned long long, and, ll, long long)
HEDDLE_ATOMIC_SCOPES(atomicOr, int, or, i, int)
HEDDLE_ATOMIC_SCOPES(atomicOr, unsigned int, or, i, int)
HEDDLE_ATOMIC_SCOPES(atomicOr, unsigned long long, or, ll, long long)
HEDDLE_ATOMIC_SCOPES(atomicXor, int, xor, i, int)
HEDDLE_ATOMIC_SCOPES(atomicXor, unsigned int, xor, i, int)
HEDDLE_ATOMIC_SCOPES(atomicXor, unsigned long long, xor, ll, long long)
HEDDLE_ATOMIC_INTRINSIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui, unsigned int)
HEDDLE_ATOMIC_SCOPED(atomicInc, unsigned int, inc, ui, unsigned int)
HEDDLE_ATOMIC_INTRINSIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui, unsigned int)
HEDDLE_ATOMIC_SCOPED(atomicDec, unsigned int, dec, ui, unsigned int)
#undef HEDDLE_ATOMIC_SCOPES
#undef HEDDLE_ATOMIC_SCOPED
#undef HEDDLE_ATOMIC_INTRINSIC
#undef HEDDLE_ATOMIC

#define HEDDLE_ATOMIC_CAS(name, type, builtin, as)                                                     \
  HEDDLE_DEVICE type name(type* address, type compare, type value) {                                   \
    return static_cast<type>(builtin((as*)address, static_cast<as>(compare), static_cast<as>(value))); \
  }
#define HEDDLE_ATOMIC_CAS_INTRINSIC(name, type, builtin, as)                                                     \
  HEDDLE_DEVICE type name(type* address, type compare, type value) {                                             \
    HEDDLE_COMPILER_BARRIER();                                                                                   \
    const type old = static_cast<type>(builtin((as*)address, static_cast<as>(compare), static_cast<as>(value))); \
    HEDDLE_COMPILER_BARRIER();                                                                                   \
    return old;                                                                                                  \
  }
HEDDLE_ATOMIC_CAS(atomicCAS, int, __nvvm_atom_cas_gen_i, int)
HEDDLE_ATOMIC_CAS(atomicCAS, unsigned int, __nvvm_atom_cas_gen_i, int)
HEDDLE_ATOMIC_CAS(atomicCAS, unsigned long long, __nvvm_atom_cas_gen_ll, long long)
HEDDLE_ATOMIC_CAS_INTRINSIC(atomicCAS_block, int, __nvvm_atom_cta_cas_gen_i, int)
HEDDLE_ATOMIC_CAS_INTRINSIC(atomicCAS_block, unsigned int, __nvvm_atom_cta_cas_gen_i, int)
HEDDLE_ATOMIC_CAS_INTRINSIC(atomicCAS_block, unsigned long long, __nvvm_atom_cta_cas_gen_ll, long long)
HEDDLE_ATOMIC_CAS_INTRINSIC(atomicCAS_system, int, __nvvm_atom_sys_cas_gen_i, int)
HEDDLE_ATOMIC_CAS_INTRINSIC(atomicCAS_system, unsigned int, __nvvm_atom_sys_cas_gen_i, int)
HEDDLE_ATOMIC_CAS_INTRINSIC(atomicCAS_system, unsigned long long, __nvvm_atom_sys_cas_gen_ll, long long)
#undef HEDDLE_ATOMIC_CAS_INTRINSIC
#undef HEDDLE_ATOMIC_CAS

#define HEDDLE_ATOMIC_CAS16(name, scope)                                                                     \
  HEDDLE_DEVICE unsigned short name(unsigned short* address, unsigned short compare, unsigned short value) { \
    unsigned short old;                                                                                      \
    asm volatile("atom." scope "cas.b16 %0, [%1], %2, %3;"                                                   \
                 : "=h"(old)                                                                                 \
                 : "l"(address), "h"(compare), "h"(value)                                                    \
                 : "memory");                                                                                \
    return old;                                                                                              \
  }
HEDDLE_ATOMIC_CAS16(atomicCAS, "")
HEDDLE_ATOMIC_CAS16(atomicCAS_block, "cta.")
HEDDLE_ATOMIC_CAS16(atomicCAS_system, "sys.")
#undef HEDDLE_ATOMIC_CAS16
