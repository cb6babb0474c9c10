// SPDX-License-Identifier: Apache-2.0
// Profiles the loops of every kernel: whether warps access again what they have accessed before, which loads diverge,
// and which access one line. What a run shows counts by majority, over all warps; in each respect as the dynamic load
// classifier counts it for the warp that it samples.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.6 and 2.7.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sm/scheduling/locality/kernel_profile.h"

namespace heddle::memory {
class CacheLevel;
}

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class LoopProfiler {
 public:
  LoopProfiler();
  ~LoopProfiler();
  LoopProfiler(const LoopProfiler&) = delete;
  LoopProfiler& operator=(const LoopProfiler&) = delete;

  /// Call before the first cycle; the profiler must live as long as the SM runs. Throws Error(kConfiguration) if l1d is
  /// null or reports no events.
  void listen_to(sm::Sm& sm, memory::CacheLevel* l1d);
  /// The profile. Recorded kernels must still exist.
  sm::KernelProfiles result() const;

 private:
  class OfSm;
  class OfKernel;

  OfKernel& of(const isa::Kernel& kernel);

  std::vector<std::unique_ptr<OfKernel>> kernels_;
  std::unordered_map<const isa::Kernel*, OfKernel*> known_;
  std::vector<std::unique_ptr<OfSm>> sms_;
  unsigned line_bytes_ = 128;
};

}  // namespace heddle::gpu
