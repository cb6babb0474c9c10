// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/modifiers/apply.h"
#include "isa/ptx/modifiers/words.h"

namespace heddle::isa {

bool apply_threads(std::string_view word, MicroOp& op, std::uint64_t& features) {
  switch (op.opcode) {
    case Opcode::mbarrier:
      if (word == "pending_count" && op.mbarrier_mode == MbarrierMode::none) {
        op.opcode = Opcode::pending_count;
        return true;
      }
      if (word == "parity") return op.by_parity = true, features |= kParity, true;
      if (word == "noComplete") return features |= kNoComplete, true;
      if (word == "noinc" && op.mbarrier_mode == MbarrierMode::copies_arrive) {
        op.mbarrier_mode = MbarrierMode::copies_arrive_noinc;
        return true;
      }
      if (word == "expect_tx" && op.mbarrier_mode == MbarrierMode::arrive) {
        op.mbarrier_mode = MbarrierMode::arrive_expect_tx;
        return true;
      }
      if (word == "expect_tx" && op.mbarrier_mode == MbarrierMode::arrive_drop) {
        op.mbarrier_mode = MbarrierMode::arrive_drop_expect_tx;
        return true;
      }
      if (among(kOrders, word)) return features |= kMemoryOrder, true;
      return op.mbarrier_mode == MbarrierMode::none &&
             note(look_up(kMbarrierModes, word, op.mbarrier_mode), kMode, features);
    case Opcode::griddepcontrol:
      if (word != "launch_dependents" && word != "wait") return false;
      return features |= kHint, true;
    case Opcode::redux:
      if (word == "abs") return op.magnitude = true, features |= kMagnitude, true;
      if (word == "NaN") return op.propagate_nan = true, features |= kNan, true;
      return note(look_up(kAtomOps, word, op.atom_op), kMode, features);
    case Opcode::shfl:
      return note(look_up(kShflModes, word, op.shfl_mode), kMode, features);
    case Opcode::vote:
      return note(look_up(kVoteModes, word, op.vote_mode), kMode, features);
    case Opcode::match:
      return note(look_up(kMatchModes, word, op.match_mode), kMode, features);
    case Opcode::bar:
      if (word == "warp") {
        op.opcode = Opcode::bar_warp;
        return true;
      }
      if (word == "sync") op.bar_mode = BarMode::sync;
      if (word == "arrive") op.bar_mode = BarMode::arrive;
      if (word == "red") op.bar_mode = BarMode::red_popc;
      if (op.bar_mode == BarMode::red_popc) {
        if (word == "and") op.bar_mode = BarMode::red_and;
        if (word == "or") op.bar_mode = BarMode::red_or;
        if (word == "popc" || word == "and" || word == "or" || word == "red") return note(true, kMode, features);
      }
      return note(word == "sync" || word == "arrive", kMode, features);
    case Opcode::brx:
      return note(word == "idx", kMode, features);
    default:
      return false;
  }
}

}  // namespace heddle::isa
