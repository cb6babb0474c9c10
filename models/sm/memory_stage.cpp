// SPDX-License-Identifier: Apache-2.0
#include "sm/memory_stage.h"

#include <algorithm>
#include <bit>

namespace heddle::sm {

namespace {

// Where local memory and kernel parameters lie for the caches: outside device memory, so that they never collide with
// it.
constexpr std::uint64_t kLocalBase = 0x3000'0000'0000;
constexpr std::uint64_t kParameterBase = 0x3800'0000'0000;

}  // namespace

void CachePort::send(tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  switch (socket->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      waiting_ = true;
      break;
    case tlm::TLM_UPDATED:
      if (phase == tlm::BEGIN_RESP) {
        // An early reply: it ends the request too, and is answered by END_RESP.
        phase = tlm::END_RESP;
        socket->nb_transport_fw(payload, phase, delay);
        owner_.reply(payload);
      }
      break;
    case tlm::TLM_COMPLETED:
      owner_.reply(payload);
      break;
  }
}

tlm::tlm_sync_enum CachePort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    waiting_ = false;
    owner_.port_freed();
    return tlm::TLM_ACCEPTED;
  }
  // BEGIN_RESP, which also ends the request when END_REQ was left out.
  if (waiting_) {
    waiting_ = false;
    owner_.port_freed();
  }
  owner_.reply(payload);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

MemoryStage::MemoryStage(sc_core::sc_module_name module_name, SmContext& sm)
    : Stage(module_name, sm.gate),
      packets("packets", sm.gate, stage_number(), {.width = std::max(1u, sm.parameters.schedulers), .latency = 1}),
      to_shared("to_shared", sm.gate, stage_number()),
      from_shared("from_shared", sm.gate, stage_number(), {.width = 1, .latency = 1}),
      done("done", sm.gate, stage_number()),
      data("data", *this),
      constant("constant", *this),
      texture("texture", *this),
      sm_(sm),
      coalescer_(sm.parameters.coalescer),
      constant_lines_(CoalescerParameters{CoalescingRule::lines, 64}),
      group_(sm.statistics, "memory"),
      accesses_(group_, "accesses", "memory instructions that reached the memory stage", unit::kAccesses),
      loads_(group_, "loads", "of them loads", unit::kAccesses),
      stores_(group_, "stores", "of them stores and reductions", unit::kAccesses),
      atomics_(group_, "atomics", "of them atomics", unit::kAccesses),
      transactions_(group_, "transactions", "transactions sent to the caches", unit::kTransactions),
      replies_counted_(group_, "replies", "transactions whose reply came", unit::kReplies),
      port_stalls_(group_, "port_stalls", "cycles in which a transaction waited for its cache to accept the one before",
                   unit::kCycles),
      per_access_(group_, "transactions_per_access", "global and local accesses by number of transactions",
                  unit::kAccesses, Buckets::linear(1, 1, 32)) {}

void MemoryStage::reply(tlm::tlm_generic_payload& payload) {
  replies_.push_back({&payload, now() + 1});
  wake(now() + 1);
}

void MemoryStage::cycle() {
  take_replies();
  take_packets();
  send_transactions();
  finish_packets();
  if (!queue_.empty() || !ended_.empty()) wake(now() + 1);
}

void MemoryStage::take_replies() {
  std::size_t kept = 0;
  for (const Reply& reply : replies_) {
    if (reply.at > now()) {
      replies_[kept++] = reply;
      continue;
    }
    ++replies_counted_;
    const RequestInfo& info = *RequestInfo::of(*reply.payload);
    if (info.access != 0) {
      auto& packet = *reinterpret_cast<Packet*>(info.access);
      if (--packet.outstanding == 0) ended_.push_back(&packet);
    }
    reply.payload->release();
  }
  replies_.resize(kept);
}

void MemoryStage::take_packets() {
  while (Packet** from = from_shared.front()) {
    ended_.push_back(*from);
    from_shared.pop();
  }
  while (Packet** front = packets.front()) {
    Packet& packet = **front;
    if (packet.op->space == isa::Space::shared ||
        (packet.active != 0 && packet.memory->addresses[0].space == isa::Space::shared)) {
      if (!to_shared.can_send()) {
        to_shared.wait_for_room();
        return;
      }
      to_shared.send(*front);
    } else {
      if (queue_.size() >= sm_.parameters.memory_queue) {
        packets.look_again();
        return;
      }
      start(packet);
    }
    packets.pop();
  }
}

std::uint64_t MemoryStage::local_address(const PacketWord& word, unsigned lane, std::uint64_t offset) const {
  // Words of the 32 threads interleave, so that threads that use the same variable touch one line.
  const std::uint64_t bytes = word.warp->block->launch->kernel->local_bytes;
  const std::uint64_t frame =
      (std::uint64_t{sm_.number} * 512 + word.warp->warp_slot) * ((bytes + 3) / 4 * 4) * isa::kWordThreads;
  return kLocalBase + frame + (offset / 4 * isa::kWordThreads + lane) * 4 + offset % 4;
}

void MemoryStage::start(Packet& packet) {
  Work work;
  if (!idle_work_.empty()) {
    work = std::move(idle_work_.back());
    idle_work_.pop_back();
  }
  work.packet = &packet;
  work.sent = 0;
  work.transactions.clear();
  split(work);
  ++accesses_;
  switch (work.kind) {
    case AccessKind::store:
    case AccessKind::reduction:
      ++stores_;
      break;
    case AccessKind::atomic:
      ++atomics_;
      break;
    default:
      ++loads_;
      break;
  }
  if (work.way == Way::data && !work.transactions.empty()) per_access_.record(work.transactions.size());
  const bool waits =
      work.kind != AccessKind::store && work.kind != AccessKind::reduction && work.kind != AccessKind::prefetch;
  packet.outstanding = waits ? static_cast<std::uint32_t>(work.transactions.size()) : 0;
  if (work.transactions.empty()) {
    ended_.push_back(&packet);
    idle_work_.push_back(std::move(work));
    return;
  }
  queue_.push_back(std::move(work));
}

void MemoryStage::split(Work& work) {
  Packet& packet = *work.packet;
  const isa::MicroOp& op = *packet.op;
  work.bytes = static_cast<std::uint8_t>(std::max(1u, isa::size_of(op.type)) * op.vector_width);
  switch (op.opcode) {
    case isa::Opcode::st:
      work.kind = AccessKind::store;
      break;
    case isa::Opcode::atom:
      work.kind = AccessKind::atomic;
      break;
    case isa::Opcode::red:
      work.kind = AccessKind::reduction;
      break;
    case isa::Opcode::tex:
      work.kind = AccessKind::texture;
      break;
    case isa::Opcode::prefetch:
      work.kind = AccessKind::prefetch;
      break;
    default:
      work.kind = AccessKind::load;
      break;
  }
  work.way = Way::data;
  if (work.kind == AccessKind::texture) work.way = Way::texture;
  coalescer_.start();
  constant_lines_.start();
  for (unsigned w = 0; w < packet.word_count; ++w) {
    isa::Addresses& addresses = packet.memory->addresses[w];
    if (addresses.mask == 0) continue;
    if (addresses.space == isa::Space::local || addresses.local_lanes != 0) {
      const std::uint32_t local = addresses.space == isa::Space::local ? addresses.mask : addresses.local_lanes;
      for (std::uint32_t lanes = local; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        addresses.value[lane] = local_address(packet.words[w], lane, addresses.value[lane] & ~isa::kWindowMask);
      }
      addresses.lowest = addresses.highest = 0;
    }
    if (addresses.space == isa::Space::param || addresses.space == isa::Space::constant) {
      work.way = Way::constant;
      work.kind = AccessKind::constant;
      isa::Addresses moved = addresses;
      if (addresses.space == isa::Space::param) {
        for (std::uint64_t& value : moved.value) value += kParameterBase;
      }
      constant_lines_.add(moved, addresses.mask, work.bytes);
    } else {
      coalescer_.add(addresses, addresses.mask & ~addresses.shared_lanes, work.bytes);
    }
  }
  const Coalescer& lines = work.way == Way::constant ? constant_lines_ : coalescer_;
  work.transactions.assign(lines.begin(), lines.end());
}

void MemoryStage::send_transactions() {
  bool used[3] = {false, false, false};
  unsigned left = sm_.parameters.memory_ports;
  for (std::size_t q = 0; q < queue_.size() && left != 0;) {
    Work& work = queue_[q];
    const auto way = static_cast<std::size_t>(work.way);
    CachePort& port = port_of(work.way);
    // One access at a time on each way; another way's access may pass.
    if (used[way]) {
      ++q;
      continue;
    }
    if (!port.free()) {
      ++port_stalls_;
      used[way] = true;
      ++q;
      continue;
    }
    const Transaction& transaction = work.transactions[work.sent];
    const bool write = work.kind == AccessKind::store || work.kind == AccessKind::reduction;
    tlm::tlm_generic_payload& payload =
        payloads_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, transaction.address, transaction.bytes);
    RequestInfo& info = *RequestInfo::of(payload);
    Packet& packet = *work.packet;
    info.kind = work.kind;
    info.local = packet.op->space == isa::Space::local;
    info.sectors = transaction.sectors;
    info.sm = static_cast<std::uint16_t>(sm_.number);
    info.context = packet.warp;
    info.pc = packet.op->pc;
    info.access = packet.outstanding != 0 ? reinterpret_cast<std::uintptr_t>(&packet) : 0;
    ++transactions_;
    --left;
    used[way] = true;
    const bool last = ++work.sent == work.transactions.size();
    if (last && info.access == 0) ended_.push_back(&packet);
    port.send(payload);
    if (last) {
      idle_work_.push_back(std::move(work));
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(q));
    } else {
      ++q;
    }
  }
}

void MemoryStage::finish_packets() {
  std::size_t sent = 0;
  while (sent < ended_.size() && done.can_send()) done.send(ended_[sent++]);
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(sent));
}

}  // namespace heddle::sm
