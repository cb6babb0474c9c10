// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace heddle::runtime {

namespace {

// Heap growth step; only touched memory is used. The modules of a machine with thirty SMs need less.
constexpr int kHeapStep = 64 << 20;
constexpr int kUsualStep = 128 << 10;
// Allocations up to this size come from the heap, which covers the largest module.
constexpr int kLargestOnHeap = 512 << 10;
constexpr std::uintptr_t kLargePage = 2 << 20;

}  // namespace

void prefer_large_pages() {
  mallopt(M_TRIM_THRESHOLD, 2 * kHeapStep);
  mallopt(M_TOP_PAD, kHeapStep);
  mallopt(M_MMAP_THRESHOLD, kHeapStep / 4);
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile more = std::malloc(kHeapStep / 8);  // more than the heap has left, so it grows
  std::free(more);
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TOP_PAD, kUsualStep);
  const std::uintptr_t first = (before + kLargePage - 1) & ~(kLargePage - 1);
  if (after > first) madvise(reinterpret_cast<void*>(first), after - first, MADV_HUGEPAGE);
}

}  // namespace heddle::runtime
