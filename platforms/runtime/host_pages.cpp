// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace heddle::runtime {

namespace {

// The heap grows by this much at once; memory is used only where something lies. The modules of a machine of thirty SMs
// come to less.
constexpr int kHeapStep = 64 << 20;
constexpr int kUsualStep = 128 << 10;
// Up to this size things lie on the heap: the largest module does.
constexpr int kLargestOnHeap = 512 << 10;
constexpr std::uintptr_t kLargePage = 2 << 20;

}  // namespace

void prefer_large_pages() {
  mallopt(M_TRIM_THRESHOLD, 2 * kHeapStep);
  mallopt(M_TOP_PAD, kHeapStep);
  mallopt(M_MMAP_THRESHOLD, kHeapStep / 4);
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile more = std::malloc(kHeapStep / 8);  // than is left of the heap: it grows
  std::free(more);
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TOP_PAD, kUsualStep);
  const std::uintptr_t first = (before + kLargePage - 1) & ~(kLargePage - 1);
  if (after > first) madvise(reinterpret_cast<void*>(first), after - first, MADV_HUGEPAGE);
}

}  // namespace heddle::runtime
