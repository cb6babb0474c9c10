// SPDX-License-Identifier: Apache-2.0
#include "sm/pipeline/execute_stage.h"

#include <algorithm>

#include "sm/pipeline/writeback_stage.h"
#include "sm/watch/opcode_texts.h"

namespace heddle::sm {

ExecuteStage::ExecuteStage(sc_core::sc_module_name module_name, SmContext& sm, const UnitParameters& unit,
                           const std::string& statistics_name, PipelineStage stage)
    : Stage(module_name, sm.gate),
      packets("packets", sm.gate, stage_number(), {.width = sm.issue_width, .latency = 1}),
      done("done", sm.gate, stage_number()),
      sm_(sm),
      stage_(stage),
      group_(sm.statistics, statistics_name),
      packets_(group_, "packets", "packets executed", unit::kInstructions),
      lane_operations_(group_, "lane_operations", "operations of active lanes", unit::kThreadInstructions),
      busy_cycles_(group_, "busy_cycles", "cycles in which an instance was occupied by a packet, summed over instances",
                   unit::kCycles),
      state_(sm.services, sm.path(statistics_name), sm.domain()),
      opcode_(
          state_.signals.pulse("opcode", 8, "opcode of the entering packet; the last one of a cycle", &opcode_texts())),
      pc_(state_.signals.pulse("pc", 32, "program counter of the entering packet")),
      threads_(state_.signals.pulse("threads", 10, "executing threads of the entering packet")) {
  lanes_.add(isa::Unit::alu, std::max(1u, unit.count), unit.lanes, sm.parameters.simd_width);
  // More may come while it waits for room.
  state_.signals.changes_by_time(
      state_.signals.add("waiting", 8, "packets that wait to enter", [this] { return packets.occupancy(); }));
  state_.signals.add("leaving", 8, "packets that wait for room at write-back", [this] { return left_.size(); });
  Structure& instances =
      state_.traced_structure("instances", "occupied lanes of each instance", std::max(1u, unit.count),
                              {{"lanes", std::min(64u, unit.lanes), 1, 1, false, true}});
  instances.read([this](std::size_t instance, std::size_t) { return lanes_.taken(isa::Unit::alu, instance, now()); })
      .change_by_time();
}

void ExecuteStage::leads_to(WritebackStage& writeback) {
  writeback_ = &writeback;
  unseen_.emplace(WritebackStage::width(sm_), writeback.written());
}

inline bool ExecuteStage::unseen(const Packet& packet) const {
  return unseen_ && packet.holders > 1 && leaving_.empty() && left_.empty() &&
         (sm_.watch == nullptr || !sm_.watch->follows_instructions()) && !state_.signals.on() &&
         !writeback_->signals_on();
}

void ExecuteStage::cycle() {
  // 1. Packets whose last wave has completed go to write-back, those first that found no room in an earlier cycle.
  if (!left_.empty()) {
    std::size_t sent = 0;
    while (sent < left_.size() && done.can_send()) done.send(left_[sent++]);
    left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(sent));
  }
  leaving_.take(now(), [this](PacketHandle packet) {
    __builtin_prefetch(&*packet);  // for write-back
    if (left_.empty() && done.can_send()) {
      done.send(packet);
    } else {
      left_.push_back(packet);
    }
  });

  // 2. New packets enter an instance whose lanes are free, subject to its initiation interval.
  while (PacketHandle* front = packets.front()) {
    Packet& packet = **front;
    // Packets on disjoint lanes share a pass.
    const int instance = lanes_.find(isa::Unit::alu, packet.lanes, now());
    if (instance < 0) break;
    const Cycle occupied = Cycle{packet.waves} * packet.interval;
    lanes_.take(isa::Unit::alu, instance, packet.lanes, now(), occupied);
    if (sm_.watch != nullptr) sm_.watch->entered(packet, stage_);
    ++packets_;
    lane_operations_ += packet.active;
    if (state_.signals.on()) {
      state_.signals.fire(opcode_, static_cast<std::uint64_t>(packet.op->opcode));
      state_.signals.fire(pc_, packet.op->pc);
      state_.signals.fire(threads_, packet.active);
    }
    busy_cycles_ += occupied;
    // The result may be read `latency` cycles after issue and is in the register file one cycle earlier.
    const Cycle due = packet.issued + packet.latency + packet.late(sm_.parameters.operands.latency);
    const Cycle leaves = std::max(due > 1 ? due - 1 : due, now() + 1);
    packets.pop();
    if (unseen(packet) && unseen_->add(leaves, now())) {
      sm_.packets.drop(packet);  // its end was scheduled at issue
    } else {
      leaving_.add(leaves, now(), &packet);
    }
  }
  if (packets.front() != nullptr || !left_.empty()) {
    wake(now() + 1);
    return;
  }
  const Cycle next = leaving_.next(now());
  if (next != kNever) wake(next);
}

}  // namespace heddle::sm
