// SPDX-License-Identifier: Apache-2.0
#include "sm/pipeline/operand_stage.h"

#include <algorithm>
#include <bit>
#include <string>

namespace heddle::sm {

namespace {

LinkParameters input(const SmContext& sm, unsigned collectors) {
  // Room for as many packets as the kind has collectors, but at least enough to sustain the full width.
  const unsigned least = 2 * sm.issue_width;
  return {.width = sm.issue_width, .latency = 1, .capacity = std::max(collectors, least)};
}

}  // namespace

OperandStage::OperandStage(sc_core::sc_module_name module_name, SmContext& sm, bool report_all)
    : Stage(module_name, sm.gate),
      from_alu("from_alu", sm.gate, stage_number(), input(sm, sm.parameters.alu.collectors)),
      from_sfu("from_sfu", sm.gate, stage_number(), input(sm, sm.parameters.sfu.collectors)),
      from_fp64("from_fp64", sm.gate, stage_number(), input(sm, sm.parameters.fp64.collectors)),
      from_memory("from_memory", sm.gate, stage_number(), input(sm, sm.parameters.memory_collectors())),
      to_alu("to_alu", sm.gate, stage_number()),
      to_sfu("to_sfu", sm.gate, stage_number()),
      to_fp64("to_fp64", sm.gate, stage_number()),
      to_memory("to_memory", sm.gate, stage_number()),
      reports("reports", sm.gate, stage_number(), reports_per_cycle(sm)),
      sm_(sm),
      report_all_(report_all),
      group_(sm.statistics, "operands"),
      reads_(group_, "reads", "registers read by packets", unit::kRegisters),
      conflicts_(group_, "bank_conflicts", "reads delayed because another read used the bank", unit::kEvents),
      late_(group_, "late_cycles", "cycles by which packets left later than their loop distance assumes",
            unit::kCycles),
      state_(sm.services, sm.path("operands"), sm.domain()) {
  const SmParameters& p = sm.parameters;
  kinds_ = {Kind{&from_alu, &to_alu, std::max(1u, p.alu.collectors), {}},
            Kind{&from_sfu, &to_sfu, std::max(1u, p.sfu.collectors), {}},
            Kind{&from_fp64, &to_fp64, std::max(1u, p.fp64.collectors), {}},
            Kind{&from_memory, &to_memory, p.memory_collectors(), {}}};
  for (unsigned i = 0; i < kKinds; ++i) kinds_[i].in->watch(arrived_, i);
  declare_state();
}

void OperandStage::declare_state() {
  static constexpr std::array<const char*, kKinds> kNames{"alu", "sfu", "fp64", "memory"};
  const SmParameters& p = sm_.parameters;
  for (std::size_t k = 0; k < kKinds; ++k) {
    const std::string name = kNames[k];
    const Kind& kind = kinds_[k];
    // More may come while the stage sleeps because it is full.
    state_.signals.changes_by_time(state_.signals.add(name + "_waiting", 8,
                                                      "packets for " + name + " that wait for a collector",
                                                      [&kind] { return kind.in->occupancy(); }));
    Structure& collectors = state_.traced_structure(
        name + "_collectors", "packets for " + name + " that gather their operands", kind.collectors,
        {{"valid", 1, 1, 1},
         {"pc", 32, 1, 1},
         {"pending", index_bits(isa::RegisterUse::kMaxReads + 1), 1, 1},
         {"values", 3 * 32 * p.simd_width, 1, 1}});
    collectors.first_used([&kind] { return kind.held.size(); });
    collectors.read([&kind](std::size_t i, std::size_t field) -> std::uint64_t {
      if (i >= kind.held.size()) return 0;
      return field == 0 ? 1 : field == 1 ? kind.held[i].packet->op->pc : field == 2 ? kind.held[i].pending : 0;
    });
  }
  if (p.operands.banks != 0) {
    const auto banks = state_.signals.add("banks", p.operands.banks, "register-file banks read in this cycle",
                                          [this] { return banks_taken_; });
    state_.signals.show(banks, Radix::hexadecimal);
  }
  state_.structure("registers", "the register file", p.residency.registers, {{"value", 32, 3, 1}});
}

void OperandStage::cycle() {
  banks_taken_ = 0;
  // One bit per kind with packets: in most cycles there is only one.
  unsigned holding = 0;
  for (unsigned i = 0; i < kKinds; ++i) holding |= kinds_[i].held.empty() ? 0 : 1u << i;
  const OperandParameters& p = sm_.parameters.operands;
  if (holding == 0 && std::has_single_bit(arrived_) && p.latency == 0) {
    Kind& kind = kinds_[static_cast<unsigned>(std::countr_zero(arrived_))];
    pass(kind);
    finish(kind);
    return;
  }
  // Links clear their bits when they are empty.
  const unsigned arrived = arrived_;
  for (unsigned rest = arrived; rest != 0; rest &= rest - 1) {
    Kind& kind = kinds_[static_cast<unsigned>(std::countr_zero(rest))];
    // Without banks, packets of different kinds do not compete for them.
    if (p.banks == 0 && p.latency == 0 && kind.held.empty()) {
      pass(kind);
    } else {
      accept(kind);
    }
  }
  holding |= arrived;
  // Priority for the banks rotates every cycle, whether or not the stage works in it.
  const auto first = static_cast<int>(now() % kKinds);
  constexpr unsigned kAll = (1u << kKinds) - 1;
  for (unsigned rest = (holding >> first | holding << (kKinds - first)) & kAll; rest != 0; rest &= rest - 1)
    read_banks(kinds_[(static_cast<unsigned>(first) + static_cast<unsigned>(std::countr_zero(rest))) % kKinds]);
  for (; holding != 0; holding &= holding - 1) finish(kinds_[static_cast<unsigned>(std::countr_zero(holding))]);
}

void OperandStage::finish(Kind& kind) {
  if (!kind.held.empty() && dispatch(kind)) wake(now() + 1);
  // A freed collector is for the next packet waiting on the link.
  const bool waiting = kind.in->front() != nullptr;
  if (waiting && kind.held.size() < kind.collectors) kind.in->look_again();
  if (&kind != &kinds_[kMemory] && (waiting || !kind.held.empty())) report_waiting(kind);
}

unsigned OperandStage::banks_of(const Packet& packet, Banks& banks) const {
  if (sm_.parameters.operands.banks == 0 || packet.active == 0) return 0;
  const isa::RegisterUse& use = packet.op->allocated;
  unsigned reads = 0;
  for (unsigned r = 0; r < use.read_count; ++r) {
    if (use.reads[r] < isa::kFirstPredicate) banks[reads++] = bank_of(use.reads[r], packet.warp);
  }
  return reads;
}

unsigned OperandStage::read(Banks& banks, unsigned pending) {
  unsigned left = 0;
  for (unsigned r = 0; r < pending; ++r) {
    const std::uint64_t bank = std::uint64_t{1} << banks[r];
    if ((banks_taken_ & bank) != 0) {
      banks[left++] = banks[r];
      ++conflicts_;
    } else {
      banks_taken_ |= bank;
    }
  }
  return left;
}

void OperandStage::pass(Kind& kind) {
  unsigned room = kind.out->room();
  for (unsigned passed = 0; passed + kind.held.size() < kind.collectors;) {
    PacketHandle* const front = kind.in->front();
    if (front == nullptr) return;
    Packet& packet = **front;
    Banks banks;
    const unsigned reads = banks_of(packet, banks);
    reads_ += reads;
    const unsigned pending = read(banks, reads);
    if (pending == 0 && kind.held.empty() && has_room(kind, packet, room)) {
      leave(packet);
      kind.out->send(*front);
      --room;
      ++passed;
    } else {
      kind.held.push_back({*front, banks, pending, now()});
    }
    kind.in->pop();
  }
}

void OperandStage::accept(Kind& kind) {
  while (kind.held.size() < kind.collectors) {
    PacketHandle* const front = kind.in->front();
    if (front == nullptr) return;
    // Filled in its place: a copy of banks just stored would stall the host.
    Collector& collector = kind.held.emplace_back();
    collector.packet = *front;
    collector.reads_from = now() + sm_.parameters.operands.latency;
    collector.pending = banks_of(**front, collector.banks);
    reads_ += collector.pending;
    kind.in->pop();
  }
}

void OperandStage::read_banks(Kind& kind) {
  for (Collector& collector : kind.held) {
    if (collector.reads_from <= now()) collector.pending = read(collector.banks, collector.pending);
  }
}

void OperandStage::leave(Packet& packet) {
  packet.gathered = now();
  if (packet.awaited) sm_.gate.wake(sm_.issue_stage, now() + 1);
  // The release of a packet of variable latency does not depend on its operands.
  const Cycle late = packet.latency == 0 ? 0 : packet.late(sm_.parameters.operands.latency);
  late_ += late;
  if (late == 0 && !report_all_) return;
  OperandReport report{&packet, OperandReport::What::gathered, late};
  reports.send(report);
}

void OperandStage::report_waiting(Kind& kind) {
  for (const Collector& collector : kind.held) report_waiting(*collector.packet);
  // Packets that arrive behind others do not wake the stage.
  kind.in->for_each_visible([this](const PacketHandle& packet) {
    report_waiting(*packet);
    wake(now() + 1);
  });
}

void OperandStage::report_waiting(Packet& packet) {
  if (packet.told_waiting) return;
  const Cycle assumed = packet.assumed_gather(sm_.parameters.operands.latency);
  Cycle due = packet.issued + packet.latency;
  if (due <= assumed) due = packet.issued + packet.stay;
  if (due <= assumed) return;
  // Packets that leave in this cycle report first.
  if (now() + 1 < due || reports.room() <= kKinds * sm_.issue_width) {
    wake(std::max(due - 1, now() + 1));
    return;
  }
  OperandReport report{&packet, OperandReport::What::waiting, 0};
  reports.send(report);
  packet.told_waiting = true;
}

bool OperandStage::has_room(const Kind& kind, const Packet& packet, unsigned room) {
  if (sm_.packets_per_access == 1 || &kind != &kinds_[kMemory]) return room != 0;
  // What issued together is one access: it waits until all of it can go.
  const bool follows = packet.access_group == last_access_;
  if (room < (follows ? 1 : sm_.packets_per_access)) return false;
  last_access_ = packet.access_group;
  return true;
}

bool OperandStage::dispatch(Kind& kind) {
  // Without banks, packets gather in the order in which they came: those behind one that stays would stay too.
  const bool in_order = sm_.parameters.operands.banks == 0;
  auto kept = kind.held.begin(), next = kept;
  bool again = false, blocked = false;
  unsigned room = kind.out->room();
  for (; next != kind.held.end(); ++next) {
    const bool gathered = next->pending == 0 && next->reads_from <= now();
    if (gathered && has_room(kind, *next->packet, room)) {
      leave(*next->packet);
      kind.out->send(next->packet);
      --room;
      continue;
    }
    (gathered ? blocked : again) = true;
    if (in_order) break;
    if (kept != next) *kept = *next;
    ++kept;
  }
  kind.held.erase(kept, next);
  // A packet with its operands is woken by the link.
  if (blocked) kind.out->wait_for_room();
  return again;
}

}  // namespace heddle::sm
