// SPDX-License-Identifier: Apache-2.0
// Instructions that name threads of an ISA warp: whoever comes first waits, at whatever copy of the instruction, until
// all named threads are there; then it takes effect once.
#include <bit>

#include "isa/operands.h"
#include "isa/prefix_operations.h"
#include "sm/issue_stage.h"

namespace heddle::sm {

bool IssueStage::meet(ContextId c, const isa::MicroOp& op, const ThreadSet& threads) {
  // A form without a mask takes the threads that are here.
  if (!op.sync_form && op.opcode != isa::Opcode::bar_warp) return true;
  const Context& context = contexts_[c];
  ThreadSet waiting;
  bool joined = false;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(threads, w);
    if (mask == 0) continue;
    const Arrival arrival = arrive_at_meeting(c, op, w, context.shift, context.words[w], mask);
    waiting.set_word32(w, arrival.waiting >> context.shift);
    joined = joined || arrival.joined;
  }
  if (waiting.any()) {
    contexts_.at_meeting[context.warp] |= waiting;
    if (waiting == context.threads || !grouping_->part_waiting(c, waiting))
      contexts_.at_meeting[context.warp] |= threads;
    contexts_.changed.set(c);
    tell_waiting(c);
    return false;
  }
  contexts_.at_meeting[contexts_[c].warp] -= threads;
  // The grouping unit may have brought forward a path that waited: who goes on is chosen anew in the next cycle.
  return !joined;
}

void IssueStage::tell_waiting(ContextId c) {
  // A block barrier may need every thread, a meeting those it names.
  const bool at_barrier = contexts_[c].threads.intersects(contexts_.at_barrier[contexts_[c].warp]);
  grouping_->waiting_changed(c, at_barrier ? ThreadSet::everything() : awaited_by(c));
}

/// Threads of the context's warp, by place, that open meetings of its ISA warps wait for.
ThreadSet IssueStage::awaited_by(ContextId c) const {
  const std::uint32_t first = grouping_->first_thread(c) / isa::kWordThreads;
  const unsigned shift = grouping_->first_thread(c) % isa::kWordThreads;
  ThreadSet awaited;
  for (const Rendezvous::Meeting& meeting : rendezvous_.open()) {
    const isa::WarpState& warp = *meeting.warp;
    if (warp.block->slot != contexts_[c].block || warp.index < first || warp.index - first >= kMaxWords) continue;
    const std::uint32_t word = warp.index - first;
    awaited.set_word32(word, awaited.word32(word) | Rendezvous::missing(meeting) >> shift);
  }
  return awaited;
}

IssueStage::Arrival IssueStage::arrive_at_meeting(ContextId c, const isa::MicroOp& op, unsigned word, unsigned shift,
                                                  isa::WarpState& warp, std::uint32_t mask) {
  // Those for whom it has taken effect wait for nobody.
  mask &= ~rendezvous_.settled(warp, op);
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
    if (here == mask && (named & warp.live & ~mask) == 0 && !rendezvous_.open_for(warp)) return result;
    const auto [meeting, fresh] = rendezvous_.arrive(warp, op, here, named);
    if (Rendezvous::complete(meeting)) {
      result.joined = result.joined || !meeting.waiting.empty();
      settle_meeting(meeting);
    } else {
      ThreadSet threads;
      threads.set_word32(word, fresh >> shift);
      if (fresh != 0) meeting.waiting.push_back({c, contexts_[c].warp, threads});
      result.waiting |= here;
    }
  }
  return result;
}

void IssueStage::settle_meeting(const Rendezvous::Meeting& meeting) {
  // Sums of predicates take effect for each thread when it issues; what they are is fixed here.
  std::uint32_t predicates = 0;
  if (isa::sums_predicates(*meeting.op)) {
    predicates = isa::predicates_that_hold(meeting.places, *meeting.warp, meeting.arrived);
  } else {
    isa::execute_collective(meeting.places, *meeting.warp, meeting.arrived);
  }
  const std::vector<Rendezvous::Meeting::Waiting> waiting = meeting.waiting;
  rendezvous_.settle(meeting, predicates);
  for (const auto& who : waiting) contexts_.at_meeting[who.warp] -= who.threads;
  for (const auto& who : waiting) waiting_ended(who.context);
}

}  // namespace heddle::sm
