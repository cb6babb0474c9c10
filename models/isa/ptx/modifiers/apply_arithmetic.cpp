// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/apply.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {

bool apply_arithmetic(std::string_view word, MicroOp& op, std::uint64_t& features) {
  switch (op.opcode) {
    case Opcode::bmsk:
    case Opcode::szext:
      if (word != "clamp" && word != "wrap") return false;
      op.shift_wrap = word == "wrap";
      return features |= kShiftWrap, true;
    case Opcode::lop3:
      if (!look_up(kBoolOps, word, op.bool_op) || op.bool_op == BoolOp::xor_) return false;
      return features |= kBoolOp, true;
    case Opcode::cvt:
      if (word == "pack") {
        op.opcode = Opcode::cvt_pack;
        return true;
      }
      if (word == "relu") return op.relu = true, features |= kRelu, true;
      if (word == "satfinite") return op.finite = true, features |= kFinite, true;
      if (word == "rna") return op.rounding = Rounding::rna, features |= kRoundAway, true;
      return false;
    case Opcode::cvt_pack:
      if (op.type == DataType::none && (word == "u2" || word == "s2" || word == "u4" || word == "s4")) {
        op.type = word[0] == 'u' ? DataType::u8 : DataType::s8;
        op.pack_bits = static_cast<std::uint8_t>(word[1] - '0');
        return features |= kPackBits, true;
      }
      return false;
    case Opcode::fma_:
      if (word != "relu") return false;
      return op.relu = true, features |= kRelu, true;
    case Opcode::set:
    case Opcode::setp:
      if (look_up(kCompares, word, op.compare)) {
        features |= kCompare;
        return true;
      }
      if (look_up(kBoolOps, word, op.bool_op)) {
        features |= kBoolOp;
        return true;
      }
      return false;
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::madc:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::dp2a:
      if (!look_up(kMulModes, word, op.mul_mode)) return false;
      features |= kMulMode;
      return true;
    case Opcode::prmt:
      return note(look_up(kPrmtModes, word, op.prmt_mode), kMode, features);
    case Opcode::testp:
      return note(look_up(kTestpModes, word, op.testp_mode), kMode, features);
    case Opcode::shf:
      if (word == "l" || word == "r") {
        op.right = word == "r";
        features |= kDirection;
        return true;
      }
      if (word == "wrap" || word == "clamp") {
        op.shift_wrap = word == "wrap";
        features |= kShiftWrap;
        return true;
      }
      return false;
    case Opcode::bfind:
      if (word != "shiftamt") return false;
      op.shift_amount = true;
      features |= kShiftAmount;
      return true;
    case Opcode::min_:
    case Opcode::max_:
      if (word == "xorsign") return op.sign_product = true, features |= kSignProduct, true;
      if (word == "abs") return features |= kMagnitude, true;
      if (word != "NaN") return false;
      op.propagate_nan = true;
      features |= kNan;
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::isa
