// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/branch_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "isa/operands.h"
#include "sm/context_words.h"
#include "sm/issue/lane_value.h"
#include "sm/issue/packet_plan.h"

namespace heddle::sm {

namespace {

/// Upper limit of a nanosleep.
constexpr std::uint32_t kMostNanoseconds = 1'000'000;

}  // namespace

BranchUnit::BranchUnit(SmContext& sm, GroupingUnit& grouping, IssueEvents& events, LoopNotes& notes,
                       const StatisticsGroup& group)
    : sm_(sm),
      contexts_(sm.contexts),
      grouping_(grouping),
      events_(events),
      notes_(notes),
      branches_(group, "branches", "branches resolved", unit::kInstructions),
      divergent_(group, "divergent_branches", "branches whose threads diverged", unit::kInstructions) {}

void BranchUnit::issued(ContextId c, const Packet& packet, bool resolves) {
  const Cycle now = sm_.gate.now();
  if (packet.first) {
    contexts_.branch.set(c);
    due_[c] = kNever;
  }
  if (packet.last || resolves) due_[c] = std::min(due_[c], now + wait());
  if (!packet.last) return;
  if (due_[c] <= now) {
    resolve(c);
  } else {
    events_.add(due_[c], now, IssueEvent::Kind::resolve, c, nullptr);
  }
}

void BranchUnit::issued_together(const Packet& packet) {
  const Cycle now = sm_.gate.now();
  const ContextId first = packet.context;
  for_each_word_of(first, packet.company, [this](std::size_t w, std::uint64_t some) {
    contexts_.branch.put_word(w, contexts_.branch.word(w) | some);
  });
  company_[first] = packet.company;
  if (wait() == 0) {
    resolve(first);
  } else {
    events_.add(now + wait(), now, IssueEvent::Kind::resolve, first, nullptr);
  }
}

void BranchUnit::resolve(ContextId c) {
  if (company_[c] == 0) {
    resolve_alone(c);
    return;
  }
  const std::uint8_t company = std::exchange(company_[c], std::uint8_t{0});
  const std::uint32_t target = common_target(c, company);
  if (target == kNoPc) {
    for_each_member(company, [&](unsigned i) { resolve_alone(ContextId(c + i)); });
    return;
  }
  for_each_word_of(c, company, [this](std::size_t w, std::uint64_t some) {
    contexts_.branch.put_word(w, contexts_.branch.word(w) & ~some);
    contexts_.changed.put_word(w, contexts_.changed.word(w) | some);
  });
  branches_ += static_cast<unsigned>(std::popcount(company));
  grouping_.branched_together(c, company, contexts_[c].kernel->ops[contexts_[c].pc], target);
}

std::uint32_t BranchUnit::common_target(ContextId first, std::uint8_t company) const {
  const Context& leader = contexts_[first];
  if (sm_.progress.on() || leader.word_count != 1 || !contexts_.valid.test(first)) return kNoPc;
  const isa::MicroOp& op = leader.kernel->ops[leader.pc];
  if (op.opcode != isa::Opcode::bra) return kNoPc;
  std::uint32_t mask = 0;
  bool one_word = true;
  for_each_member(company, [&](unsigned i) {
    const ContextId c(first + i);
    const Context& member = contexts_[c];
    one_word = one_word && member.words == leader.words && member.pc == leader.pc && contexts_.valid.test(c);
    mask |= member.word_mask(member.threads, 0);
  });
  if (!one_word) return kNoPc;
  const std::uint32_t taken = isa::resolve_branch(op, *leader.words, mask).taken;
  return taken == mask ? op.target : taken == 0 ? leader.pc + 1 : kNoPc;
}

void BranchUnit::resolve_alone(ContextId c) {
  contexts_.branch.reset(c);
  contexts_.changed.set(c);
  if (!contexts_.valid.test(c)) return;
  // The context has not issued since the branch, so its registers still hold the branch operands.
  const Context& context = contexts_[c];
  const std::uint32_t pc = context.pc;
  const isa::MicroOp& op = context.kernel->ops[pc];
  find_paths(context, op);
  ++branches_;
  if (paths_.size() > 1) ++divergent_;
  grouping_.branched(c, op, paths_);
  if (sm_.progress.on()) notes_.branched(c, pc, paths_);
}

void BranchUnit::find_paths(const Context& context, const isa::MicroOp& op) {
  const ThreadSet all = context.threads;
  const unsigned shift = context.shift;
  const auto way_to = [&](std::uint32_t pc) -> ThreadSet& {
    const auto path = std::find_if(paths_.begin(), paths_.end(), [&](const auto& x) { return x.pc == pc; });
    return (path == paths_.end() ? *paths_.insert(paths_.end(), {pc, {}}) : *path).threads;
  };
  paths_.clear();
  ThreadSet taken, staying = all;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(all, w);
    const isa::WarpState& warp = context.words[w];
    if (mask != 0 && op.opcode == isa::Opcode::bra) {
      taken.set_word32(w, isa::resolve_branch(op, warp, mask).taken >> shift);
    } else if (mask != 0) {
      for (std::uint32_t lanes = isa::guarded(op, warp, mask); lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        way_to(isa::resolve_indirect(op, warp, lane)).set(32 * w + lane - shift);
        staying.reset(32 * w + lane - shift);
      }
    }
  }
  if (op.opcode == isa::Opcode::bra) {
    staying = all - taken;
    if (taken.any()) paths_.push_back({op.target, taken});
  }
  if (staying.any()) way_to(context.pc + 1) |= staying;
}

Cycle BranchUnit::sleep_of(ContextId c, const isa::MicroOp& op) const {
  const Context& context = contexts_[c];
  std::uint32_t nanoseconds = 0;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const isa::WarpState& warp = context.words[w];
    isa::for_each_lane(isa::guarded(op, warp, context.word_mask(context.threads, w)),
                       [&](unsigned lane) { nanoseconds = std::max(nanoseconds, lane_value(op, 0, warp, lane)); });
  }
  const double time = std::min<double>(nanoseconds, kMostNanoseconds) * 1e-9;
  return static_cast<Cycle>(std::llround(time * sm_.gate.domain().hertz()));
}

void BranchUnit::fall_asleep(ContextId c, const Packet& packet, Cycle time, Cycle at_least) {
  if (packet.first && time <= at_least) {
    // The requested time is within the instruction's own latency.
    grouping_.advanced(c);
    return;
  }
  if (packet.first) {
    contexts_.branch.set(c);
    contexts_.asleep.set(c);
    due_[c] = 0;
  }
  if (!contexts_.asleep.test(c)) return;
  const Cycle now = sm_.gate.now();
  due_[c] = std::max(due_[c], now + std::max(time, at_least));
  if (packet.last) events_.add(due_[c], now, IssueEvent::Kind::wake_up, c, nullptr);
}

void BranchUnit::wake_up(ContextId c) {
  contexts_.branch.reset(c);
  contexts_.asleep.reset(c);
  contexts_.changed.set(c);
  if (contexts_.valid.test(c)) grouping_.advanced(c);
}

}  // namespace heddle::sm
