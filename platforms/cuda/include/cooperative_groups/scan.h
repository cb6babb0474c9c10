// SPDX-License-Identifier: Apache-2.0
// inclusive_scan() and exclusive_scan() over tiles and coalesced threads.
#ifndef HEDDLE_COOPERATIVE_GROUPS_SCAN_H
#define HEDDLE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__)
#define HEDDLE_GROUP inline __attribute__((always_inline, device))

namespace cooperative_groups {

namespace details {
template <class Group, class T, class Operation>
HEDDLE_GROUP T inclusive_scan_of(is_large<false>, const Group& group, T value, Operation operation) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 1; distance < 32; distance *= 2) {
    const T other = group.shfl_up(value, distance);
    if (rank >= distance && distance < group.size()) value = operation(other, value);
  }
  return value;
}
template <class Group, class T, class Operation>
HEDDLE_GROUP T exclusive_scan_of(is_large<false>, const Group& group, T value, Operation operation) {
  const T through = group.shfl_up(inclusive_scan_of(is_large<false>(), group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : through;
}
// Within warps, then across them.
template <class Tile, class T, class Operation>
HEDDLE_GROUP T inclusive_scan_of(is_large<true>, const Tile& tile, T value, Operation operation) {
  value = inclusive_scan_of(is_large<false>(), coalesced_group(Tile::heddle_lanes()), value, operation);
  return tile.heddle_behind(value, value, true, operation);
}
template <class Tile, class T, class Operation>
HEDDLE_GROUP T exclusive_scan_of(is_large<true>, const Tile& tile, T value, Operation operation) {
  const coalesced_group warp(Tile::heddle_lanes());
  value = inclusive_scan_of(is_large<false>(), warp, value, operation);
  const bool first = warp.thread_rank() == 0;
  const T through = warp.shfl_up(value, 1);
  return tile.heddle_behind(value, first ? T() : through, !first, operation);
}
template <class Group>
struct large {
  using type = is_large<false>;
};
template <unsigned int Size, class Parent>
struct large<thread_block_tile<Size, Parent>> {
  using type = is_large<(Size > 32)>;
};
}  // namespace details

template <class Group, class T, class Operation>
HEDDLE_GROUP T inclusive_scan(const Group& group, T value, Operation operation) {
  return details::inclusive_scan_of(typename details::large<Group>::type(), group, value, operation);
}
template <class Group, class T>
HEDDLE_GROUP T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
HEDDLE_GROUP T exclusive_scan(const Group& group, T value, Operation operation) {
  return details::exclusive_scan_of(typename details::large<Group>::type(), group, value, operation);
}
template <class Group, class T>
HEDDLE_GROUP T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#undef HEDDLE_GROUP
#endif

#endif
