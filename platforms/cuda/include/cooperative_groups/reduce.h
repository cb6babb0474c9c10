// SPDX-License-Identifier: Apache-2.0
// reduce() over tiles and coalesced threads, and its operations.
#ifndef HEDDLE_COOPERATIVE_GROUPS_REDUCE_H
#define HEDDLE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)
#define HEDDLE_GROUP inline __attribute__((always_inline, device))

namespace cooperative_groups {

#define HEDDLE_OPERATION(name, expression)                                                            \
  template <class T>                                                                                  \
  struct name {                                                                                       \
    HEDDLE_GROUP T operator()(T a, T b) const { return expression; } \
  };
HEDDLE_OPERATION(plus, a + b)
HEDDLE_OPERATION(less, b < a ? b : a)
HEDDLE_OPERATION(greater, a < b ? b : a)
HEDDLE_OPERATION(bit_and, a& b)
HEDDLE_OPERATION(bit_or, a | b)
HEDDLE_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_OPERATION

// A tree towards rank 0, which then broadcasts the result; ranks past the end contribute nothing.
template <class T, class Operation>
HEDDLE_GROUP T reduce(const coalesced_group& group, T value, Operation operation) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 16; distance > 0; distance /= 2) {
    const T other = group.shfl_down(value, distance);
    if (rank + distance < group.size()) value = operation(value, other);
  }
  return group.shfl(value, 0);
}

namespace details {
// A butterfly of shuffles.
template <class Tile, class T, class Operation>
HEDDLE_GROUP T reduce_tile(is_large<false>, const Tile& tile, T value, Operation operation) {
#pragma unroll
  for (unsigned int distance = Tile::size() / 2; distance > 0; distance /= 2) {
    value = operation(value, tile.shfl_xor(value, distance));
  }
  return value;
}
// Within warps, then across them.
template <class Tile, class T, class Operation>
HEDDLE_GROUP T reduce_tile(is_large<true>, const Tile& tile, T value, Operation operation) {
  return tile.heddle_combine(reduce(coalesced_group(Tile::heddle_lanes()), value, operation), operation);
}
}  // namespace details

// Every thread gets the result.
template <unsigned int Size, class Parent, class T, class Operation>
HEDDLE_GROUP T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
  return details::reduce_tile(details::is_large<(Size > 32)>(), tile, value, operation);
}

}  // namespace cooperative_groups

#undef HEDDLE_GROUP
#endif

#endif
