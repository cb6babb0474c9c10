// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/resident_blocks.h"

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace heddle::sm {

ResidentBlocks::ResidentBlocks(SmContext& sm, BlockStore& blocks, const Parts& parts, LinkOut<BlockDone>& finished,
                               const StatisticsGroup& group)
    : sm_(sm),
      blocks_(blocks),
      parts_(parts),
      finished_(finished),
      leaving_(parts.grouping.traits().contexts),
      in_flight_(sm.parameters.residency.blocks),
      launched_(group, "blocks_launched", "blocks that arrived", unit::kBlocks),
      ended_(group, "blocks_finished", "blocks that finished", unit::kBlocks),
      thread_cycles_(group, "resident_thread_cycles", "threads allocated to blocks on the SM, summed over cycles",
                     unit::kThreadCycles),
      most_contexts_(group, "most_contexts", "most contexts with threads at the same time", unit::kContexts) {}

void ResidentBlocks::launch(const BlockLaunch& message) {
  const isa::LaunchState& launch = *message.launch;
  const isa::Kernel& kernel = *launch.kernel;
  ++launched_;
  sm_.progress.changed();
  parts_.hazards.admit(kernel);
  const BlockNeed need = BlockNeed::of(kernel, static_cast<unsigned>(launch.block.volume()), launch.shared_bytes,
                                       parts_.grouping.traits().granule, sm_.parameters.residency);
  settle(sm_.gate.now());
  const std::uint16_t block = blocks_.place(launch, message.block, need);
  parts_.barriers.launched(block, blocks_[block].state.threads);
  if (sm_.watch != nullptr) sm_.watch->block_begins(block, launch, message.block);
  fresh_.clear();
  parts_.grouping.launch({block, 0, blocks_[block].state.threads, &kernel, &fresh_});
  for (ContextId c : fresh_) {
    place(c);
    Context& context = sm_.contexts[c];
    if (parts_.checker != nullptr) parts_.checker->launched(block, context.warp);
    context.age = sm_.contexts.next_age++;
    parts_.waiting.launched(c);
    parts_.supply.launched(c);
    if (sm_.events.launched.any()) sm_.events.launched.tell(c);
  }
  most_contexts_.record(sm_.contexts.valid.count());
}

void ResidentBlocks::place(ContextId c) {
  Context& context = sm_.contexts[c];
  auto& block = blocks_[context.block];
  const std::uint32_t first = parts_.grouping.first_thread(c);
  const unsigned span = parts_.grouping.traits().span;
  const std::size_t warp = std::min<std::size_t>(first / isa::kWordThreads, block.warps.size());
  context.kernel = block.state.launch->kernel;
  context.words = block.warps.data() + warp;
  context.group = parts_.grouping.group_of(c);
  context.shift = static_cast<std::uint8_t>(first % isa::kWordThreads);
  context.word_count = static_cast<std::uint8_t>(
      std::min<std::size_t>(std::max(1u, span / isa::kWordThreads), block.warps.size() - warp));
}

void ResidentBlocks::exited(ContextId c, const Packet& packet) {
  std::uint32_t gone = 0;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    packet.words[w].warp->live &= ~packet.words[w].mask;
    gone += static_cast<std::uint32_t>(std::popcount(packet.words[w].mask));
  }
  const std::uint16_t block = packet.block_slot;
  blocks_[block].live -= gone;
  leaving_[c] |= packet.threads;
  if (packet.last) {
    const ThreadSet left = leaving_[c];
    leaving_[c].clear();
    parts_.grouping.exited(c, left);
  }
  if (gone == 0) return;
  sm_.progress.changed();
  parts_.barriers.exited(block, gone);
  for (unsigned w = 0; w < packet.word_count; ++w) parts_.meetings.exited(*packet.words[w].warp);
}

void ResidentBlocks::packet_ended(const Packet& packet) {
  if (in_flight_[packet.block_slot]-- == 0) {
    fail(ExitCode::internal, "{}: a packet of pc {} completed twice", sm_.path("issue"), packet.op->pc);
  }
  look_at(packet.block_slot);
}

void ResidentBlocks::look_at(std::uint16_t block) {
  if (!blocks_[block].used || blocks_[block].live != 0 || in_flight_[block] != 0) return;
  BlockDone done{blocks_[block].state.launch->id, blocks_[block].state.linear_index};
  if (parts_.checker != nullptr) parts_.checker->finished(block);
  parts_.grouping.release(block);
  settle(sm_.gate.now());
  blocks_.remove(block);
  if (sm_.watch != nullptr) sm_.watch->block_ends(block);
  if (sm_.events.block_ended.any()) sm_.events.block_ended.tell(block);
  ++ended_;
  finished_.send(done);
}

void ResidentBlocks::settle(Cycle until) {
  if (until <= counted_to_) return;
  thread_cycles_ += (until - counted_to_) * blocks_.residency().threads();
  counted_to_ = until;
}

}  // namespace heddle::sm
