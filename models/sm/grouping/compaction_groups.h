// SPDX-License-Identifier: Apache-2.0
// What groupings share that make warps anew from the threads of several: a group is up to so many consecutive threads
// of a block, with contexts of its own; a thread keeps its lane, which is its place modulo the warp size.
#pragma once

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "isa/collective.h"
#include "isa/describe.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/issue/issue_schemes.h"

namespace heddle::sm {

/// Throws Error(kConfiguration) where warps cannot be made anew: lanes and ISA warps must fall together.
inline const GroupingShape& re_forms(const GroupingShape& shape, const char* name, unsigned group_threads) {
  if (shape.warp_size != isa::kWordThreads || shape.simd_width != isa::kWordThreads) {
    fail(ExitCode::configuration, "sm.warp_size: {} makes warps of {} threads on as many lanes, not of {} on {}", name,
         isa::kWordThreads, shape.warp_size, shape.simd_width);
  }
  if (group_threads % shape.warp_size != 0)
    fail(ExitCode::configuration, "sm.{}.group_threads: {} is no whole number of warps", name, group_threads);
  return shape;
}

/// Throws Error(kLaunch) where the kernel has an instruction over the ISA's warp that does not name its threads: they
/// are those that a stack would have together, which the grouping does not.
inline void refuse_maskless(const isa::Kernel& kernel, const std::string& name) {
  for (const isa::MicroOp& op : kernel.ops) {
    if (!isa::exchanges_values(op) || op.sync_form) continue;
    fail(ExitCode::launch,
         "{}: {} makes warps anew, so an instruction over a warp must name its threads (its .sync form)",
         isa::describe_instruction(kernel, op.pc), name);
  }
}

/// Hands out contexts to groups. Contexts come by `contexts_of_warp` for every warp of threads.
class ContextSlots {
 public:
  ContextSlots(unsigned warps, unsigned contexts_of_warp)
      : contexts_of_warp_(contexts_of_warp), free_(ContextSet::first_n(std::size_t{warps} * contexts_of_warp)) {}

  /// Contexts for `threads` threads, in the order of their numbers.
  std::vector<ContextId> take(unsigned threads, unsigned warp_size) {
    std::vector<ContextId> taken;
    for (unsigned i = 0; i < (threads + warp_size - 1) / warp_size * contexts_of_warp_; ++i) {
      const std::size_t context = free_.first();
      if (context >= ContextSet::kBits) fail(ExitCode::internal, "a block was launched and no context is free");
      free_.reset(context);
      taken.push_back(static_cast<ContextId>(context));
    }
    return taken;
  }
  void give_back(const std::vector<ContextId>& contexts) {
    for (ContextId c : contexts) free_.set(c);
  }

 private:
  unsigned contexts_of_warp_;
  ContextSet free_;
};

/// The lanes that threads have, which are their places modulo the lanes of a word.
inline std::uint32_t home_lanes(const ThreadSet& threads) {
  std::uint32_t lanes = 0;
  for (unsigned w = 0; w < kMaxWords; ++w) lanes |= threads.word32(w);
  return lanes;
}

/// Of `threads` those whose lane is among `lanes`.
inline ThreadSet in_lanes(const ThreadSet& threads, std::uint32_t lanes) {
  ThreadSet some;
  for (unsigned w = 0; w < kMaxWords; ++w) some.set_word32(w, threads.word32(w) & lanes);
  return some;
}

}  // namespace heddle::sm
