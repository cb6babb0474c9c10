// SPDX-License-Identifier: Apache-2.0
#include "sm/hazards/checked_hazards.h"

#include <algorithm>
#include <utility>

#include "core/check_variable.h"
#include "core/error.h"

namespace heddle::sm {

namespace {

template <std::size_t N>
bool among(const std::array<isa::RegisterId, N>& list, unsigned count, isa::RegisterId id) {
  return std::find(list.begin(), list.begin() + count, id) != list.begin() + count;
}

/// Whether `producer` writes a register that `consumer` reads or writes.
bool feeds(const isa::RegisterUse& producer, const isa::RegisterUse& consumer) {
  return std::any_of(producer.writes.begin(), producer.writes.begin() + producer.write_count, [&](isa::RegisterId id) {
    return among(consumer.reads, consumer.read_count, id) || among(consumer.writes, consumer.write_count, id);
  });
}

const char* text(Wait wait) {
  return wait == Wait::none ? "may issue" : wait == Wait::hazard ? "waits for a result" : "waits for memory";
}

}  // namespace

bool CheckedHazards::wanted() {
  static const bool wanted = check_wanted("HEDDLE_CHECK_TRACKERS");
  return wanted;
}

CheckedHazards::CheckedHazards(std::unique_ptr<HazardTracker> checked, const HazardTraits& traits,
                               const HazardShape& shape)
    : checked_(std::move(checked)), traits_(traits), named_(shape.named_registers), in_flight_(shape.warps) {}

void CheckedHazards::numbered(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) const {
  const isa::Kernel* const kernel = contexts[context].kernel;
  if (kernel == nullptr) return;
  const std::uint32_t registers = named_ ? kernel->named_registers : kernel->registers;
  const std::uint32_t predicates = named_ ? kernel->named_predicates : kernel->predicates;
  const isa::RegisterUse& use = registers_of(op, named_);
  const auto look = [&](isa::RegisterId id) {
    const bool predicate = id >= isa::kFirstPredicate;
    const std::uint32_t number = predicate ? id - isa::kFirstPredicate : id, count = predicate ? predicates : registers;
    if (number < count) return;
    fail(ExitCode::internal, "hazards: pc {} of kernel {} uses {} {}, but the kernel has only {}", op.pc, kernel->name,
         predicate ? "predicate" : "register", number, count);
  };
  std::for_each(use.reads.begin(), use.reads.begin() + use.read_count, look);
  std::for_each(use.writes.begin(), use.writes.begin() + use.write_count, look);
}

Wait CheckedHazards::expected(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) const {
  const Context& of = contexts[context];
  const isa::RegisterUse& use = registers_of(op, named_);
  const bool by_thread = traits_.offers.has(Feature::hazards_by_thread);
  Wait wait = Wait::none;
  std::vector<const isa::MicroOp*> writers;  // packets of an instruction share an entry
  for (const InFlight& other : in_flight_[of.warp]) {
    const isa::RegisterUse& produced = registers_of(*other.op, named_);
    if (produced.write_count != 0 &&
        (by_thread || std::find(writers.begin(), writers.end(), other.op) == writers.end()))
      writers.push_back(other.op);
    if (by_thread && !other.threads.intersects(of.threads)) continue;
    if (!feeds(produced, use)) continue;
    if (other.variable) return Wait::memory;
    wait = Wait::hazard;
  }
  const bool full = entries() != 0 && use.write_count != 0 && writers.size() >= entries();
  return wait == Wait::none && full ? Wait::hazard : wait;
}

Wait CheckedHazards::check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) {
  const Wait wait = checked_->check(contexts, context, op);
  judge(contexts, context, op, wait);
  return wait;
}

WordWaits CheckedHazards::check_run(const ContextTable& contexts, ContextId first, std::uint64_t run,
                                    const isa::MicroOp& op) {
  const WordWaits waits = checked_->check_run(contexts, first, run, op);
  for_each_in(first / 64, run, [&](ContextId c, std::uint64_t bit) {
    judge(contexts, c, op,
          (waits.memory & bit) != 0   ? Wait::memory
          : (waits.hazard & bit) != 0 ? Wait::hazard
                                      : Wait::none);
  });
  return waits;
}

void CheckedHazards::judge(const ContextTable& contexts, ContextId context, const isa::MicroOp& op, Wait wait) const {
  if (!traits_.offers.has(Feature::register_waits)) return;
  numbered(contexts, context, op);
  const Wait right = expected(contexts, context, op);
  if ((traits_.conservative && wait != Wait::none) || wait == right) return;
  fail(ExitCode::internal, "hazards: pc {} of context {} {}, but by the packets in flight of warp {} it {}", op.pc,
       context, text(wait), contexts[context].warp, text(right));
}

std::uint32_t CheckedHazards::issued(const ContextTable& contexts, const Packet& packet, bool variable) {
  const std::uint32_t inner = checked_->issued(contexts, packet, variable);
  if (traits_.offers.has(Feature::register_waits)) numbered(contexts, packet.context, *packet.op);
  return take({0, inner, packet.op, packet.context, packet.threads, variable}, packet.warp);
}

std::uint32_t CheckedHazards::take(const InFlight& use, WarpId warp) {
  if (++last_token_ == 0) ++last_token_;
  in_flight_.at(warp).push_back(use);
  in_flight_.at(warp).back().token = last_token_;
  return last_token_;
}

std::uint32_t CheckedHazards::end(const Release& release) {
  auto& list = in_flight_.at(release.warp);
  const auto use =
      std::find_if(list.begin(), list.end(), [&](const InFlight& other) { return other.token == release.token; });
  if (use == list.end()) {
    fail(ExitCode::internal, "hazards: pc {} of context {} is released, but has no packet of warp {} in flight",
         release.op->pc, release.context, release.warp);
  }
  if (use->op != release.op || use->context != release.context || use->variable != release.variable) {
    fail(ExitCode::internal, "hazards: pc {} of context {} releases a use taken by pc {} of context {}", release.op->pc,
         release.context, use->op->pc, use->context);
  }
  const std::uint32_t inner = use->inner;
  list.erase(use);
  return inner;
}

void CheckedHazards::released(const Release& release) {
  Release inner = release;
  inner.token = end(release);
  checked_->released(inner);
}

const ThreadSet* CheckedHazards::busy_threads(WarpId warp) const {
  const ThreadSet* const busy = checked_->busy_threads(warp);
  if (busy == nullptr) return nullptr;
  ThreadSet threads;
  for (const InFlight& other : in_flight_.at(warp)) threads |= other.threads;
  if (!threads.contains(*busy))
    fail(ExitCode::internal, "hazards: warp {} has busy threads that are in no packet in flight", warp);
  return busy;
}

void CheckedHazards::launched(BlockSlot block, WarpId warp) {
  at_rest(warp);
  of_[block].insert(warp);
}

void CheckedHazards::finished(BlockSlot block) {
  for (const WarpId warp : of_[block]) at_rest(warp);
  of_[block].clear();
}

void CheckedHazards::finished(BlockSlot block, WarpId warp) {
  at_rest(warp);
  of_[block].erase(warp);
}

void CheckedHazards::at_rest(WarpId warp) const {
  const auto& list = in_flight_.at(warp);
  if (!list.empty()) {
    fail(ExitCode::internal, "hazards: pc {} of context {} is in flight, but warp {} has no threads",
         list.front().op->pc, list.front().context, warp);
  }
  if (const std::size_t left = checked_->pending(warp); left != 0)
    fail(ExitCode::internal, "hazards: {} uses of warp {} are pending, but it has no packet in flight", left, warp);
}

}  // namespace heddle::sm
