// SPDX-License-Identifier: Apache-2.0
// The sorter of hot contexts as RTL, and in lockstep with the model.
#include "ContextSort1.h"
#include "ContextSort2.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/context_sorter_rtl.h"

namespace heddle::rtl {

namespace {

/// Ports of three contexts: validity and marks, program counters, threads.
std::vector<PortValue> contexts(const std::string& prefix, const std::array<sm::SplitContext, 3>& of) {
  std::uint64_t valid = 0, fixed = 0;
  for (unsigned i = 0; i < 3; ++i) {
    valid |= (of[i].valid ? 1u : 0u) << i;
    fixed |= (of[i].fixed ? 1u : 0u) << i;
  }
  return {{prefix + "valid", 3, {valid}},
          {prefix + "fixed", 3, {fixed}},
          {prefix + "pc", 96, {of[0].pc | std::uint64_t{of[1].pc} << 32, of[2].pc}},
          {prefix + "masks", 192, {of[0].threads, of[1].threads, of[2].threads}}};
}

}  // namespace

std::vector<PortValue> ContextSorterPorts::inputs(const sm::SorterShape&, const sm::SorterRequest& request) {
  return contexts("", request);
}

std::vector<PortValue> ContextSorterPorts::outputs(const sm::SorterShape&, const sm::SortedContexts& sorted) {
  std::vector<PortValue> ports = contexts("sorted_", sorted.contexts);
  // One octal digit per output.
  ports.push_back({"sources", 9, {sorted.sources[0] | 8u * sorted.sources[1] | 64u * sorted.sources[2]}});
  return ports;
}

namespace {

class RtlContextSorter final : public sm::ContextSorter {
 public:
  RtlContextSorter(const sm::SorterShape& shape, const sm::BlockSite& site) {
    if (shape.hot == 1) {
      unit_ = std::make_unique<ContextSorterRtl<ContextSort1>>(site);
    } else if (shape.hot == 2) {
      unit_ = std::make_unique<ContextSorterRtl<ContextSort2>>(site);
    } else {
      fail(ExitCode::configuration,
           "sm.blocks.context_sorter: there is RTL for 1 or 2 hot contexts, this machine has {}", shape.hot);
    }
  }
  sm::SortedContexts sort(const sm::SorterRequest& request) override { return unit_->sort(request); }

 private:
  std::unique_ptr<sm::ContextSorter> unit_;
};

class LockstepContextSorter final : public ContextSorterLockstep {
 public:
  LockstepContextSorter(const sm::SorterShape& shape, const sm::BlockSite& site)
      : ContextSorterLockstep(shape, site, make(Mechanism<sm::ContextSorter>("model"), shape, site),
                              make(Mechanism<sm::ContextSorter>("rtl"), shape, site)) {}
};

}  // namespace

using sm::ContextSorter;
HEDDLE_REGISTER(ContextSorter, RtlContextSorter, "rtl", "rtl/context_sort.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(ContextSorter, LockstepContextSorter, "lockstep",
                "model and RTL; the run ends at their first difference", "docs/rtl.md");

}  // namespace heddle::rtl
