// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional/functional_program.h"

#include <utility>

#include "core/error.h"
#include "isa/async_copy.h"
#include "isa/collective.h"

namespace heddle::gpu {
namespace {

StepKind kind_of(const isa::MicroOp& op) {
  using isa::Opcode;
  if (isa::exchanges_values(op)) return op.sync_form ? StepKind::rendezvous : StepKind::collective;
  switch (op.opcode) {
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::tex:
    case Opcode::async_copy:
      return StepKind::memory;
    case Opcode::mbarrier:
      return isa::waits_at_mbarrier(op) ? StepKind::poll : StepKind::memory;
    case Opcode::bra:
      return StepKind::branch;
    case Opcode::brx:
      return StepKind::indirect;
    case Opcode::exit_:
    case Opcode::ret:
      return StepKind::exit;
    case Opcode::bar:
      return StepKind::barrier;
    case Opcode::bar_warp:
      return StepKind::rendezvous;
    case Opcode::activemask:
      return StepKind::collective;
    case Opcode::syscall:
      return StepKind::system_call;
    case Opcode::trap:
      return StepKind::trap;
    case Opcode::fence:
      return StepKind::fence;
    case Opcode::async_commit:
    case Opcode::async_wait:
      return StepKind::copies;
    case Opcode::nanosleep:
      return StepKind::sleep;
    case Opcode::bar_partner:
      return StepKind::uncounted;
    case Opcode::brkpt:
    case Opcode::pmevent:
    case Opcode::prefetch:
      return StepKind::nothing;
    case Opcode::call:
      fail(ExitCode::internal, "a call at line {} was not inlined", op.ptx_line);
    default:
      return op.lane_function != nullptr ? StepKind::lanes : StepKind::special;
  }
}

}  // namespace

FunctionalProgram::FunctionalProgram(std::shared_ptr<const isa::Kernel> kernel) : kernel_(std::move(kernel)) {
  steps_.reserve(kernel_->ops.size() + 1);
  for (const isa::MicroOp& op : kernel_->ops)
    steps_.push_back({op.lane_function, &op, kind_of(op), op.guard.present()});
  for (const Step& step : steps_) {
    needs_lock_step_ = needs_lock_step_ || (step.kind == StepKind::collective && isa::exchanges_values(*step.op));
  }
  // Running past the end of a kernel returns.
  static const isa::MicroOp end = [] {
    isa::MicroOp op;
    op.opcode = isa::Opcode::exit_;
    op.unit = isa::Unit::control;
    return op;
  }();
  steps_.push_back({nullptr, &end, StepKind::exit, false});
}

}  // namespace heddle::gpu
