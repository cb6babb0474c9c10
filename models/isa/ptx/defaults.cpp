// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/defaults.h"

#include "isa/classify.h"
#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {

void complete(MicroOp& op, std::uint64_t features) {
  const bool floating = is_float(op.type);
  switch (op.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma_:
      if (floating && op.rounding == Rounding::none) op.rounding = Rounding::rn;
      break;
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
      // The two types written are those of a and b; the result is 0 or 1.
      op.third_type = op.source_type;
      op.source_type = op.type;
      op.type = DataType::u32;
      break;
    case Opcode::async_copy:
      op.type = DataType::b32;
      break;
    case Opcode::mbarrier:
      op.type = DataType::b64;
      if (op.space == Space::none) op.space = Space::generic;
      if ((features & kMemoryOrder) == 0) {
        op.acquires = op.mbarrier_mode == MbarrierMode::test_wait || op.mbarrier_mode == MbarrierMode::try_wait;
        op.releases = !op.acquires;
      }
      break;
    case Opcode::cvt_pack:
      if (op.pack_bits == 0) op.pack_bits = static_cast<std::uint8_t>(8 * size_of(op.type));
      break;
    case Opcode::cvt:
      // Before PTX 1.4 the rounding mode was optional.
      if (op.rounding != Rounding::none) break;
      if (!floating && is_float(op.source_type)) op.rounding = Rounding::rzi;
      if (floating && (!is_float(op.source_type) || size_of(op.source_type) > size_of(op.type)))
        op.rounding = Rounding::rn;
      break;
    case Opcode::div_:
    case Opcode::rcp:
    case Opcode::sqrt_:
      if (!floating || (features & (kRounding | kApproximate | kFullRange)) != 0) break;
      if (op.type == DataType::f64) {
        op.rounding = Rounding::rn;
      } else {
        op.approximate = true;
      }
      break;
    case Opcode::sin_:
    case Opcode::cos_:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::rsqrt:
      op.approximate = true;
      break;
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::prefetch:
    case Opcode::cond_acc:
      if (op.space == Space::none) op.space = Space::generic;
      break;
    default:
      break;
  }
  classify(op);
}

}  // namespace heddle::isa
