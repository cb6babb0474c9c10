// SPDX-License-Identifier: Apache-2.0
// A Verilated sorter of hot contexts (rtl/context_sort.sv, of 32-bit program counters and 64 threads) behind the
// model's interface.
#pragma once

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/interweaving/context_sorter.h"

namespace heddle::rtl {

/// Sorter: the Verilated class.
template <typename Sorter>
class ContextSorterRtl final : public sm::ContextSorter {
 public:
  explicit ContextSorterRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "valid", 3, "contexts at the last request: hot ones, then a new one", sorter_->valid);
    show(signals_, "fixed", 3, "contexts whose next program counter is not known", sorter_->fixed);
    show(signals_, "pc", 96, "their program counters", sorter_->pc);
    show(signals_, "masks", 192, "their threads", sorter_->masks);
    show(signals_, "sorted_valid", 3, "contexts in order, the leaving one last", sorter_->sorted_valid);
    show(signals_, "sorted_fixed", 3, "of these, the ones whose next program counter is not known",
         sorter_->sorted_fixed);
    show(signals_, "sorted_pc", 96, "their program counters", sorter_->sorted_pc);
    show(signals_, "sorted_masks", 192, "their threads", sorter_->sorted_masks);
    show(signals_, "sources", 9, "inputs of each output, three bits each", sorter_->sources);
    show(signals_, "push", 1, "a context leaves for the cold table", sorter_->push);
    sorter_->eval();
  }

  sm::SortedContexts sort(const sm::SorterRequest& request) override {
    std::uint32_t valid = 0, fixed = 0;
    bool changed = false;
    for (unsigned i = 0; i < 3; ++i) {
      const sm::SplitContext& context = request[i];
      valid |= (context.valid ? 1u : 0u) << i;
      fixed |= (context.fixed ? 1u : 0u) << i;
      changed |= put(sorter_->pc, i, context.pc);
      changed |= put(sorter_->masks, 2 * i, static_cast<std::uint32_t>(context.threads));
      changed |= put(sorter_->masks, 2 * i + 1, static_cast<std::uint32_t>(context.threads >> 32));
    }
    changed |= put(sorter_->valid, 0, valid);
    changed |= put(sorter_->fixed, 0, fixed);
    if (changed) {
      sorter_->eval();
      read();
    }
    return sorted_;
  }

 private:
  void read() {
    for (unsigned k = 0; k < 3; ++k) {
      sorted_.contexts[k] = {bits(sorter_->sorted_valid, k, 1) != 0, bits(sorter_->sorted_fixed, k, 1) != 0,
                             static_cast<std::uint32_t>(bits(sorter_->sorted_pc, 32 * k, 32)),
                             bits(sorter_->sorted_masks, 64 * k, 64)};
      sorted_.sources[k] = static_cast<std::uint8_t>(bits(sorter_->sources, 3 * k, 3));
    }
  }

  VerilatedBlock<Sorter> sorter_;
  ProbeGroup signals_;
  sm::SortedContexts sorted_;
};

}  // namespace heddle::rtl
