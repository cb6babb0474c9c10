// SPDX-License-Identifier: Apache-2.0
// Operations with a mode: the field of MicroOp that holds it, and the words that spell it.
#include "isa/ptx/modifiers/modifiers.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {

unsigned mode_of(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::atom:
    case Opcode::red:
    case Opcode::redux:
      return static_cast<unsigned>(op.atom_op);
    case Opcode::shfl:
      return static_cast<unsigned>(op.shfl_mode);
    case Opcode::vote:
      return static_cast<unsigned>(op.vote_mode);
    case Opcode::match:
      return static_cast<unsigned>(op.match_mode);
    case Opcode::prmt:
      return static_cast<unsigned>(op.prmt_mode);
    case Opcode::testp:
      return static_cast<unsigned>(op.testp_mode);
    case Opcode::bar:
      return static_cast<unsigned>(op.bar_mode);
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::madc:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::dp2a:
      return static_cast<unsigned>(op.mul_mode);
    case Opcode::mbarrier:
      return static_cast<unsigned>(op.mbarrier_mode);
    case Opcode::sured:
      return static_cast<unsigned>(op.atom_op);
    case Opcode::tex:
      return static_cast<unsigned>(op.texture.geometry);
    case Opcode::tld4:
      return op.texture.component;
    case Opcode::txq:
    case Opcode::suq:
      return static_cast<unsigned>(op.texture.query);
    default:
      return 0;
  }
}

std::vector<std::string_view> mode_words(Opcode opcode, std::uint32_t modes) {
  std::vector<std::string_view> out;
  switch (opcode) {
    case Opcode::atom:
    case Opcode::red:
    case Opcode::redux:
    case Opcode::sured:
      add_words(kAtomOps, modes, out);
      break;
    case Opcode::shfl:
      add_words(kShflModes, modes, out);
      break;
    case Opcode::vote:
      add_words(kVoteModes, modes, out);
      break;
    case Opcode::match:
      add_words(kMatchModes, modes, out);
      break;
    case Opcode::prmt:
      add_words(kPrmtModes, modes, out);
      break;
    case Opcode::testp:
      add_words(kTestpModes, modes, out);
      break;
    case Opcode::bar: {
      constexpr Word<BarMode> kBarModes[] = {{"sync", BarMode::sync},
                                             {"arrive", BarMode::arrive},
                                             {"red.popc", BarMode::red_popc},
                                             {"red.and", BarMode::red_and},
                                             {"red.or", BarMode::red_or}};
      add_words(kBarModes, modes, out);
      break;
    }
    case Opcode::brx:
      out = {"idx"};
      break;
    case Opcode::tld4:
      add_words(kTexelComponents, modes, out);
      break;
    case Opcode::txq:
    case Opcode::suq:
      add_words(kTextureQueries, modes, out);
      break;
    case Opcode::mbarrier: {
      add_words(kMbarrierModes, modes, out);
      constexpr Word<MbarrierMode> kTwoWords[] = {{"arrive.expect_tx", MbarrierMode::arrive_expect_tx},
                                                  {"arrive_drop.expect_tx", MbarrierMode::arrive_drop_expect_tx}};
      add_words(kTwoWords, modes, out);
      break;
    }
    default:
      break;
  }
  return out;
}

}  // namespace heddle::isa
