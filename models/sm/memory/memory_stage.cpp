// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/memory_stage.h"

namespace heddle::sm {

MemoryStage::MemoryStage(sc_core::sc_module_name module_name, SmContext& sm, const MemoryReporter::Wanted& wanted)
    : Stage(module_name, sm.gate),
      packets("packets", sm.gate, stage_number(), {.width = sm.issue_width, .latency = 1}),
      to_shared("to_shared", sm.gate, stage_number()),
      from_shared("from_shared", sm.gate, stage_number(), {.width = 1, .latency = 1}),
      done("done", sm.gate, stage_number()),
      reports("reports", sm.gate, stage_number()),
      data("data", sm.gate.domain(), *this),
      constant("constant", sm.gate.domain(), *this),
      texture("texture", sm.gate.domain(), *this),
      sm_(sm),
      addresses_(sm.number),
      open_(sm.parameters.coalescer, table_),
      requests_(sm.number),
      completion_(table_, wanted.return_wait != kNever),
      reporter_(table_, wanted),
      statistics_(sm.statistics),
      display_(sm, {packets, table_, queue_, requests_, completion_}) {}

void MemoryStage::cycle() {
  statistics_.begin(now());
  reporter_.take_misses(now());
  const std::size_t replied = completion_.take_replies(now());
  unanswered_ -= replied;
  statistics_.replied(replied);
  take_packets();
  seal_groups();
  send_transactions();
  if (reporter_.has_reports()) report();
  if (completion_.ended() != 0) finish_packets();
  sleep_or_stay();
}

Cycle MemoryStage::may_enter(const Packet& packet) const {
  return packet.address_delay != 0 ? packet.gathered + 1 + packet.address_delay : 0;
}

void MemoryStage::take_packets() {
  while (PacketHandle* from = from_shared.front()) {
    // The shared-memory part is done; now access the caches.
    if (full() && !open_.awaits(**from)) break;
    enter(**from);
    from_shared.pop();
  }
  while (PacketHandle* front = packets.front()) {
    Packet& packet = **front;
    if (const Cycle from = may_enter(packet); now() < from) {
      wake(from);
      return;
    }
    if (const AccessReach reach = reach_of(packet); reach.shared) {
      // What issued together is one access: it waits until all of it can go.
      const bool follows = packet.access_group == last_shared_;
      if (to_shared.room() < (follows ? 1 : sm_.packets_per_access)) {
        to_shared.wait_for_room();
        return;
      }
      last_shared_ = packet.access_group;
      packet.shared_only = !reach.caches;
      if (packet.shared_only) open_.passes_by(packet);
      to_shared.send(*front);
    } else {
      // What issued together is one access, and so are its packets in the queue. Sending a transaction makes room and
      // wakes the stage.
      if (full() && !open_.awaits(packet) && (sm_.packets_per_access == 1 || !open_.takes(packet))) return;
      enter(packet);
    }
    packets.pop();
  }
}

void MemoryStage::enter(Packet& packet) {
  open_.add(packet);
  if (sm_.watch != nullptr) sm_.watch->entered(packet, PipelineStage::memory);
  addresses_.translate(packet);
}

void MemoryStage::seal_groups() {
  open_.seal([this](std::uint32_t index) {
    AccessGroup& group = table_[index];
    statistics_.sealed(group);
    if (sm_.events.coalesced.any()) {
      for (const PacketHandle& packet : group.packets) sm_.events.coalesced.tell(*packet, group.transactions.size());
    }
    completion_.sealed(group);
    if (group.transactions.empty()) {
      table_.free(index);
    } else {
      queue_.add(index, group.what.path);
    }
  });
}

void MemoryStage::send_transactions() {
  if (queue_.size() == 0) return;
  const auto free = [this](CachePath path) { return port_of(path).free(now()); };
  const auto send_next = [this](std::uint32_t group, CachePath path) { return send(group, port_of(path)); };
  statistics_.stalled(queue_.arbitrate(sm_.parameters.memory_ports, free, send_next));
}

bool MemoryStage::send(std::uint32_t index, RequestPort& port) {
  AccessGroup& group = table_[index];
  tlm::tlm_generic_payload& payload = requests_.take(group, index, reporter_.asks(group));
  ++unanswered_;
  statistics_.sent();
  display_.sending(group);
  reporter_.sending(group);
  if (sm_.watch != nullptr) {
    const Transaction& next = group.next();
    for (std::uint64_t left = next.members; left != 0; left &= left - 1)
      sm_.watch->sent(group.first_of(left), next.address, next.bytes, left == next.members);
  }
  ++group.sent;
  port.send(payload);
  if (!group.all_sent()) return true;
  if (group.what.waits()) {
    reporter_.sent(index, now());
  } else {
    completion_.sent(group);
    table_.free(index);
  }
  return false;
}

void MemoryStage::report() {
  const Cycle next = reporter_.report(now(), reports);
  if (next != kNever) wake(next);
}

void MemoryStage::finish_packets() {
  completion_.finish([this](PacketHandle& packet) {
    if (!done.can_send()) return false;
    done.send(packet);
    return true;
  });
  if (completion_.ended() != 0) wake(now() + 1);
}

void MemoryStage::sleep_or_stay() {
  // A port that has accepted its last transaction can take one in the next cycle; the others call accepted().
  unsigned stalled = 0;
  queue_.for_paths([&](CachePath path) {
    if (port_of(path).free(now() + 1)) {
      wake(now() + 1);
    } else {
      ++stalled;
    }
  });
  statistics_.sleeps(stalled);
  if (queue_.size() >= sm_.parameters.memory_queue) return;
  if (packets.occupancy() != 0) packets.look_again();
  if (from_shared.occupancy() != 0) from_shared.look_again();
}

void MemoryStage::reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) {
  const CachePath path = &port == &data       ? CachePath::data
                         : &port == &constant ? CachePath::constant
                                              : CachePath::texture;
  completion_.reply(path, payload, visible);
  wake(visible);
}

void MemoryStage::missed(const RequestPort&, tlm::tlm_generic_payload& payload, Cycle visible) {
  reporter_.missed(AccessTag(RequestInfo::of(payload)->access), visible);
  wake(visible);
}

}  // namespace heddle::sm
