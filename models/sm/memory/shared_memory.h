// SPDX-License-Identifier: Apache-2.0
// Timing of shared memory: banks, conflicts, broadcast. The data itself is accessed when the instruction issues.
// Source: docs/sources/large-warps-and-database-search.md, 2.2; compute capability 1.x counts conflicts by half-warps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/kernel/link.h"
#include "sm/issue/event_wheel.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Counts the passes over the banks needed by an access: the maximum number of distinct words in any bank.
class BankConflicts {
 public:
  explicit BankConflicts(const SharedMemoryParameters& parameters);
  /// Of an access of one packet: 1 or more.
  unsigned passes(const Packet& packet);
  /// Of an access of several packets, which make their accesses together: 1 or more.
  unsigned passes(const std::vector<PacketHandle>& packets);

 private:
  void start() {
    asked_ = 0;
    further_.clear();
  }
  /// The words of one packet; window: half of each 32 threads, if conflicts count by half-warps.
  void ask(const Packet& packet, unsigned window);
  void ask(std::uint32_t word);
  /// Largest number of distinct words in a bank: 1 or more. Requires at least one ask().
  unsigned most_of_a_bank();

  std::uint32_t bank_mask_;
  unsigned word_shift_;  ///< log2 of the bank width in bytes
  bool half_warps_;
  std::uint64_t asked_ = 0;                ///< banks accessed
  std::array<std::uint32_t, 64> first_{};  ///< by bank: first word accessed
  std::vector<std::uint32_t> further_;     ///< further words in banks already accessed
};

class SharedMemory final : public Stage {
 public:
  SharedMemory(sc_core::sc_module_name name, SmContext& sm);

  LinkIn<PacketHandle> accesses;
  LinkOut<PacketHandle> to_memory;  ///< packets that also access the caches
  LinkOut<PacketHandle> done;

  void cycle() override;

 private:
  /// Takes the packet at the head of the link, and those behind it that make their access with it.
  void take_access();
  /// Sends finished packets, in order, as far as the links have room.
  void send_left();

  SmContext& sm_;
  BankConflicts banks_;
  Cycle free_at_ = 0;
  std::vector<PacketHandle> access_;  ///< packets of the entering access
  struct Leaving {
    PacketHandle packet;
    bool shared_only;  ///< copy of the packet's flag, which has left the host cache by then
  };
  EventWheel<Leaving> leaving_;
  std::vector<Leaving> left_;
  StatisticsGroup group_;
  Counter accesses_, passes_, conflicts_;
  ModuleState state_;
  ProbeGroup::SignalId pc_, passes_of_access_;
};

}  // namespace heddle::sm
