// SPDX-License-Identifier: Apache-2.0
// Warp-wide operations: vote, shuffle, match. The maskless forms (of architectures before sm_70) involve the threads
// active at execution.
#pragma once

#include "macros.h"

// --- vote ----------------------------------------------------------------------------------------------------------
HEDDLE_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
HEDDLE_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
HEDDLE_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
HEDDLE_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
// The compiler does not generate maskless forms for sm_70, so these use assembly.
#define HEDDLE_VOTE(name, mode)                                                                           \
  HEDDLE_DEVICE int name(int predicate) {                                                                 \
    int result;                                                                                           \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote." mode ".pred p, p; selp.s32 %0, 1, 0, p; }" \
                 : "=r"(result)                                                                           \
                 : "r"(predicate));                                                                       \
    return result;                                                                                        \
  }
HEDDLE_VOTE(__all, "all")
HEDDLE_VOTE(__any, "any")
HEDDLE_VOTE(__uni, "uni")
#undef HEDDLE_VOTE
HEDDLE_DEVICE unsigned int __ballot(int predicate) {
  unsigned int result;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.ballot.b32 %0, p; }" : "=r"(result) : "r"(predicate));
  return result;
}
HEDDLE_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

// --- shuffle -------------------------------------------------------------------------------------------------------
// The last operand of shfl (PTX ISA, shfl): the complement of the segment in bits 8 to 12, and in the low bits the lane
// that bounds the source: 0 for .up, 31 for the others.
HEDDLE_DEVICE int heddle_shuffle_bounds(int width, int clamp) { return ((32 - width) << 8) | clamp; }

#define HEDDLE_SHUFFLE(name, mode, lane_type, clamp)                                                              \
  HEDDLE_DEVICE int name##_sync(unsigned int mask, int value, lane_type lane, int width = 32) {                   \
    return __nvvm_shfl_sync_##mode##_i32(mask, value, lane, heddle_shuffle_bounds(width, clamp));                 \
  }                                                                                                               \
  HEDDLE_DEVICE float name##_sync(unsigned int mask, float value, lane_type lane, int width = 32) {               \
    return __nvvm_shfl_sync_##mode##_f32(mask, value, lane, heddle_shuffle_bounds(width, clamp));                 \
  }                                                                                                               \
  HEDDLE_DEVICE int name(int value, lane_type lane, int width = 32) {                                             \
    int result;                                                                                                   \
    asm volatile("shfl." #mode ".b32 %0, %1, %2, %3;"                                                             \
                 : "=r"(result)                                                                                   \
                 : "r"(value), "r"(lane), "r"(heddle_shuffle_bounds(width, clamp)));                              \
    return result;                                                                                                \
  }                                                                                                               \
  HEDDLE_DEVICE float name(float value, lane_type lane, int width = 32) {                                         \
    float result;                                                                                                 \
    asm volatile("shfl." #mode ".b32 %0, %1, %2, %3;"                                                             \
                 : "=f"(result)                                                                                   \
                 : "f"(value), "r"(lane), "r"(heddle_shuffle_bounds(width, clamp)));                              \
    return result;                                                                                                \
  }                                                                                                               \
  HEDDLE_DEVICE unsigned int name##_sync(unsigned int mask, unsigned int value, lane_type lane, int width = 32) { \
    return static_cast<unsigned int>(name##_sync(mask, static_cast<int>(value), lane, width));                    \
  }                                                                                                               \
  HEDDLE_DEVICE unsigned int name(unsigned int value, lane_type lane, int width = 32) {                           \
    return static_cast<unsigned int>(name(static_cast<int>(value), lane, width));                                 \
  }                                                                                                               \
  HEDDLE_SHUFFLE_WIDE(name, lane_type, long long)                                                                 \
  HEDDLE_SHUFFLE_WIDE(name, lane_type, unsigned long long)                                                        \
  HEDDLE_SHUFFLE_WIDE(name, lane_type, long)                                                                      \
  HEDDLE_SHUFFLE_WIDE(name, lane_type, unsigned long)                                                             \
  HEDDLE_SHUFFLE_WIDE(name, lane_type, double)

// Eight-byte values are exchanged as two halves.
#define HEDDLE_SHUFFLE_WIDE(name, lane_type, type)                                                   \
  HEDDLE_DEVICE type name##_sync(unsigned int mask, type value, lane_type lane, int width = 32) {    \
    static_assert(sizeof(type) == 8, "an eight-byte type");                                          \
    unsigned long long bits;                                                                         \
    __builtin_memcpy(&bits, &value, 8);                                                              \
    const unsigned int low = name##_sync(mask, static_cast<unsigned int>(bits), lane, width);        \
    const unsigned int high = name##_sync(mask, static_cast<unsigned int>(bits >> 32), lane, width); \
    bits = static_cast<unsigned long long>(high) << 32 | low;                                        \
    __builtin_memcpy(&value, &bits, 8);                                                              \
    return value;                                                                                    \
  }                                                                                                  \
  HEDDLE_DEVICE type name(type value, lane_type lane, int width = 32) {                              \
    unsigned long long bits;                                                                         \
    __builtin_memcpy(&bits, &value, 8);                                                              \
    const unsigned int low = name(static_cast<unsigned int>(bits), lane, width);                     \
    const unsigned int high = name(static_cast<unsigned int>(bits >> 32), lane, width);              \
    bits = static_cast<unsigned long long>(high) << 32 | low;                                        \
    __builtin_memcpy(&value, &bits, 8);                                                              \
    return value;                                                                                    \
  }

HEDDLE_SHUFFLE(__shfl, idx, int, 0x1f)
HEDDLE_SHUFFLE(__shfl_up, up, unsigned int, 0)
HEDDLE_SHUFFLE(__shfl_down, down, unsigned int, 0x1f)
HEDDLE_SHUFFLE(__shfl_xor, bfly, int, 0x1f)
#undef HEDDLE_SHUFFLE_WIDE
#undef HEDDLE_SHUFFLE

// --- match ---------------------------------------------------------------------------------------------------------
// Assembly, because the compiler's 64-bit forms have a 64-bit result, which PTX does not have.
#define HEDDLE_MATCH(type, bits, letter, word)                                                     \
  HEDDLE_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {                     \
    static_assert(sizeof(type) * 8 == bits, "the width of the match");                             \
    word w;                                                                                        \
    __builtin_memcpy(&w, &value, sizeof w);                                                        \
    unsigned int lanes;                                                                            \
    asm volatile("match.any.sync.b" #bits " %0, %1, %2;" : "=r"(lanes) : letter(w), "r"(mask));    \
    return lanes;                                                                                  \
  }                                                                                                \
  HEDDLE_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* predicate) {     \
    word w;                                                                                        \
    __builtin_memcpy(&w, &value, sizeof w);                                                        \
    unsigned int lanes;                                                                            \
    asm volatile("{ .reg .pred p; match.all.sync.b" #bits " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" \
                 : "=r"(lanes), "=r"(*predicate)                                                   \
                 : letter(w), "r"(mask));                                                          \
    return lanes;                                                                                  \
  }
HEDDLE_MATCH(int, 32, "r", unsigned int)
HEDDLE_MATCH(unsigned int, 32, "r", unsigned int)
HEDDLE_MATCH(float, 32, "r", unsigned int)
HEDDLE_MATCH(long, 64, "l", unsigned long long)
HEDDLE_MATCH(unsigned long, 64, "l", unsigned long long)
HEDDLE_MATCH(long long, 64, "l", unsigned long long)
HEDDLE_MATCH(unsigned long long, 64, "l", unsigned long long)
HEDDLE_MATCH(double, 64, "l", unsigned long long)
#undef HEDDLE_MATCH

// --- reduce: redux.sync begins with sm_80; before it, a butterfly over the named lanes would change which threads
// synchronise, so CUDA has none either.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HEDDLE_REDUX(name, type, operation)                                                      \
  HEDDLE_DEVICE type name(unsigned int mask, type value) {                                       \
    type result;                                                                                 \
    asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                               \
  }
HEDDLE_REDUX(__reduce_add_sync, unsigned int, "add.u32")
HEDDLE_REDUX(__reduce_min_sync, unsigned int, "min.u32")
HEDDLE_REDUX(__reduce_max_sync, unsigned int, "max.u32")
HEDDLE_REDUX(__reduce_add_sync, int, "add.s32")
HEDDLE_REDUX(__reduce_min_sync, int, "min.s32")
HEDDLE_REDUX(__reduce_max_sync, int, "max.s32")
HEDDLE_REDUX(__reduce_and_sync, unsigned int, "and.b32")
HEDDLE_REDUX(__reduce_or_sync, unsigned int, "or.b32")
HEDDLE_REDUX(__reduce_xor_sync, unsigned int, "xor.b32")
#undef HEDDLE_REDUX
#endif
