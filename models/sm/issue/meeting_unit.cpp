// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/meeting_unit.h"

#include <bit>

#include "isa/operands.h"
#include "isa/prefix_operations.h"

namespace heddle::sm {

bool MeetingUnit::meet(ContextId c, const isa::MicroOp& op, const ThreadSet& threads) {
  // Forms without a mask apply to the threads present.
  if (!op.sync_form && op.opcode != isa::Opcode::bar_warp) return true;
  const Context& context = contexts_[c];
  ThreadSet waiting;
  bool joined = false;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(threads, w);
    if (mask == 0) continue;
    const Arrival arrival = arrive(c, op, w, context.words[w], mask);
    waiting.set_word32(w, arrival.waiting >> context.shift);
    joined = joined || arrival.joined;
  }
  if (waiting.any()) {
    contexts_.at_meeting.add(context.warp, waiting);
    if (waiting == context.threads || !grouping_.part_waiting(c, waiting))
      contexts_.at_meeting.add(context.warp, threads);
    contexts_.changed.set(c);
    waiting_.changed(c);
    return false;
  }
  contexts_.at_meeting.remove(contexts_[c].warp, threads);
  // The grouping unit may have brought a waiting path forward, so the choice is made again in the next cycle.
  return !joined;
}

MeetingUnit::Arrival MeetingUnit::arrive(ContextId c, const isa::MicroOp& op, unsigned word, isa::WarpState& warp,
                                         std::uint32_t mask) {
  // Threads for which the collective has already taken effect do not wait.
  mask &= ~meetings_.settled(warp, op);
  const unsigned shift = contexts_[c].shift;
  const isa::Operand& operand = op.sources[isa::member_mask_source(op)];
  const isa::OperandBases bases(warp);
  const bool one_mask = operand.base == isa::Operand::Base::constants;
  Arrival result;
  for (std::uint32_t rest = mask; rest != 0;) {
    const auto leader = static_cast<unsigned>(std::countr_zero(rest));
    const auto named_by = [&](unsigned lane) {
      return static_cast<std::uint32_t>(value_of(operand, bases, lane)) | 1u << lane;
    };
    const std::uint32_t named = named_by(leader);
    std::uint32_t here = one_mask ? rest & named : 0;
    if (!one_mask) {
      isa::for_each_lane(rest, [&](unsigned lane) { here |= std::uint32_t{named_by(lane) == named} << lane; });
    }
    rest &= ~here;
    if (here == mask && (named & warp.live & ~mask) == 0 && !meetings_.open_for(warp)) return result;
    const auto [meeting, fresh] = meetings_.arrive(warp, op, here, named);
    if (Rendezvous::complete(meeting)) {
      result.joined = result.joined || !meeting.waiting.empty();
      settle(meeting);
    } else {
      ThreadSet threads;
      threads.set_word32(word, fresh >> shift);
      if (fresh != 0) meeting.waiting.push_back({c, contexts_[c].warp, threads});
      result.waiting |= here;
    }
  }
  return result;
}

void MeetingUnit::settle(const Rendezvous::Meeting& meeting) {
  // Predicate sums are written when each thread issues, but their values are fixed here.
  std::uint32_t predicates = 0;
  if (isa::sums_predicates(*meeting.op)) {
    predicates = isa::predicates_that_hold(meeting.places, *meeting.warp, meeting.arrived);
  } else {
    isa::execute_collective(meeting.places, *meeting.warp, meeting.arrived);
  }
  const std::vector<Rendezvous::Meeting::Waiting> waiting = meeting.waiting;
  meetings_.settle(meeting, predicates);
  for (const auto& who : waiting) contexts_.at_meeting.remove(who.warp, who.threads);
  for (const auto& who : waiting) waiting_.ended(who.context);
}

void MeetingUnit::exited(const isa::WarpState& warp) {
  while (Rendezvous::Meeting* meeting = meetings_.completed_by_exit(warp)) settle(*meeting);
}

}  // namespace heddle::sm
