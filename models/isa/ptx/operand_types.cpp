// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/operand_types.h"

namespace heddle::isa {
namespace {

DataType twice(DataType type) {
  switch (type) {
    case DataType::u16:
      return DataType::u32;
    case DataType::s16:
      return DataType::s32;
    case DataType::u32:
      return DataType::u64;
    case DataType::s32:
      return DataType::s64;
    default:
      return type;
  }
}

}  // namespace

DataType destination_type(const MicroOp& op, unsigned i) {
  if (i == 1 && op.vector_width == 1 && op.opcode != Opcode::mov) return DataType::pred;
  if (is_video(op.opcode)) return DataType::u32;
  switch (op.opcode) {
    case Opcode::cvt_pack:
    case Opcode::elect:
    case Opcode::pending_count:
      return DataType::b32;
    case Opcode::mbarrier:
      return op.mbarrier_mode == MbarrierMode::test_wait || op.mbarrier_mode == MbarrierMode::try_wait ? DataType::pred
                                                                                                       : op.type;
    case Opcode::setp:
    case Opcode::testp:
    case Opcode::isspacep:
      return DataType::pred;
    case Opcode::mul:
    case Opcode::mad:
      return op.mul_mode == MulMode::wide ? twice(op.type) : op.type;
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind:
    case Opcode::cond_acc:
      return DataType::u32;
    case Opcode::match:
      return DataType::b32;
    default:
      return op.type;
  }
}

DataType source_type(const MicroOp& op, unsigned i) {
  if (is_video(op.opcode)) return DataType::u32;
  switch (op.opcode) {
    case Opcode::szext:
      return i == 1 ? DataType::u32 : op.type;
    case Opcode::fns:
      return i == 2 ? DataType::s32 : DataType::b32;
    case Opcode::lop3:
      return i == 3 ? DataType::pred : op.type;
    case Opcode::cvt_pack:
      return i == 2 ? DataType::b32 : op.source_type;
    case Opcode::async_wait:
    case Opcode::elect:
      return DataType::b32;
    case Opcode::mbarrier:
      // Operands after the address: a count of threads or bytes, a state, a parity, a time limit.
      return i == 1 && !op.by_parity &&
                     (op.mbarrier_mode == MbarrierMode::test_wait || op.mbarrier_mode == MbarrierMode::try_wait)
                 ? DataType::b64
                 : DataType::u32;
    case Opcode::setp:
    case Opcode::selp:
      return i == 2 ? DataType::pred : op.type;
    case Opcode::set:
      return i == 2 ? DataType::pred : op.source_type;
    case Opcode::slct:
      return i == 2 ? op.source_type : op.type;
    case Opcode::cvt:
      return op.source_type;
    case Opcode::mul:
    case Opcode::mad:
      return i == 2 && op.mul_mode == MulMode::wide ? twice(op.type) : op.type;
    case Opcode::shl:
    case Opcode::shr:
      return i == 1 ? DataType::u32 : op.type;
    case Opcode::bfe:
      return i >= 1 ? DataType::u32 : op.type;
    case Opcode::bfi:
      return i >= 2 ? DataType::u32 : op.type;
    case Opcode::vote:
      return i == 0 ? DataType::pred : DataType::b32;
    case Opcode::cond_acc:
      return i == 1 ? DataType::pred : i == 3 ? DataType::b32 : op.type;
    case Opcode::tree_traverse:
      return i == 0 ? op.type : i == 1 ? DataType::pred : DataType::u32;
    case Opcode::match:
    case Opcode::redux:
      return i == 1 ? DataType::b32 : op.type;
    case Opcode::bar:
      return i == 2 ? DataType::pred : DataType::u32;
    case Opcode::isspacep:
      return DataType::b64;
    case Opcode::bar_warp:
    case Opcode::brx:
    case Opcode::pmevent:
      return DataType::u32;
    default:
      return op.type;
  }
}

bool allows_wider_registers(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::cvt || opcode == Opcode::cond_acc;
}

}  // namespace heddle::isa
