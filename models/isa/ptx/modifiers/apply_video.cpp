// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/apply.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {

bool apply_video(std::string_view word, MicroOp& op, std::uint64_t& features) {
  switch (op.opcode) {
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
      if (look_up(kCompares, word, op.compare)) return features |= kCompare, true;
      [[fallthrough]];
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vavrg2:
    case Opcode::vabsdiff2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vavrg4:
    case Opcode::vabsdiff4:
    case Opcode::vmin4:
    case Opcode::vmax4: {
      const bool shifts = op.opcode == Opcode::vshl || op.opcode == Opcode::vshr;
      if (shifts && (word == "clamp" || word == "wrap")) {
        op.shift_wrap = word == "wrap";
        return features |= kShiftWrap, true;
      }
      if (video_elements(op.opcode) > 1 && word != "add") return false;
      if (!look_up(kSecondOps, word, op.atom_op)) return false;
      return features |= kSecond, true;
    }
    case Opcode::vmad:
      if (word == "po") {
        op.video.plus_one = true;
        return features |= kPlusOne, true;
      }
      if (word != "shr7" && word != "shr15") return false;
      op.video.scale = word == "shr7" ? 7 : 15;
      return features |= kScale, true;
    default:
      return false;
  }
}

}  // namespace heddle::isa
