// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/resident_blocks.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/error.h"

namespace heddle::sm {

ResidentBlocks::ResidentBlocks(SmContext& sm, BlockStore& blocks, const Parts& parts, LinkOut<BlockDone>& finished,
                               const StatisticsGroup& group)
    : sm_(sm),
      blocks_(blocks),
      parts_(parts),
      finished_(finished),
      by_granule_(traits_of(sm.parameters.residency.policy).by_granule),
      leaving_(parts.grouping.traits().contexts),
      in_flight_(sm.parameters.residency.blocks),
      granules_(by_granule_ ? sm.parameters.residency.blocks : 0),
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
  const BlockSlot block = blocks_.place(launch, message.block, need, message.granules);
  parts_.barriers.launched(block, blocks_[block].state.threads);
  if (sm_.watch != nullptr) sm_.watch->block_begins(block, launch, message.block);
  if (by_granule_) granules_[block].assign(need.granules, {});
  start(block, 0, message.granules);
}

void ResidentBlocks::start(BlockSlot block, unsigned first, unsigned count) {
  const isa::BlockState& state = blocks_[block].state;
  const std::uint32_t granule = parts_.grouping.traits().granule;
  const std::uint32_t begin = first * granule, end = std::min(state.threads, (first + count) * granule);
  fresh_.clear();
  parts_.grouping.launch({block, begin, end - begin, state.launch->kernel, &fresh_});
  for (ContextId c : fresh_) {
    place(c);
    Context& context = sm_.contexts[c];
    if (parts_.checker != nullptr) parts_.checker->launched(block, context.warp);
    sm_.contexts.age[c] = sm_.contexts.next_age++;
    parts_.waiting.launched(c);
    parts_.supply.launched(c);
    if (sm_.events.launched.any()) sm_.events.launched.tell(c);
    if (by_granule_) granules_[block][parts_.grouping.first_thread(c) / granule].warps.push_back(context.warp);
  }
  if (by_granule_) {
    for (unsigned g = first; g < first + count; ++g) granules_[block][g].resident = true;
  }
  blocks_[block].started = end;
  most_contexts_.record(sm_.contexts.valid.count());
}

void ResidentBlocks::start_more() {
  while (const std::optional<GranuleRange> range = blocks_.residency().start_more())
    start(blocks_.slot_of(range->block), range->first, range->count);
}

void ResidentBlocks::place(ContextId c) {
  Context& context = sm_.contexts[c];
  auto& block = blocks_[context.block];
  const std::uint32_t first = parts_.grouping.first_thread(c);
  const unsigned span = parts_.grouping.traits().span;
  const std::size_t warp = std::min<std::size_t>(first / isa::kWordThreads, block.warps.size());
  context.kernel = block.state.launch->kernel;
  context.code_address = block.state.launch->code_address;
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
  const BlockSlot block = packet.block_slot;
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
  const BlockSlot block = packet.block_slot;
  if (in_flight_[block]-- == 0) {
    fail(ExitCode::internal, "{}: a packet of pc {} completed twice", sm_.path("issue"), packet.op->pc);
  }
  if (by_granule_) {
    const std::size_t granule = granule_of(packet);
    --granules_[block][granule].in_flight;
    look_at(block, granule);
  }
  if (in_flight_[block] == 0 && blocks_[block].live == 0) end(block);
}

void ResidentBlocks::look_at(BlockSlot block, std::size_t granule) {
  Granule& of = granules_[block][granule];
  // The last one ends with its block.
  if (!of.resident || of.in_flight != 0 || blocks_[block].live == 0) return;
  const std::uint32_t threads = parts_.grouping.traits().granule;
  const auto& warps = blocks_[block].warps;
  const std::size_t words = threads / isa::kWordThreads, first = granule * words;
  for (std::size_t w = first; w < std::min(first + words, warps.size()); ++w) {
    if (warps[w].live != 0) return;
  }
  of.resident = false;
  const auto first_thread = static_cast<std::uint32_t>(granule * threads);
  if (parts_.checker != nullptr) {
    for (const WarpId warp : of.warps) parts_.checker->finished(block, warp);
  }
  parts_.grouping.release_granule(block, first_thread);
  settle(sm_.gate.now());
  blocks_.residency().granule_ended(blocks_.key_of(block));
  BlockDone done{blocks_.key_of(block), false};
  finished_.send(done);
  start_more();
}

void ResidentBlocks::end(BlockSlot block) {
  BlockDone done{blocks_.key_of(block), true};
  if (parts_.checker != nullptr) parts_.checker->finished(block);
  parts_.grouping.release(block);
  settle(sm_.gate.now());
  blocks_.remove(block);
  if (sm_.watch != nullptr) sm_.watch->block_ends(block);
  if (sm_.events.block_ended.any()) sm_.events.block_ended.tell(block);
  ++ended_;
  finished_.send(done);
  start_more();
}

void ResidentBlocks::settle(Cycle until) {
  if (until <= counted_to_) return;
  thread_cycles_ += (until - counted_to_) * blocks_.residency().used().threads();
  counted_to_ = until;
}

}  // namespace heddle::sm
