// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "isa/collective.h"
#include "isa/operands.h"

namespace heddle::isa {
namespace {

/// Gathers the operands of all arrival points in a scratch frame and executes the operation there once.
void execute_gathered(const MeetingPlaces& places, WarpState& state, std::uint32_t mask) {
  constexpr unsigned kSlot = 8 * kWordThreads;
  alignas(64) std::array<std::byte, kSlot*(MicroOp::kMaxDestinations + MicroOp::kMaxSources)> frame{};
  const MicroOp& op = *places[static_cast<unsigned>(std::countr_zero(mask))];
  MicroOp gathered = op;
  gathered.guard = {};
  WarpState warp = state;
  warp.registers = frame.data();
  const OperandBases here(state), there(warp);
  unsigned slot = 0;
  const auto place = [&](Operand& operand) {
    operand.negate = false;
    if (operand.present()) operand = {kSlot * slot, Operand::Base::frame, false, operand.type};
    ++slot;
  };
  for (unsigned i = 0; i < op.source_count; ++i) {
    place(gathered.sources[i]);
    for_each_lane(mask, [&](unsigned lane) {
      set_value(gathered.sources[i], there, lane, value_of(places[lane]->sources[i], here, lane));
    });
  }
  for (unsigned i = 0; i < op.destination_count; ++i) {
    // A destination may be absent at one arrival point and present at another.
    const Operand* wanted = &gathered.destinations[i];
    for_each_lane(mask, [&](unsigned lane) {
      if (!wanted->present()) wanted = &places[lane]->destinations[i];
    });
    gathered.destinations[i] = *wanted;
    place(gathered.destinations[i]);
  }
  execute_collective(gathered, warp, mask);
  for (unsigned i = 0; i < op.destination_count; ++i) {
    for_each_lane(mask, [&](unsigned lane) {
      set_value(places[lane]->destinations[i], here, lane, value_of(gathered.destinations[i], there, lane));
    });
  }
}

}  // namespace

unsigned member_mask_source(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::bar_warp:
    case Opcode::elect:
      return 0;
    case Opcode::shfl:
    case Opcode::cond_acc:
    case Opcode::tree_traverse:
      return 3;
    default:
      return 1;
  }
}

bool same_collective(const MicroOp& a, const MicroOp& b) {
  return a.opcode == b.opcode && a.shfl_mode == b.shfl_mode && a.vote_mode == b.vote_mode &&
         a.match_mode == b.match_mode && a.atom_op == b.atom_op && a.type == b.type && a.space == b.space;
}

void execute_collective(const MeetingPlaces& places, WarpState& warp, std::uint32_t mask) {
  if (mask == 0) return;
  const MicroOp& op = *places[static_cast<unsigned>(std::countr_zero(mask))];
  if (op.opcode == Opcode::bar_warp) return;
  bool one_place = true;
  for_each_lane(mask, [&](unsigned lane) { one_place = one_place && places[lane] == &op; });
  if (one_place) {
    execute_collective(op, warp, mask);
  } else {
    execute_gathered(places, warp, mask);
  }
}

}  // namespace heddle::isa
