// SPDX-License-Identifier: Apache-2.0
// Helpers shared by groupings that re-form warps from the threads of several warps. A group is a range of consecutive
// threads of a block with contexts of its own; a thread keeps its home lane, its position modulo the warp size.
#pragma once

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "isa/collective.h"
#include "isa/describe.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/issue/issue_schemes.h"

namespace heddle::sm {

/// Throws Error(kConfiguration) if warps cannot be re-formed: warp size and SIMD width must equal the ISA's warp size.
inline const GroupingShape& re_forms(const GroupingShape& shape, const char* name, unsigned group_threads) {
  if (shape.warp_size != isa::kWordThreads || shape.simd_width != isa::kWordThreads) {
    fail(ExitCode::configuration, "sm.warp_size: {} needs warps of {} threads on as many lanes, not {} on {}", name,
         isa::kWordThreads, shape.warp_size, shape.simd_width);
  }
  if (group_threads % shape.warp_size != 0)
    fail(ExitCode::configuration, "sm.{}.group_threads: {} is not a whole number of warps", name, group_threads);
  return shape;
}

/// Throws Error(kLaunch) if the kernel has a warp-wide instruction that does not name its threads: it means the threads
/// a reconvergence stack would run together, which this grouping may not keep together.
inline void refuse_maskless(const isa::Kernel& kernel, const std::string& name) {
  for (const isa::MicroOp& op : kernel.ops) {
    if (!isa::exchanges_values(op) || op.sync_form) continue;
    fail(ExitCode::launch,
         "{}: {} re-forms warps, so a warp-wide instruction must name its threads (use its .sync form)",
         isa::describe_instruction(kernel, op.pc), name);
  }
}

/// Allocates contexts to groups: `contexts_of_warp` for every warp of threads.
class ContextSlots {
 public:
  ContextSlots(unsigned warps, unsigned contexts_of_warp)
      : contexts_of_warp_(contexts_of_warp), free_(ContextSet::first_n(std::size_t{warps} * contexts_of_warp)) {}

  /// Allocates contexts for `threads` threads, in ascending order.
  std::vector<ContextId> take(unsigned threads, unsigned warp_size) {
    std::vector<ContextId> taken;
    for (unsigned i = 0; i < (threads + warp_size - 1) / warp_size * contexts_of_warp_; ++i) {
      const std::size_t context = free_.first();
      if (context >= ContextSet::kBits) fail(ExitCode::internal, "a block was launched, but no context is free");
      free_.reset(context);
      taken.push_back(ContextId(context));
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

/// Home lanes of the threads: their positions modulo the lanes of a word.
inline std::uint32_t home_lanes(const ThreadSet& threads) {
  std::uint32_t lanes = 0;
  for (unsigned w = 0; w < kMaxWords; ++w) lanes |= threads.word32(w);
  return lanes;
}

/// The `threads` whose home lane is in `lanes`.
inline ThreadSet in_lanes(const ThreadSet& threads, std::uint32_t lanes) {
  ThreadSet some;
  for (unsigned w = 0; w < kMaxWords; ++w) some.set_word32(w, threads.word32(w) & lanes);
  return some;
}

}  // namespace heddle::sm
