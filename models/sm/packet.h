// SPDX-License-Identifier: Apache-2.0
// A packet: one instruction, the threads it serves, the lanes they use. What travels on the links of an SM.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/bits.h"
#include "core/kernel/clock.h"
#include "isa/execute.h"
#include "isa/state.h"

namespace heddle::sm {

/// What a scheduler picks: one program counter and a set of threads. 0 .. 511 within an SM.
using ContextId = std::uint16_t;
inline constexpr ContextId kNoContext = 0xffff;
inline constexpr unsigned kMaxContexts = ContextSet::kBits;
inline constexpr unsigned kMaxWords = ThreadSet::kBits / isa::kWordThreads;

/// The part of a packet that lies in one ISA warp.
struct PacketWord {
  isa::WarpState* warp = nullptr;
  std::uint32_t mask = 0;  ///< threads served, by their place in the ISA warp
  std::uint8_t shift = 0;  ///< place in the ISA warp of the context's first thread in this word (narrow warps)
};

/// Addresses by word of a packet. Most packets have one word, and many wait for memory at once: the first lies here.
class WordAddresses {
 public:
  /// Makes room for words 0 .. count-1.
  void make_room(unsigned count) {
    if (count > further_.size() + 1) further_.resize(count - 1);
  }
  isa::Addresses& operator[](unsigned word) { return word == 0 ? first_ : further_[word - 1]; }
  const isa::Addresses& operator[](unsigned word) const { return word == 0 ? first_ : further_[word - 1]; }

 private:
  isa::Addresses first_;
  std::vector<isa::Addresses> further_;
};

/// Addresses of a memory instruction; taken from a pool when the packet issues.
struct MemoryAccess {
  std::vector<isa::Addresses> texels;  ///< what a texture fetch reads
  WordAddresses addresses;
};

enum class PacketKind : std::uint8_t {
  normal,  ///< has effects, moves its context on
  replay,  ///< the time of an instruction again: its lanes, its registers, its transactions
  copy,    ///< the time of an instruction that a mechanism puts in front of another
  ghost,   ///< takes a slot and lanes and leaves nothing behind: no registers, no transactions
};

struct Packet {
  const isa::MicroOp* op = nullptr;
  ContextId context = kNoContext;
  std::uint16_t warp = 0;  ///< the machine's warp: hazards, line ownership
  std::uint16_t block_slot = 0;
  std::uint16_t slot = 0;  ///< issue slot that issued it
  std::uint8_t word_count = 0;
  std::uint16_t waves = 1;  ///< times it passes the lanes of its unit: a wide warp on a narrow unit passes hundreds
  bool last = true;         ///< last packet of its instruction
  bool first = true;
  bool missed = false;         ///< the memory stage's: a line that it waits for was not in the cache
  bool away = false;           ///< the issue stage's: it was told so
  bool keeps_context = false;  ///< its context waits for it to leave the pipeline
  bool shared_only = false;    ///< of a memory instruction: goes to shared memory, and nowhere else
  std::uint8_t holders = 0;    ///< who still needs it: the pipeline, the issue stage
  PacketKind kind = PacketKind::normal;
  std::uint32_t active = 0;        ///< threads in `threads`
  std::uint64_t issue_id = 0;      ///< one an instruction issued
  std::uint64_t access_group = 0;  ///< packets whose addresses coalesce together
  std::uint64_t trace_id = 0;      ///< SmWatch's name for it, where somebody listens
  Cycle issued = 0;
  Cycle latency = 0;  ///< issue to dependent issue, of a fixed-latency class; 0: variable
  Cycle stay = 0;     ///< issue to leaving the pipeline, where its context waits for that and the latency is fixed
  /// Cycle in which it left the operand stage with its operands; kNever before. Stages that it does not come to by a
  /// link count this from the cycle after, so that the order of calls does not show.
  Cycle gathered = kNever;
  std::uint32_t hazard_token = 0;  ///< the tracker's own
  MemoryAccess* memory = nullptr;
  std::uint32_t outstanding = 0;  ///< lines not yet back
  std::uint32_t generation = 0;   ///< the pool's: packets that ended in this place

  /// Cycles by which its operands came later than its loop distance assumes: a cycle and what every packet stands in a
  /// collector (OperandParameters::latency) after its issue. Once it is gathered.
  Cycle late(Cycle in_collector) const {
    const Cycle assumed = issued + 1 + in_collector;
    return gathered > assumed ? gathered - assumed : 0;
  }
  LaneMask lanes;     ///< physical lanes, over all waves
  ThreadSet threads;  ///< by place in the context, guard applied
  // Last, as most packets have one.
  std::array<PacketWord, kMaxWords> words;
};

/// Throw Error(kInternal).
[[noreturn]] void fail_ended_packet(const Packet& now_there);
[[noreturn]] void fail_dropped_packet(const Packet& packet);

/// A packet that is kept from one step to a later one. Places are used again: builds with assertions check that the
/// packet is still the one that was kept, and no other instruction's.
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

/// Hears of packets that nobody needs any more.
class PacketEnd {
 public:
  virtual ~PacketEnd() = default;
  virtual void ended(const Packet& packet) = 0;
};

/// Packets of one SM. Taken and given back without allocation once warm.
class PacketPool {
 public:
  /// At most one; null: nobody.
  void tell(PacketEnd* listener) { listener_ = listener; }
  Packet& take() {
    if (idle_.empty()) {
      storage_.push_back(std::make_unique<Packet>());
      return *storage_.back();
    }
    Packet* packet = idle_.back();
    idle_.pop_back();
    return *packet;
  }
  /// One of its holders needs it no longer.
  void drop(Packet& packet) {
    if (packet.holders == 0) fail_dropped_packet(packet);
    if (--packet.holders != 0) return;
    if (listener_ != nullptr) listener_->ended(packet);
    ++packet.generation;
    if (packet.memory != nullptr) {
      idle_accesses_.push_back(packet.memory);
      packet.memory = nullptr;
    }
    idle_.push_back(&packet);
  }
  MemoryAccess& take_access() {
    if (idle_accesses_.empty()) {
      accesses_.push_back(std::make_unique<MemoryAccess>());
      return *accesses_.back();
    }
    MemoryAccess* access = idle_accesses_.back();
    idle_accesses_.pop_back();
    return *access;
  }
  std::size_t in_flight() const { return storage_.size() - idle_.size(); }

 private:
  std::vector<std::unique_ptr<Packet>> storage_;
  std::vector<Packet*> idle_;
  std::vector<std::unique_ptr<MemoryAccess>> accesses_;
  std::vector<MemoryAccess*> idle_accesses_;
  PacketEnd* listener_ = nullptr;
};

}  // namespace heddle::sm
