// SPDX-License-Identifier: Apache-2.0
// A Verilated step of dependency matrices (rtl/dependency_step.sv) behind the model's interface.
#pragma once

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/hazards/dependency_step.h"

namespace heddle::rtl {

/// Step: the Verilated class; kEntries: its parameter ENTRIES.
template <typename Step, unsigned kEntries>
class DependencyStepRtl final : public sm::DependencyStep {
 public:
  explicit DependencyStepRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "step", kBits, "matrix of the last move of threads", step_->step);
    show(signals_, "entries", kBits * kEntries, "matrices of the instructions in flight before it", step_->entries);
    show(signals_, "stepped", kBits * kEntries, "the same after it", step_->stepped);
    step_->eval();
  }

  sm::StepAnswer step(const sm::StepRequest& request) override {
    bool changed = put(step_->step, 0, request.step);
    // Entries follow each other without gaps.
    std::uint64_t waiting = 0;
    unsigned filled = 0, word = 0;
    for (unsigned entry = 0; entry < kEntries; ++entry) {
      waiting |= std::uint64_t{request.entries[entry]} << filled;
      filled += kBits;
      if (filled < 32) continue;
      changed |= put(step_->entries, word++, static_cast<std::uint32_t>(waiting));
      waiting >>= 32;
      filled -= 32;
    }
    if (filled != 0) changed |= put(step_->entries, word, static_cast<std::uint32_t>(waiting));
    if (changed) {
      step_->eval();
      for (unsigned entry = 0; entry < kEntries; ++entry)
        answer_.entries[entry] = static_cast<sm::DependencyMatrix>(bits(step_->stepped, kBits * entry, kBits));
    }
    return answer_;
  }

 private:
  static constexpr unsigned kBits = 9;

  VerilatedBlock<Step> step_;
  ProbeGroup signals_;
  sm::StepAnswer answer_;
};

}  // namespace heddle::rtl
