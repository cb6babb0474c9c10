// SPDX-License-Identifier: Apache-2.0
#include "sm/blocks/block_store.h"

#include <cstring>

#include "core/error.h"

namespace heddle::sm {

BlockStore::~BlockStore() {
  for (std::byte* memory : all_) std::free(memory);
}

std::byte* BlockStore::take(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  bytes = (bytes + 63) / 64 * 64;
  auto& list = idle_[bytes];
  std::byte* memory = nullptr;
  if (list.empty()) {
    memory = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
    if (memory == nullptr) fail(ExitCode::internal, "out of host memory for the state of a block ({} bytes)", bytes);
    all_.push_back(memory);
  } else {
    memory = list.back();
    list.pop_back();
  }
  std::memset(memory, 0, bytes);
  return memory;
}

void BlockStore::give_back(std::byte* memory, std::size_t bytes) {
  if (memory != nullptr) idle_[(bytes + 63) / 64 * 64].push_back(memory);
}

BlockSlot BlockStore::slot_of(const BlockKey& block) const {
  for (BlockSlot slot(0); slot < slots_.size(); ++slot) {
    if (slots_[slot].used && key_of(slot) == block) return slot;
  }
  fail(ExitCode::internal, "SM {}: block {} of launch {} is not resident", sm_, block.block, block.launch);
}

BlockSlot BlockStore::place(const isa::LaunchState& launch, std::uint64_t index, const BlockNeed& need,
                            unsigned granules) {
  BlockSlot slot(0);
  while (slot < slots_.size() && slots_[slot].used) ++slot;
  if (slot == slots_.size() || granules == 0 || granules > residency_->room(need))
    fail(ExitCode::internal, "SM {}: a block arrived that does not fit", sm_);
  residency_->come({launch.id, index}, need, granules);

  Resident& block = slots_[slot];
  const isa::Kernel& kernel = *launch.kernel;
  block.used = true;
  block.need = need;
  block.state.launch = &launch;
  block.state.index = {static_cast<std::uint32_t>(index % launch.grid.x),
                       static_cast<std::uint32_t>(index / launch.grid.x % launch.grid.y),
                       static_cast<std::uint32_t>(index / launch.grid.x / launch.grid.y)};
  block.state.linear_index = index;
  block.state.threads = static_cast<std::uint32_t>(launch.block.volume());
  block.state.sm = sm_;
  block.state.slot = slot;
  block.state.shared = take(launch.shared_bytes);
  block.live = block.state.threads;
  const unsigned words = (block.state.threads + isa::kWordThreads - 1) / isa::kWordThreads;
  block.warps.assign(words, {});
  for (unsigned w = 0; w < words; ++w) {
    isa::WarpState& warp = block.warps[w];
    warp.block = &block.state;
    warp.index = w;
    const unsigned threads = std::min(isa::kWordThreads, block.state.threads - w * isa::kWordThreads);
    warp.live = threads == isa::kWordThreads ? ~0u : (1u << threads) - 1;
    warp.registers = take(kernel.frame_bytes);
    warp.constants = kernel.constants.data();
    warp.local = take(std::size_t{isa::kWordThreads} * kernel.local_bytes);
    std::uint32_t number = 0;
    while (number < warp_slots_.size() && warp_slots_[number]) ++number;
    if (number == warp_slots_.size()) warp_slots_.push_back(false);
    warp_slots_[number] = true;
    warp.warp_slot = number;
  }
  return slot;
}

void BlockStore::remove(BlockSlot slot) {
  Resident& block = slots_[slot];
  const isa::LaunchState& launch = *block.state.launch;
  give_back(block.state.shared, launch.shared_bytes);
  for (isa::WarpState& warp : block.warps) {
    give_back(warp.registers, launch.kernel->frame_bytes);
    give_back(warp.local, std::size_t{isa::kWordThreads} * launch.kernel->local_bytes);
    warp_slots_[warp.warp_slot] = false;
  }
  residency_->leave(key_of(slot), block.need);
  block.used = false;
}

}  // namespace heddle::sm
