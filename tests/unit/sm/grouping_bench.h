// SPDX-License-Identifier: Apache-2.0
// A grouping alone: one block on a hand-driven table of contexts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sm/grouping/grouping_unit.h"
#include "sm/grouping/large_warps/packer_owner.h"
#include "sm/sm_events.h"

namespace heddle::sm {

class GroupingBench {
 public:
  /// One block of `threads` threads. prepare: sets up the kernel before the launch.
  GroupingBench(
      const std::string& name, const GroupingShape& shape, unsigned threads,
      const std::function<void(isa::Kernel&)>& prepare = [](isa::Kernel&) {})
      : GroupingBench(Mechanism<GroupingUnit>(name), shape, threads, prepare) {}
  /// The same with a configured grouping.
  GroupingBench(
      const Mechanism<GroupingUnit>& mechanism, const GroupingShape& shape, unsigned threads,
      const std::function<void(isa::Kernel&)>& prepare = [](isa::Kernel&) {})
      : unit_(make(mechanism, shape, table)) {
    if (auto* const owner = dynamic_cast<PackerOwner*>(unit_.get())) {
      packer_ = std::make_unique<Packer>(owner->packer_shape());
      owner->use(*packer_);
    }
    unit_->subscribe(events);
    kernel_.ops.resize(200);
    for (isa::MicroOp& op : kernel_.ops) op.reconvergence_pc = 0xffffffff;
    prepare(kernel_);
    unit_->launch({BlockSlot(0), 0, threads, &kernel_, &contexts});
  }

  /// A conditional branch of a context, `taken` of whose threads go to `target`; all meet at `meets`.
  void branch(ContextId context, std::uint32_t target, const ThreadSet& taken, std::uint32_t meets) {
    isa::MicroOp op;
    op.opcode = isa::Opcode::bra;
    op.guard.base = isa::Operand::Base::frame;
    op.target = target;
    op.reconvergence_pc = meets;
    const ThreadSet staying = table[context].threads - taken, gone = table[context].threads & taken;
    std::vector<GroupingUnit::Path> paths;
    if (gone.any()) paths.push_back({target, gone});
    if (staying.any()) paths.push_back({table[context].pc + 1, staying});
    branches_.push_back(std::make_unique<isa::MicroOp>(op));
    unit_->branched(context, *branches_.back(), paths);
  }
  /// Executes non-branch instructions until the context is at `pc`.
  void run_to(ContextId context, std::uint32_t pc) {
    while (table.valid.test(context) && !table.parked.test(context) && table[context].pc != pc)
      unit_->advanced(context);
  }
  /// Leaves a context's threads at `pc` with an instruction in the pipeline until retire().
  void stand(ContextId context, std::uint32_t pc, const ThreadSet& threads) {
    table.set(context, pc, threads);
    table.pipeline.set(context);
  }
  void retire(ContextId context) {
    table.pipeline.reset(context);
    unit_->retired(context);
  }
  /// Cycles the unit until it forms no more warps.
  unsigned form() {
    unsigned cycles = 0;
    while (unit_->begin_cycle()) ++cycles;
    return cycles;
  }

  GroupingUnit& unit() { return *unit_; }

  ContextTable table;
  SmEvents events;
  std::vector<ContextId> contexts;

 private:
  class Packer final : public SubwarpPackerCall {
   public:
    explicit Packer(const PackerShape& shape) : shape_(shape) {}
    SubWarp pack(const PackRequest& request) override { return pack_subwarp(shape_, request); }
    void goes() override {}

   private:
    PackerShape shape_;
  };
  std::unique_ptr<Packer> packer_;
  std::unique_ptr<GroupingUnit> unit_;
  isa::Kernel kernel_;
  std::vector<std::unique_ptr<isa::MicroOp>> branches_;
};

/// Threads of rows of 32: the first word is threads 0 .. 31.
inline ThreadSet threads_in(std::initializer_list<std::uint32_t> rows) {
  ThreadSet threads;
  unsigned word = 0;
  for (std::uint32_t row : rows) threads.set_word32(word++, row);
  return threads;
}

}  // namespace heddle::sm
