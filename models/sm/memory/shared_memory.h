// SPDX-License-Identifier: Apache-2.0
// Shared memory: banks, conflicts, broadcast. The bytes move when the instruction issues; here is the time.
// Source: spec/large-warps-and-database-search.md, 2.2; compute capability 1.x counts conflicts by half-warps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/kernel/link.h"
#include "sm/issue/event_wheel.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Counts the passes over the banks that a packet's addresses need: the most distinct words any bank is asked for.
class BankConflicts {
 public:
  explicit BankConflicts(const SharedMemoryParameters& parameters);
  /// 1 or more.
  unsigned passes(const Packet& packet);

 private:
  void ask(std::uint32_t word);
  /// 1 or more; of banks of which any was asked.
  unsigned most_of_a_bank();

  std::uint32_t bank_mask_;
  unsigned word_shift_;  ///< from bytes to words of a bank
  bool half_warps_;
  std::uint64_t asked_ = 0;                ///< banks that were asked for a word
  std::array<std::uint32_t, 64> first_{};  ///< by bank: the word that was asked for first
  std::vector<std::uint32_t> further_;     ///< other words of banks that were asked already
};

class SharedMemory final : public Stage {
 public:
  SharedMemory(sc_core::sc_module_name name, SmContext& sm);

  LinkIn<PacketHandle> accesses;
  LinkOut<PacketHandle> to_memory;  ///< those that go to the caches too
  LinkOut<PacketHandle> done;

  void cycle() override;

 private:
  /// What has passed the banks goes on, in order, where there is room.
  void send_left();

  SmContext& sm_;
  BankConflicts banks_;
  Cycle free_at_ = 0;
  struct Leaving {
    PacketHandle packet;
    bool shared_only;  ///< the packet's, which the host has long forgotten when it leaves
  };
  EventWheel<Leaving> leaving_;
  std::vector<Leaving> left_;
  StatisticsGroup group_;
  Counter accesses_, passes_, conflicts_;
  ModuleState state_;
  ProbeGroup::SignalId pc_, passes_of_access_;
};

}  // namespace heddle::sm
