// SPDX-License-Identifier: Apache-2.0
// Architectural state of the blocks on one SM: register frames, local and shared memory, reused from block to block.
// Logic only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "isa/state.h"
#include "sm/residency/residency.h"

namespace heddle::sm {

class BlockStore {
 public:
  struct Resident {
    isa::BlockState state;
    std::vector<isa::WarpState> warps;  ///< ISA warps of the block, in order
    BlockNeed need;
    std::uint32_t live = 0;     ///< threads that have not exited
    std::uint32_t started = 0;  ///< threads below this one have been given contexts
    bool used = false;
  };

  BlockStore(SmId sm, const ResidencyParameters& limits)
      : sm_(sm), residency_(make(limits.policy, limits)), slots_(limits.blocks) {}
  ~BlockStore();
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  /// Places block `index` of the launch, of which `granules` start, with all threads live and registers and shared
  /// memory zeroed. Returns its slot.
  BlockSlot place(const isa::LaunchState& launch, std::uint64_t index, const BlockNeed& need, unsigned granules);
  void remove(BlockSlot slot);
  /// Slot of a resident block.
  BlockSlot slot_of(const BlockKey& block) const;
  BlockKey key_of(BlockSlot slot) const { return {slots_[slot].state.launch->id, slots_[slot].state.linear_index}; }
  Resident& operator[](BlockSlot slot) { return slots_[slot]; }
  const Resident& operator[](BlockSlot slot) const { return slots_[slot]; }
  Residency& residency() { return *residency_; }
  const Residency& residency() const { return *residency_; }
  std::size_t slot_count() const { return slots_.size(); }

 private:
  std::byte* take(std::size_t bytes);
  void give_back(std::byte* memory, std::size_t bytes);

  SmId sm_;
  std::unique_ptr<Residency> residency_;
  std::vector<Resident> slots_;
  std::map<std::size_t, std::vector<std::byte*>> idle_;  ///< free memory by size, 64-byte aligned
  std::vector<std::byte*> all_;
  std::vector<bool> warp_slots_;
};

}  // namespace heddle::sm
