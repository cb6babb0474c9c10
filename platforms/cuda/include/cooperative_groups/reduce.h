// SPDX-License-Identifier: Apache-2.0
// reduce() over tiles and coalesced threads, and the operations it takes.
#ifndef HEDDLE_COOPERATIVE_GROUPS_REDUCE_H
#define HEDDLE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

#define HEDDLE_OPERATION(name, expression)                                                            \
  template <class T>                                                                                  \
  struct name {                                                                                       \
    inline __attribute__((always_inline, device)) T operator()(T a, T b) const { return expression; } \
  };
HEDDLE_OPERATION(plus, a + b)
HEDDLE_OPERATION(less, b < a ? b : a)
HEDDLE_OPERATION(greater, a < b ? b : a)
HEDDLE_OPERATION(bit_and, a& b)
HEDDLE_OPERATION(bit_or, a | b)
HEDDLE_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_OPERATION

// Every thread gets the result: a butterfly of shuffles.
template <unsigned int Size, class Parent, class T, class Operation>
inline __attribute__((always_inline, device)) T reduce(const thread_block_tile<Size, Parent>& tile, T value,
                                                       Operation operation) {
#pragma unroll
  for (unsigned int distance = Size / 2; distance > 0; distance /= 2) {
    value = operation(value, tile.shfl_xor(value, distance));
  }
  return value;
}

// A tree towards rank 0, which then tells the others; ranks past the end have nothing to add.
template <class T, class Operation>
inline __attribute__((always_inline, device)) T reduce(const coalesced_group& group, T value, Operation operation) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 16; distance > 0; distance /= 2) {
    const T other = group.shfl_down(value, distance);
    if (rank + distance < group.size()) value = operation(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups
#endif

#endif
