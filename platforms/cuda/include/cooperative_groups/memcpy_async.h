// SPDX-License-Identifier: Apache-2.0
// Group-wide copies as on architectures before sm_80: each thread copies its share on issue. After wait(), the other
// threads' shares are visible.
#ifndef HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

namespace details {
template <class Group, class T>
inline __attribute__((device)) void copy_elements(const Group& group, T* dst, const T* src, size_t count) {
  for (size_t i = group.thread_rank(); i < count; i += group.size()) dst[i] = src[i];
}
template <class Group>
inline __attribute__((device)) void copy_bytes(const Group& group, char* dst, const char* src, size_t bytes) {
  const bool words = ((reinterpret_cast<size_t>(dst) | reinterpret_cast<size_t>(src)) & 3) == 0;
  const size_t whole = words ? bytes / 4 : 0;
  copy_elements(group, reinterpret_cast<unsigned int*>(dst), reinterpret_cast<const unsigned int*>(src), whole);
  copy_elements(group, dst + 4 * whole, src + 4 * whole, bytes - 4 * whole);
}
}  // namespace details

// `bytes` may be a number or a number with a stated alignment.
template <class Group, class T, class Shape>
inline __attribute__((device)) void memcpy_async(const Group& group, T* dst, const T* src, const Shape& bytes) {
  details::copy_bytes(group, reinterpret_cast<char*>(dst), reinterpret_cast<const char*>(src),
                      static_cast<size_t>(bytes));
}
// Copies as many elements as fit in the smaller of the two.
template <class Group, class T, class DstLayout, class SrcLayout>
inline __attribute__((device)) void memcpy_async(const Group& group, T* dst, const DstLayout& dst_count, const T* src,
                                                 const SrcLayout& src_count) {
  const size_t room = static_cast<size_t>(dst_count), there = static_cast<size_t>(src_count);
  details::copy_elements(group, dst, src, room < there ? room : there);
}
template <class Group>
inline __attribute__((device)) void wait(const Group& group) {
  group.sync();
}
template <unsigned int stages, class Group>
inline __attribute__((device)) void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
#endif

#endif
