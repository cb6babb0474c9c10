// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/packet_timing.h"

#include <algorithm>
#include <utility>

#include "sm/context_words.h"

namespace heddle::sm {

PacketTiming::PacketTiming(SmContext& sm, GroupingUnit& grouping, HazardTracker& hazards, const HazardTraits& traits,
                           IssueEvents& events, ContextStates& states, const WaitingThreads& waiting,
                           InstructionEffects& effects, ResidentBlocks& blocks)
    : sm_(sm),
      contexts_(sm.contexts),
      grouping_(grouping),
      hazards_(&hazards),
      hazard_traits_(traits),
      by_context_(!traits.shared_by_warp || grouping.traits().own_warps),
      events_(events),
      states_(states),
      waiting_(waiting),
      effects_(effects),
      blocks_(blocks) {}

void PacketTiming::issued(Packet& packet, Cycle latency) {
  const Cycle now = sm_.gate.now();
  packet.stay = stay_of(latency);
  packet.latency = latency;
  if (packet.kind == PacketKind::ghost) {
    if (latency != 0) events_.add(now + latency, now, IssueEvent::Kind::release, packet.context, &packet);
    return;
  }
  if (!packet.latched) packet.hazard_token = hazards_->issued(contexts_, packet, latency == 0);
  if (latency == 0) return;
  if (hazard_traits_.keeps_time) packet.latency = hazards_->release_at(packet, now + latency) - now;
  events_.add(now + packet.latency, now, IssueEvent::Kind::release, packet.context, &packet);
}

[[gnu::always_inline]] inline void PacketTiming::give_back_registers(const Packet& packet) {
  const ContextId c = packet.context;
  hazards_->released({packet.op, c, packet.warp, packet.hazard_token, packet.latency == 0});
  if (by_context_) {
    const std::size_t w = c / 64;
    const std::uint64_t waiting = contexts_.hazard.word(w) | contexts_.long_latency.word(w);
    if (const std::uint64_t some = in_word(c, packet.company) & waiting; some != 0) states_.check_hazards(w, some);
  } else {
    waiting_.contexts_of(packet.warp).for_each([this](ContextId other) {
      if (contexts_.hazard.test(other) || contexts_.long_latency.test(other)) states_.check_hazard(other);
    });
  }
}

void PacketTiming::hold_context(Packet& packet, const PacketPlan& plan) {
  packet.keeps_context = false;
  const SmParameters& p = sm_.parameters;
  if (p.shape == PipelineShape::buffered) return;
  const ContextId c = packet.context;
  packet.keeps_context = plan.holds_context;
  if (packet.first) {
    contexts_.pipeline.set(c);
    // While more packets may come, the sequence itself counts as one packet to wait for.
    kept_[c] = plan.all_hold ? 1 : 0;
  }
  if (packet.keeps_context) ++kept_[c];
  if (packet.last && plan.all_hold) --kept_[c];
  if (!packet.keeps_context) return;
  if (packet.latency == 0 && p.refetch == 0) return;  // its completion ends the wait and already holds a reference
  ++packet.holders;
  const Cycle now = sm_.gate.now();
  // A fixed refetch time is not delayed by late operands.
  events_.add(now + packet.stay, now, IssueEvent::Kind::leave_pipeline, c, &packet, p.refetch != 0);
}

void PacketTiming::completed(Packet& packet) {
  const SmParameters& p = sm_.parameters;
  const Cycle now = sm_.gate.now();
  if (packet.away && packet.keeps_context && --missed_[packet.context] == 0) {
    contexts_.away.reset(packet.context);
    contexts_.long_latency.reset(packet.context);
  }
  if (sm_.events.completed.any()) sm_.events.completed.tell(packet);
  const Cycle releases =
      hazard_traits_.keeps_time && packet.kind != PacketKind::ghost ? hazards_->release_at(packet, now) : now;
  ++packet.holders;
  if (releases > now) {
    events_.add(releases, now, IssueEvent::Kind::release, packet.context, &packet, true);
  } else {
    release(packet);
  }
  if (packet.keeps_context && p.refetch == 0) {
    const Cycle leaves = packet.issued + p.pipeline_depth;
    if (p.shape == PipelineShape::barrel && leaves > now) {
      // The result is ready before the packet has passed all stages.
      events_.add(leaves, now, IssueEvent::Kind::leave_pipeline, packet.context, &packet, true);
      return;
    }
    leave_pipeline(packet.context);
  }
  sm_.packets.drop(packet);
}

void PacketTiming::missed(Packet& packet) {
  packet.away = true;
  if (sm_.events.missed.any()) sm_.events.missed.tell(packet);
  if (!packet.keeps_context) return;
  ++missed_[packet.context];
  contexts_.away.set(packet.context);
  contexts_.long_latency.set(packet.context);
}

void PacketTiming::leave_pipeline(ContextId c) {
  if (--kept_[c] != 0) return;
  contexts_.pipeline.reset(c);
  grouping_.retired(c);
  states_.update_ready(c);
}

[[gnu::always_inline]] inline void PacketTiming::release(Packet& packet) {
  if (hazard_traits_.commits && packet.kind != PacketKind::ghost && !hazards_->commit(packet)) return;
  release_now(packet);
}

void PacketTiming::release_committed() {
  committed_.clear();
  hazards_->advance(sm_.gate.now(), committed_);
  for (const PacketHandle& packet : committed_) release_now(*packet);
}

[[gnu::always_inline]] inline void PacketTiming::release_now(Packet& packet) {
  if (packet.kind != PacketKind::ghost) {
    // Threads may have moved to other contexts meanwhile, so re-check every context that waits for memory.
    if (packet.kind == PacketKind::normal && effects_.ended(packet)) contexts_.changed |= contexts_.long_latency;
    give_back_registers(packet);
  }
  blocks_.packet_ended(packet);
  sm_.packets.drop(packet);
}

void PacketTiming::due(const IssueEvent& event) {
  if (put_off(event)) return;
  Packet& packet = *event.packet;
  if (event.kind == IssueEvent::Kind::release) {
    release(packet);
  } else {
    sm_.packets.drop(packet);
    leave_pipeline(event.context);
  }
}

bool PacketTiming::put_off(IssueEvent event) {
  if (event.late) return false;
  Packet& packet = *event.packet;
  const Cycle now = sm_.gate.now();
  // A loop distance too short for operands to have arrived is never postponed.
  if (now <= packet.assumed_gather(sm_.parameters.operands.latency)) return false;
  if (packet.operands_pending) {
    (event.kind == IssueEvent::Kind::release ? packet.release_waits : packet.leave_waits) = true;
    return true;
  }
  event.late = packet.operand_delay != 0;
  if (event.late) events_.add(now + packet.operand_delay, now, event);
  return event.late;
}

void PacketTiming::operands(const OperandReport& report) {
  Packet& packet = *report.packet;
  if (hazard_traits_.follows_operands && report.what == OperandReport::What::gathered) hazards_->gathered(packet);
  packet.operands_pending = report.what == OperandReport::What::waiting;
  if (packet.operands_pending) return;
  packet.operand_delay = report.late;
  const Cycle now = sm_.gate.now();
  const auto add = [&](IssueEvent::Kind kind, Cycle due) {
    events_.add(std::max(due + report.late, now), now, kind, packet.context, &packet, true);
  };
  if (std::exchange(packet.release_waits, false)) add(IssueEvent::Kind::release, packet.issued + packet.latency);
  if (std::exchange(packet.leave_waits, false)) add(IssueEvent::Kind::leave_pipeline, packet.issued + packet.stay);
}

}  // namespace heddle::sm
