// SPDX-License-Identifier: Apache-2.0
// inclusive_scan() and exclusive_scan() over tiles and coalesced threads.
#ifndef HEDDLE_COOPERATIVE_GROUPS_SCAN_H
#define HEDDLE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T, class Operation>
inline __attribute__((always_inline, device)) T inclusive_scan(const Group& group, T value, Operation operation) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 1; distance < 32; distance *= 2) {
    const T other = group.shfl_up(value, distance);
    if (rank >= distance && distance < group.size()) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
inline __attribute__((always_inline, device)) T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
inline __attribute__((always_inline, device)) T exclusive_scan(const Group& group, T value, Operation operation) {
  const T through = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : through;
}
template <class Group, class T>
inline __attribute__((always_inline, device)) T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
#endif

#endif
