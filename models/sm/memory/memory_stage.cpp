// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/memory_stage.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sm/memory/address_parts.h"

namespace heddle::sm {

namespace {

// Cache addresses of local memory and kernel parameters, outside device memory so that they never collide with it.
constexpr std::uint64_t kLocalBase = 0x3000'0000'0000;
constexpr std::uint64_t kParameterBase = 0x3800'0000'0000;

// By AccessKind.
const TextTable kAccessKinds = {"load",     "store",   "atomic",   "reduction", "instruction",
                                "constant", "texture", "prefetch", "write_back"};

/// Memories accessed by a packet's threads. Generic addresses may reach several.
struct Reach {
  bool shared = false, caches = false;
  bool local = false;  ///< all cache accesses are to local memory
};
Reach reach_of(const Packet& packet) {
  const isa::Space space = packet.op->space;
  Reach reach{.shared = space == isa::Space::shared, .caches = false, .local = space == isa::Space::local};
  if (space != isa::Space::generic) {
    reach.caches = !reach.shared;
    return reach;
  }
  std::uint32_t shared = 0, local = 0, others = 0;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const isa::Addresses& addresses = packet.memory->addresses[w];
    shared |= shared_part(addresses);
    local |= local_part(addresses);
    others |= addresses.mask & ~shared_part(addresses) & ~local_part(addresses);
  }
  // A packet without threads takes the path to the caches.
  return {.shared = shared != 0, .caches = shared == 0 || (local | others) != 0, .local = local != 0 && others == 0};
}

/// Whether a load must see stores of other SMs. An SM's caches are not notified of those, so they may not serve strong
/// loads with a scope wider than the block or loads with operator .cg or .cv.
bool reads_coherently(const isa::MicroOp& op) {
  if (op.opcode != isa::Opcode::ld || op.non_coherent) return false;
  return op.cache_op == isa::CacheOp::cg || op.cache_op == isa::CacheOp::cv ||
         (op.is_volatile && op.scope != isa::Scope::cta);
}

}  // namespace

MemoryStage::MemoryStage(sc_core::sc_module_name module_name, SmContext& sm, const Reports& wanted)
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
      wanted_(wanted),
      coalescer_(sm.parameters.coalescer),
      constant_lines_(CoalescerParameters{CoalescingRule::lines, 64}),
      group_(sm.statistics, "memory"),
      access_count_(group_, "accesses", "memory instructions that reached the memory stage", unit::kAccesses),
      loads_(group_, "loads", "accesses that are loads", unit::kAccesses),
      stores_(group_, "stores", "accesses that are stores or reductions", unit::kAccesses),
      atomics_(group_, "atomics", "accesses that are atomics", unit::kAccesses),
      transactions_(group_, "transactions", "transactions sent to the caches", unit::kTransactions),
      replies_counted_(group_, "replies", "transactions whose reply has arrived", unit::kReplies),
      port_stalls_(group_, "port_stalls", "cycles in which a transaction waited until its cache accepted the last one",
                   unit::kCycles),
      per_access_(group_, "transactions_per_access", "global and local accesses by number of transactions",
                  unit::kAccesses, Buckets::linear(1, 1, 32)),
      partial_accesses_(group_, "partial_accesses",
                        "global and local accesses in which not all live threads of the ISA warps take part",
                        unit::kAccesses),
      partial_coalesced_(group_, "partial_coalesced",
                         "partial accesses by two or more threads that coalesce into one transaction", unit::kAccesses),
      state_(sm.services, sm.path("memory"), sm.domain()),
      address_(state_.signals.pulse("address", 64, "address of the transaction sent; the last of a cycle")),
      kind_(state_.signals.pulse("kind", 4, "kind of access of that transaction", &kAccessKinds)),
      pc_(state_.signals.pulse("pc", 32, "program counter of the instruction of that transaction")) {
  declare_state();
}

void MemoryStage::declare_state() {
  Derived(group_, "replays", "transactions of global and local accesses beyond the first of each access",
          unit::kTransactions, [this](const StatisticsView& v) {
            return v.bucket(per_access_, per_access_.buckets()) - v.total(per_access_);
          });
  Derived(group_, "mean_transactions", "mean transactions per global or local access", unit::kRatio,
          [this](const StatisticsView& v) { return v.mean(per_access_); });
  state_.signals.add("waiting", 8, "packets that wait to enter", [this] { return packets.occupancy(); });
  state_.signals.add("outstanding", 12, "transactions with an outstanding reply", [this] { return outstanding(); });
  state_.signals.add("ended", 8, "packets that wait for room at write-back", [this] { return ended_.size(); });
  Structure& queue = state_.traced_structure(
      "queue", "accesses with transactions to send, in order", sm_.parameters.memory_queue,
      {{"valid", 1, 1, 1}, {"kind", 4, 1, 1}, {"pc", 32, 1, 1}, {"transactions", 10, 1, 1}, {"sent", 10, 1, 1}});
  queue.occupied([this](std::size_t i) { return i < queue_.size(); });
  queue.read([this](std::size_t i, std::size_t field) -> std::uint64_t {
    if (i >= queue_.size()) return 0;
    const Access& access = *accesses_[queue_[i]];
    switch (field) {
      case 0:
        return 1;
      case 1:
        return static_cast<std::uint64_t>(access.kind);
      case 2:
        return access.pc;
      case 3:
        return access.transactions.size();
      default:
        return access.sent;
    }
  });
}

void MemoryStage::reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) {
  const Way way = &port == &data ? Way::data : &port == &constant ? Way::constant : Way::texture;
  const std::uint64_t tag = RequestInfo::of(payload)->access;
  // The access has left the host cache during its wait; fetch it before the reply is processed.
  if (tag != 0) __builtin_prefetch(accesses_[(tag >> 32) - 1].get());
  replies_[static_cast<std::size_t>(way)].push_back({&payload, tag, visible});
  wake(visible);
}

void MemoryStage::settle(Cycle until) {
  // The stage sleeps while only its ports hold it up.
  if (stalled_ports_ == 0 || until <= worked_) return;
  port_stalls_ += stalled_ports_ * (until - worked_);
  worked_ = until;
}

void MemoryStage::cycle() {
  settle(now() - 1);
  worked_ = now();
  if (!missed_.empty()) take_misses();
  for (auto& replies : replies_) take_replies(replies);
  take_packets();
  seal_accesses();
  send_transactions();
  if (!to_report_.empty()) report_misses();
  if (!watched_.empty()) report_returns();
  finish_packets();
  if (!ended_.empty()) wake(now() + 1);
  look_at_ports();
}

void MemoryStage::look_at_ports() {
  // A port that has accepted its last transaction can take one in the next cycle; the others call accepted().
  bool seen[3] = {false, false, false};
  stalled_ports_ = 0;
  for (const std::uint32_t index : queue_) {
    const Way way = accesses_[index]->way;
    if (std::exchange(seen[static_cast<std::size_t>(way)], true)) continue;
    if (port_of(way).free(now() + 1)) {
      wake(now() + 1);
    } else {
      ++stalled_ports_;
    }
  }
  if (queue_.size() >= sm_.parameters.memory_queue) return;
  if (packets.occupancy() != 0) packets.look_again();
  if (from_shared.occupancy() != 0) from_shared.look_again();
}

void MemoryStage::take_replies(std::vector<Reply>& replies) {
  std::size_t kept = 0;
  for (const Reply& reply : replies) {
    if (reply.visible > now()) {
      replies[kept++] = reply;
      continue;
    }
    ++replies_counted_;
    const std::uint64_t tag = reply.tag;
    reply.payload->release();
    if (tag == 0) continue;
    Access& access = *accesses_[(tag >> 32) - 1];
    const auto came = [this](Packet& packet) {
      if (--packet.outstanding == 0) ended_.push_back(&packet);
    };
    // Each packet completes when its own lines have returned, so count per member.
    if (access.only) {
      came(*access.only);
    } else {
      for (std::uint64_t members = access.transactions[tag & 0xffffffff].members; members != 0; members &= members - 1)
        came(*access.packets[static_cast<std::size_t>(std::countr_zero(members))]);
    }
    if (wanted_.return_wait != kNever) access.back[tag & 0xffffffff] = true;
    if (--access.to_reply == 0) idle_accesses_.push_back(static_cast<std::uint32_t>((tag >> 32) - 1));
  }
  replies.resize(kept);
}

void MemoryStage::take_packets() {
  const auto full = [this] { return queue_.size() + opened_.size() >= sm_.parameters.memory_queue; };
  while (PacketHandle* from = from_shared.front()) {
    // The shared-memory part is done; now access the caches.
    if (full()) break;
    add(access_of(**from), **from);
    from_shared.pop();
  }
  while (PacketHandle* front = packets.front()) {
    Packet& packet = **front;
    if (packet.op->opcode == isa::Opcode::cond_acc) {
      // The predicates pass through the prefix-sum network first.
      const Cycle summed = packet.gathered + 1 + sm_.parameters.prefix_delay();
      if (now() < summed) {
        wake(summed);
        return;
      }
    }
    if (const Reach reach = reach_of(packet); reach.shared) {
      if (!to_shared.can_send()) {
        to_shared.wait_for_room();
        return;
      }
      packet.shared_only = !reach.caches;
      to_shared.send(*front);
    } else {
      if (full()) return;  // sending a transaction makes room and wakes the stage
      add(access_of(packet), packet);
    }
    packets.pop();
  }
}

std::uint64_t MemoryStage::local_address(const PacketWord& word, unsigned lane, std::uint64_t offset) const {
  // Interleave the 32 threads by word, so that threads accessing the same variable share a line.
  const std::uint64_t bytes = word.warp->block->launch->kernel->local_bytes;
  const std::uint64_t frame =
      (std::uint64_t{sm_.number} * 512 + word.warp->warp_slot) * ((bytes + 3) / 4 * 4) * isa::kWordThreads;
  return kLocalBase + frame + (offset / 4 * isa::kWordThreads + lane) * 4 + offset % 4;
}

MemoryStage::Access& MemoryStage::access_of(Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  AccessKind kind = AccessKind::load;
  Way way = Way::data;
  switch (op.opcode) {
    case isa::Opcode::st:
    case isa::Opcode::cond_acc:
      kind = AccessKind::store;
      break;
    case isa::Opcode::atom:
      kind = AccessKind::atomic;
      break;
    case isa::Opcode::red:
      kind = AccessKind::reduction;
      break;
    case isa::Opcode::prefetch:
      kind = AccessKind::prefetch;
      break;
    case isa::Opcode::tex:
      kind = AccessKind::texture;
      way = Way::texture;
      break;
    default:
      if (op.space == isa::Space::param || op.space == isa::Space::constant) {
        kind = AccessKind::constant;
        way = Way::constant;
      }
      break;
  }
  const bool local = reach_of(packet).local;
  const bool coherent = !local && way == Way::data && reads_coherently(op);
  for (std::uint32_t index : opened_) {
    Access& access = *accesses_[index];
    if (access.group == packet.access_group && access.kind == kind && access.local == local &&
        access.coherent == coherent && access.packets.size() < 64)
      return access;
  }
  if (idle_accesses_.empty()) {
    idle_accesses_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    accesses_.push_back(std::make_unique<Access>());
  }
  opened_.push_back(idle_accesses_.back());
  idle_accesses_.pop_back();
  Access& access = *accesses_[opened_.back()];
  access.packets.clear();
  access.transactions.clear();
  access.way = way;
  access.kind = kind;
  access.local = local;
  access.coherent = coherent;
  access.group = packet.access_group;
  access.number = ++begun_;
  access.pc = op.pc;
  access.sent = 0;
  ++access_count_;
  switch (kind) {
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
  return access;
}

void MemoryStage::add(Access& access, Packet& packet) {
  access.packets.push_back(&packet);
  if (sm_.watch != nullptr) sm_.watch->entered(packet, Place::memory);
  for (unsigned w = 0; w < packet.word_count; ++w) {
    isa::Addresses& addresses = packet.memory->addresses[w];
    const std::uint32_t local = local_part(addresses);
    if (local != 0) addresses.contiguous = addresses.uniform = false;
    for (std::uint32_t lanes = local; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      addresses.value[lane] = local_address(packet.words[w], lane, addresses.value[lane] & ~isa::kWindowMask);
    }
    if (addresses.space == isa::Space::param) {
      for (std::uint64_t& value : addresses.value) value += kParameterBase;
    }
  }
}

void MemoryStage::seal_accesses() {
  for (std::uint32_t index : opened_) {
    Access& access = *accesses_[index];
    Coalescer& coalescer = access.way == Way::constant ? constant_lines_ : coalescer_;
    coalescer.start(access.kind == AccessKind::store);
    for (unsigned member = 0; member < access.packets.size(); ++member) {
      const Packet& packet = *access.packets[member];
      const unsigned bytes = std::max(1u, isa::size_of(packet.op->type)) * packet.op->vector_width;
      for (unsigned w = 0; w < packet.word_count; ++w) {
        const isa::Addresses& addresses = packet.memory->addresses[w];
        const std::uint32_t lanes = addresses.mask & ~shared_part(addresses);
        if (lanes != 0) coalescer.add(addresses, lanes, bytes, member);
      }
      for (const isa::Addresses& texels : packet.memory->texels)
        coalescer.add(texels, texels.mask, texels.bytes, member);
    }
    access.transactions.assign(coalescer.begin(), coalescer.end());
    access.partial.clear();
    if (access.kind == AccessKind::store) {
      for (std::size_t i = 0; i < coalescer.size(); ++i) access.partial.push_back(!coalescer.whole(i));
    }
    if (access.way == Way::data && !access.transactions.empty()) {
      per_access_.record(access.transactions.size());
      count_partial(access);
    }

    if (sm_.events.coalesced.any()) {
      for (const PacketHandle& packet : access.packets) sm_.events.coalesced.tell(*packet, access.transactions.size());
    }

    const bool waits =
        access.kind != AccessKind::store && access.kind != AccessKind::reduction && access.kind != AccessKind::prefetch;
    for (const PacketHandle& packet : access.packets) packet->outstanding = 0;
    for (const Transaction& transaction : access.transactions) {
      for (std::uint64_t members = transaction.members; members != 0; members &= members - 1) {
        ++access.packets[static_cast<std::size_t>(std::countr_zero(members))]->outstanding;
      }
    }
    // Stores complete when they are sent. A packet without transactions completes now, and its slot may be reused
    // before the access ends.
    for (PacketHandle& packet : access.packets) {
      if (packet->outstanding == 0) ended_.push_back(std::exchange(packet, {}));
    }
    access.waits = waits;
    if (wanted_.return_wait != kNever) access.back.assign(access.transactions.size(), false);
    access.only = access.packets.size() == 1 ? access.packets.front() : PacketHandle();
    access.to_reply = access.transactions.size();
    if (access.transactions.empty()) {
      idle_accesses_.push_back(index);
    } else {
      queue_.push_back(index);
    }
  }
  opened_.clear();
}

void MemoryStage::count_partial(const Access& access) {
  const std::uint32_t own =
      sm_.parameters.warp_size < isa::kWordThreads ? (1u << sm_.parameters.warp_size) - 1 : 0xffffffff;
  std::uint32_t absent = 0;
  for (const PacketHandle& packet : access.packets) {
    for (unsigned w = 0; w < packet->word_count; ++w) {
      const PacketWord& word = packet->words[w];
      if (word.mask != 0) absent |= word.warp->live & (own << word.shift) & ~word.mask;
    }
  }
  if (absent == 0) return;
  ++partial_accesses_;
  if (access.transactions.size() == 1 && access.transactions.front().threads > 1) ++partial_coalesced_;
}

void MemoryStage::send_transactions() {
  bool used[3] = {false, false, false};
  unsigned left = sm_.parameters.memory_ports;
  for (std::size_t q = 0; q < queue_.size() && left != 0;) {
    const std::uint32_t index = queue_[q];
    Access& access = *accesses_[index];
    RequestPort& port = port_of(access.way);
    bool& way_used = used[static_cast<std::size_t>(access.way)];
    // Accesses of a way are sent in order, but may overtake those of other ways.
    if (way_used || !port.free(now())) {
      if (!way_used) ++port_stalls_;
      way_used = true;
      ++q;
      continue;
    }
    way_used = true;
    --left;
    send(access, index, port);
    if (access.sent != access.transactions.size()) {
      ++q;
      continue;
    }
    if (!access.waits) {
      for (const PacketHandle& packet : access.packets) {
        if (packet) ended_.push_back(packet);
      }
      idle_accesses_.push_back(index);
    } else if (wanted_.return_wait != kNever && access.only && access.kind == AccessKind::load &&
               access.transactions.size() > 1) {
      watched_.push_back({index, access.number, now() + wanted_.return_wait});
      wake(watched_.back().due);
    }
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(q));
  }
}

void MemoryStage::send(Access& access, std::uint32_t index, RequestPort& port) {
  const Transaction& transaction = access.transactions[access.sent];
  const bool write = access.kind == AccessKind::store || access.kind == AccessKind::reduction;
  tlm::tlm_generic_payload& payload =
      payloads_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, transaction.address, transaction.bytes);
  RequestInfo& info = *RequestInfo::of(payload);
  const Packet& packet = *access.packets[static_cast<std::size_t>(std::countr_zero(transaction.members))];
  info.kind = access.kind;
  info.local = access.local;
  info.coherent = access.coherent;
  info.sectors = transaction.sectors;
  info.partial = access.kind == AccessKind::store && access.partial[access.sent];
  info.sm = static_cast<std::uint16_t>(sm_.number);
  info.context = packet.warp;
  info.pc = packet.op->pc;
  for (std::uint64_t members = transaction.members; members != 0 && access.kind == AccessKind::load;
       members &= members - 1) {
    info.keep_row_open =
        info.keep_row_open || access.packets[static_cast<std::size_t>(std::countr_zero(members))]->op->row_hint;
  }
  info.reports_miss = wanted_.misses && access.waits && told_[static_cast<std::size_t>(access.way)];
  info.access = access.waits ? (std::uint64_t{index} + 1) << 32 | access.sent : 0;
  ++transactions_;
  if (state_.signals.on()) {
    state_.signals.fire(address_, transaction.address);
    state_.signals.fire(kind_, static_cast<std::uint64_t>(access.kind));
    state_.signals.fire(pc_, packet.op->pc);
  }
  if (wanted_.misses && access.waits && !told_[static_cast<std::size_t>(access.way)]) {
    for (std::uint64_t members = transaction.members; members != 0; members &= members - 1)
      note_miss(*access.packets[static_cast<std::size_t>(std::countr_zero(members))]);
  }
  if (sm_.watch != nullptr) {
    for (std::uint64_t members = transaction.members; members != 0; members &= members - 1)
      sm_.watch->sent(*access.packets[static_cast<std::size_t>(std::countr_zero(members))], transaction.address,
                      transaction.bytes, members == transaction.members);
  }
  ++access.sent;
  port.send(payload);
}

void MemoryStage::finish_packets() {
  std::size_t sent = 0;
  while (sent < ended_.size() && done.can_send()) done.send(ended_[sent++]);
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(sent));
}

}  // namespace heddle::sm
