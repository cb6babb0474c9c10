// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/branch_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/operands.h"
#include "sm/issue/lane_value.h"

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
      branches_(group, "branches", "branches issued", unit::kInstructions),
      divergent_(group, "divergent_branches", "branches whose threads diverged", unit::kInstructions) {}

void BranchUnit::issued(ContextId c, const Packet& packet, bool resolves) {
  const Cycle now = sm_.gate.now();
  if (packet.first) {
    contexts_.branch.set(c);
    due_[c] = kNever;
  }
  if (packet.last || resolves) due_[c] = std::min(due_[c], now + wait());
  if (!packet.last) return;
  branches_ += static_cast<unsigned>(std::popcount(packet.company));
  if (due_[c] <= now) {
    resolve(c);
  } else {
    events_.add(due_[c], now, IssueEvent::Kind::resolve, c, nullptr);
  }
}

void BranchUnit::resolve(ContextId c) {
  contexts_.branch.reset(c);
  contexts_.changed.set(c);
  if (!contexts_.valid.test(c)) return;
  // The context has not issued since the branch, so its registers still hold the branch operands.
  const Context& context = contexts_[c];
  const std::uint32_t pc = context.pc;
  const isa::MicroOp& op = context.kernel->ops[pc];
  find_paths(context, op);
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
