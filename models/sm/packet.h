// SPDX-License-Identifier: Apache-2.0
// A packet: one instruction, the threads it serves and the lanes they use. Packets travel on the links of an SM.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/identifier.h"
#include "core/kernel/clock.h"
#include "isa/execute.h"
#include "isa/state.h"

namespace heddle::sm {

inline constexpr unsigned kMaxContexts = ContextSet::kBits;
inline constexpr unsigned kMaxWords = ThreadSet::kBits / isa::kWordThreads;

/// The part of a packet that lies in one ISA warp.
struct PacketWord {
  isa::WarpState* warp = nullptr;
  std::uint32_t mask = 0;  ///< threads served, by position in the ISA warp
  std::uint32_t own = 0;   ///< threads of its contexts, served or not
};

/// Addresses of a packet, by word. The first is stored inline: most packets have one word, and many wait for memory at
/// once.
class WordAddresses {
 public:
  /// Makes room for words 0 .. count-1.
  void make_room(unsigned count) {
    if (count > further_.size() + 1) further_.resize(count - 1);
  }
  isa::Addresses& operator[](unsigned word) { return word == 0 ? first_ : further_[word - 1]; }
  const isa::Addresses& operator[](unsigned word) const { return word == 0 ? first_ : further_[word - 1]; }

 private:
  std::vector<isa::Addresses> further_;
  isa::Addresses first_;
};

/// Addresses of a memory instruction, allocated from a pool when the packet issues.
struct MemoryAccess {
  std::vector<isa::Addresses> texels;  ///< addresses read by a texture fetch
  WordAddresses addresses;
};

enum class PacketKind : std::uint8_t {
  normal,  ///< has effects and advances its context
  replay,  ///< occupies lanes, registers and memory like its instruction, but has no effect
  copy,    ///< costs the time of an instruction inserted before another by a mechanism
  ghost,   ///< takes a slot and lanes but writes no registers and sends no transactions
};

/// The members that most stages look at are in the first two host cache lines.
struct alignas(64) Packet {
  const isa::MicroOp* op = nullptr;
  ContextId context = kNoContext;
  WarpId warp;
  BlockSlot block_slot;
  IssueSlot slot;  ///< that issued it
  std::uint8_t word_count = 0;
  std::uint8_t company = 1;  ///< contexts that it serves: bit i is context + i; see PacketPlan
  std::uint16_t waves = 1;   ///< passes through its unit: hundreds for a wide warp on a narrow unit
  bool last = true;          ///< last packet of its instruction
  bool first = true;
  bool missed = false;         ///< set by the memory stage: a line it needs was not in the cache
  bool away = false;           ///< set by the issue stage on the report of that miss
  bool keeps_context = false;  ///< its context may not issue until it leaves the pipeline
  bool shared_only = false;    ///< memory packet that accesses shared memory only
  std::uint8_t holders = 0;    ///< references held by the pipeline and the issue stage
  PacketKind kind = PacketKind::normal;
  std::uint32_t active = 0;         ///< threads in `threads`
  std::uint32_t interval = 1;       ///< cycles that a wave occupies its lanes of the unit
  std::uint16_t address_delay = 0;  ///< cycles that its operands pass through a unit before they are addresses
  Packet* next_idle = nullptr;      ///< private to the pool
  std::uint64_t issue_id = 0;       ///< unique per issued instruction; each further context has the number before
  Cycle latency = 0;                ///< issue to dependent issue if fixed; 0: variable

  Cycle issued = 0;
  Cycle stay = 0;      ///< issue to leaving the pipeline, if its context waits for that and the latency is fixed
  Cycle gathered = 0;  ///< cycle in which it left the operand stage; for stages that receive it from there
  // Kept by the issue stage, from reports of the operand stage.
  Cycle operand_delay = 0;         ///< cycles by which its operands were late
  bool operands_pending = false;   ///< it lacked operands when its result was about to be due
  bool release_waits = false;      ///< its release is due and waits for the report
  bool leave_waits = false;        ///< so does the end of its context's wait
  bool told_waiting = false;       ///< private to the operand stage: its report `waiting` is sent
  bool latched = false;            ///< it took its registers before it issued
  bool awaited = false;            ///< the issue stage is woken when it leaves the operand stage
  std::uint32_t hazard_token = 0;  ///< private to the hazard tracker
  LaneMask lanes;                  ///< physical lanes, over all waves
  MemoryAccess* memory = nullptr;

  std::uint32_t outstanding = 0;    ///< 0: all its lines are back
  std::uint32_t generation = 0;     ///< number of packets that have ended in this slot of the pool
  std::uint64_t access_group = 0;   ///< packets with the same group coalesce together
  std::uint8_t access_packets = 0;  ///< packets of that group, if they come over several cycles; see PacketPlan
  std::uint64_t trace_id = 0;       ///< identifier from SmWatch, if a listener is attached
  Packet* shown_as = nullptr;       ///< GroupingUnit::shown_as()
  ThreadSet threads;                ///< by position in the (first) context, guard applied
  // Last, because most packets use only the first.
  std::array<PacketWord, kMaxWords> words;

  std::span<Packet> shown() const { return {shown_as, shown_as == this ? 1u : std::popcount(company)}; }
  /// Cycle in which its loop distance assumes its operands to be gathered. in_collector: OperandParameters::latency.
  Cycle assumed_gather(Cycle in_collector) const { return issued + 1 + in_collector; }
  /// Cycles by which its operands came later than that. Valid once the packet has left the operand stage.
  Cycle late(Cycle in_collector) const {
    const Cycle assumed = assumed_gather(in_collector);
    return gathered > assumed ? gathered - assumed : 0;
  }
};

/// Throw Error(kInternal).
[[noreturn]] void fail_ended_packet(const Packet& now_there);
[[noreturn]] void fail_dropped_packet(const Packet& packet);

/// Reference to a packet held across cycles. Pool slots are reused, so builds with assertions check that the slot still
/// holds the same packet.
class PacketHandle {
 public:
  PacketHandle() = default;
  PacketHandle(Packet* packet) : packet_(packet) {  // implicit: it is a pointer
#ifndef NDEBUG
    if (packet != nullptr) generation_ = packet->generation;
#endif
  }
  Packet& operator*() const { return *get(); }
  Packet* operator->() const { return get(); }
  explicit operator bool() const { return packet_ != nullptr; }

 private:
  Packet* get() const {
#ifndef NDEBUG
    if (packet_ != nullptr && generation_ != packet_->generation) fail_ended_packet(*packet_);
#endif
    return packet_;
  }
  Packet* packet_ = nullptr;
#ifndef NDEBUG
  std::uint32_t generation_ = 0;
#endif
};

/// Notified when the last holder drops a packet.
class PacketEnd {
 public:
  virtual ~PacketEnd() = default;
  virtual void ended(const Packet& packet) = 0;
};

/// Packet pool of one SM. Does not allocate once warm.
class PacketPool {
 public:
  /// Sets the only listener; null: none.
  void tell(PacketEnd* listener) { listener_ = listener; }
  Packet& take() {
    ++in_flight_;
    if (idle_ == nullptr) {
      storage_.push_back(std::make_unique<Packet>());
      return *storage_.back();
    }
    Packet& packet = *idle_;
    idle_ = packet.next_idle;
    // Until then the next one would have left the host's near caches.
    __builtin_prefetch(idle_, 1);
    return packet;
  }
  /// Releases one holder's reference.
  void drop(Packet& packet) {
    if (packet.holders == 0) fail_dropped_packet(packet);
    if (--packet.holders != 0) return;
    if (listener_ != nullptr) listener_->ended(packet);
    ++packet.generation;
    if (packet.memory != nullptr) {
      idle_accesses_.push_back(packet.memory);
      packet.memory = nullptr;
    }
    packet.next_idle = std::exchange(idle_, &packet);
    --in_flight_;
  }
  MemoryAccess& take_access() {
    if (idle_accesses_.empty()) {
      accesses_.push_back(std::make_unique<MemoryAccess>());
      return *accesses_.back();
    }
    MemoryAccess* access = idle_accesses_.back();
    idle_accesses_.pop_back();
    if (!idle_accesses_.empty()) __builtin_prefetch(idle_accesses_.back());
    return *access;
  }
  std::size_t in_flight() const { return in_flight_; }

 private:
  std::vector<std::unique_ptr<Packet>> storage_;
  Packet* idle_ = nullptr;  ///< linked by Packet::next_idle
  std::size_t in_flight_ = 0;
  std::vector<std::unique_ptr<MemoryAccess>> accesses_;
  std::vector<MemoryAccess*> idle_accesses_;
  PacketEnd* listener_ = nullptr;
};

}  // namespace heddle::sm
