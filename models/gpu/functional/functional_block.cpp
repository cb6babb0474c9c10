// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional/functional_block.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "isa/fault.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

Dim3 coordinates(std::uint64_t linear, const Dim3& grid) {
  return {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear / grid.x % grid.y),
          static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

}  // namespace

void FunctionalBlock::FreeAligned::operator()(std::byte* bytes) const { std::free(bytes); }

void FunctionalBlock::start(const Execution& execution, const isa::LaunchState& launch, std::uint64_t linear_index,
                            SmId sm, BlockSlot slot) {
  const isa::Kernel& kernel = *launch.kernel;
  const auto threads = static_cast<std::uint32_t>(launch.block.volume());
  const std::uint32_t warp_count = (threads + isa::kWordThreads - 1) / isa::kWordThreads;
  const std::size_t frame = aligned(kernel.frame_bytes),
                    local = aligned(std::size_t{kernel.local_bytes} * isa::kWordThreads);
  const std::size_t shared = aligned(launch.shared_bytes);
  used_bytes_ = shared + warp_count * (frame + local);
  if (used_bytes_ > storage_bytes_) {
    storage_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, used_bytes_)));
    if (storage_ == nullptr) throw std::bad_alloc();
    storage_bytes_ = used_bytes_;
  }
  if (used_bytes_ != 0) std::memset(storage_.get(), 0, used_bytes_);

  state_ = {&launch, coordinates(linear_index, launch.grid), linear_index, threads, sm, slot, storage_.get()};
  live_threads_ = threads;
  barriers_.fill({});
  used_barriers_ = 0;
  warps_.resize(warp_count);
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    isa::WarpState warp;
    warp.block = &state_;
    warp.index = w;
    warp.warp_slot = slot * warp_count + w;
    warp.registers = storage_.get() + shared + w * (frame + local);
    warp.constants = launch.kernel->constants.data();
    warp.local = warp.registers + frame;
    warps_[w].start(execution, warp, std::min(isa::kWordThreads, threads - w * isa::kWordThreads));
  }
}

bool FunctionalBlock::runnable() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const FunctionalWarp& warp) { return warp.runnable(); });
}

void FunctionalBlock::arrive(Execution& execution, const FunctionalWarp& warp, const isa::MicroOp& op,
                             std::uint32_t mask, unsigned barrier) {
  const isa::OperandBases bases(warp.state());
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  BlockBarrier& b = barriers_[barrier];
  used_barriers_ |= 1u << barrier;
  if (execution.observer != nullptr) execution.observer->arrived(warp.state(), mask, barrier);
  b.expected = static_cast<std::uint32_t>(value_of(op.sources[1], bases, lane));
  const auto count = static_cast<std::uint32_t>(std::popcount(mask));
  if (op.bar_mode == isa::BarMode::arrive) {
    // Counts are in whole warps: absent threads of a block's last warp count as arrived.
    const bool whole = mask == warp.state().live;
    b.arrived += whole ? isa::kWordThreads : count;
  } else {
    b.waiting += count;
  }
  if (op.bar_mode == isa::BarMode::red_popc || op.bar_mode == isa::BarMode::red_and ||
      op.bar_mode == isa::BarMode::red_or) {
    const std::uint32_t holds = predicate_of(op.sources[2], bases) & mask;
    b.true_count += static_cast<std::uint32_t>(std::popcount(holds));
    b.all_true = b.all_true && holds == mask;
    b.any_true = b.any_true || holds != 0;
    execution.changed = true;  // threads interact here without memory
  }
  release_if_complete(execution, barrier);
}

bool FunctionalBlock::complete(unsigned barrier) const {
  const BlockBarrier& b = barriers_[barrier];
  if (b.expected == 0) return b.waiting != 0 && b.waiting == live_threads_;
  std::uint32_t arrived = b.arrived;
  for (const FunctionalWarp& warp : warps_) {
    const std::uint32_t waiting = warp.waiting_at(barrier);
    const bool whole = waiting != 0 && waiting == warp.state().live;
    arrived += whole ? isa::kWordThreads : static_cast<std::uint32_t>(std::popcount(waiting));
  }
  return arrived >= b.expected;
}

void FunctionalBlock::check_convergence(unsigned barrier) const {
  for (const FunctionalWarp& warp : warps_) {
    const Split* first = nullptr;
    for (unsigned i = 0; i < warp.split_count(); ++i) {
      const Split& split = warp.split(i);
      if (split.state != Split::State::barrier || split.barrier != barrier) continue;
      if (first != nullptr && first->pc != split.pc) {
        isa::fail_divergent_barrier(warp.state(), barrier, {first->mask, first->pc}, {split.mask, split.pc});
      }
      if (first == nullptr) first = &split;
    }
  }
}

void FunctionalBlock::release_if_complete(Execution& execution, unsigned barrier) {
  if (!complete(barrier)) return;
  check_convergence(barrier);
  if (execution.observer != nullptr) {
    const BlockBarrier& b = barriers_[barrier];
    execution.observer->opened(state_, barrier, b.expected == 0 || b.waiting == state_.threads);
  }
  for (FunctionalWarp& warp : warps_) {
    const std::uint32_t waiting = warp.waiting_at(barrier);
    if (execution.observer != nullptr && waiting != 0) execution.observer->passed(warp.state(), waiting, barrier);
    warp.release(*execution.program, barriers_[barrier], barrier);
  }
  barriers_[barrier] = {};
  used_barriers_ &= ~(1u << barrier);
}

void FunctionalBlock::threads_exited(Execution& execution, unsigned count) {
  live_threads_ -= count;
  isa::for_each_lane(used_barriers_, [&](unsigned barrier) { release_if_complete(execution, barrier); });
}

}  // namespace heddle::gpu
