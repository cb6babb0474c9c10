// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/timeline_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::gpu {

using sm::ContextState;

// -- an SM

Timeline::OfSm::OfSm(Timeline& timeline, sm::Sm& sm, std::uint32_t process)
    : timeline_(timeline),
      sm_(sm),
      process_(process),
      blocks_(sm.parameters().residency.blocks),
      warps_(sm::kMaxContexts) {
  sm.listen(*this);
}

void Timeline::OfSm::block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block, Cycle now) {
  Block& mine = blocks_[slot];
  if (!mine.named)
    timeline_.writer_.name_thread({process_, kFirstBlock + slot.number()}, fmt::format("block slot {}", slot), slot);
  mine = {timeline_.filter_.kernel(launch.kernel->name), launch.kernel->name, launch.id, block, now, true};
}

void Timeline::OfSm::block_ends(BlockSlot slot, Cycle now) {
  Block& mine = blocks_[slot];
  if (!mine.present) return;
  mine.present = false;
  if (timeline_.writer_.full() || !timeline_.taken(mine.first, now)) return;
  timeline_.writer_.slice({process_, kFirstBlock + slot.number()}, Plain{fmt::format("block {}", mine.block)}, "block",
                          mine.first, now - mine.first, "{\"kernel\":", Quoted{mine.kernel},
                          ",\"launch\":", mine.launch, '}');
}

Timeline::OfSm::Warp& Timeline::OfSm::at(ContextId context, const isa::Kernel& kernel, std::uint32_t pc, Cycle first) {
  Warp& warp = warps_[context];
  const std::uint32_t block = kernel.ops[std::min<std::size_t>(pc, kernel.ops.size() - 1)].block;
  if (warp.kernel == &kernel && warp.block == block) return warp;
  leave(context, first);
  warp.kernel = &kernel;
  warp.block = block;
  warp.first = first;
  return warp;
}

void Timeline::OfSm::leave(ContextId context, Cycle end) {
  Warp& warp = warps_[context];
  if (warp.kernel == nullptr) return;
  const isa::Kernel& kernel = *warp.kernel;
  ChromeTraceWriter& writer = timeline_.writer_;
  if (end > warp.first && !writer.full() && timeline_.taken(warp.first, end) && timeline_.filter_.kernel(kernel.name)) {
    const Track track = track_of(context);
    if (!warp.named) writer.name_thread(track, fmt::format("warp {}", context), kFirstWarp + context);
    warp.named = true;
    const BlockText& text = timeline_.text_of_block(kernel, warp.block);
    writer.slice(track, Plain{text.name}, "basic block", warp.first, end - warp.first, text.arguments,
                 warp.instructions, '}');
    const std::vector<std::string>& states = sm::context_state_names();
    for (const Wait& wait : warp.waits) {
      const auto show = [&](const auto&... instruction) {
        writer.slice(track, Plain{states[static_cast<std::size_t>(wait.state)]}, "stall", wait.first,
                     wait.last + 1 - wait.first, instruction...);
      };
      if (wait.pc < kernel.ops.size()) {
        show(timeline_.text_of_instruction(kernel, wait.pc));
      } else {
        show("{\"pc\":", wait.pc, ",\"instruction\":\"\"}");
      }
    }
  }
  warp.kernel = nullptr;
  warp.instructions = 0;
  warp.waits.clear();
}

void Timeline::OfSm::issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle now) {
  if (!packet.first || !wanted(context.context)) return;
  ++at(context.context, *context.kernel, context.pc, now).instructions;
}

void Timeline::OfSm::regrouped(const sm::GroupParts& regrouping, Cycle now) {
  if (!wanted(regrouping.first)) return;
  Group& group = groups_[regrouping.group];
  end_group(group, now);
  group.now = regrouping;
  group.first = now;
}

void Timeline::OfSm::end_group(Group& group, Cycle end) {
  ChromeTraceWriter& writer = timeline_.writer_;
  if (group.now.how.empty() || end <= group.first || writer.full() || !timeline_.taken(group.first, end)) return;
  const Track track{process_, kFirstGroup + group.now.group};
  if (!group.named) writer.name_thread(track, group.now.name, kFirstGroup + group.now.group);
  group.named = true;
  writer.slice(track, Quoted{group.now.how}, "group", group.first, end - group.first,
               "{\"parts\":", Quoted{group.now.parts}, '}');
}

void Timeline::OfSm::waited(const sm::ContextSituation& was_in, Cycle first, Cycle last) {
  if (!wanted(was_in.context)) return;
  Warp& warp = at(was_in.context, *was_in.kernel, was_in.pc, first);
  if (last + 1 - first >= kShortestWait) warp.waits.push_back({was_in.state, was_in.pc, first, last});
}

void Timeline::OfSm::state_begins(const sm::ContextSituation& situation, Cycle from, Cycle) {
  if (situation.state == ContextState::none) leave(situation.context, from);
}

void Timeline::OfSm::sent(const sm::Packet& packet, std::uint64_t address, unsigned, bool, Cycle now) {
  // Accesses without a result do not return.
  const bool waits = packet.op->opcode == isa::Opcode::ld || packet.op->opcode == isa::Opcode::atom;
  if (!waits || !wanted(packet.context) || !timeline_.filter_.cycle(now)) return;
  LoadsInFlight::Packet& loads = loading_[packet.trace_id];
  // Derived from the load itself, not from the order of events, and small enough for JSON readers to keep exactly.
  const std::uint64_t id = (std::uint64_t{sm_.number()} << 44 | packet.trace_id << 12 | loads.loads) + 1;
  timeline_.loads_.add(loads, {line_of(address), track_of(packet.context), now, id});
}

void Timeline::OfSm::ended(std::uint64_t trace_id, Cycle now) {
  LoadsInFlight::Packet* const loads = loading_.find(trace_id);
  if (loads == nullptr) return;
  timeline_.loads_ended(*loads, now);
  loading_.erase(trace_id);
}

void Timeline::OfSm::finish(Cycle now) {
  for (std::size_t c = 0; c < warps_.size(); ++c) leave(ContextId(c), now);
  for (unsigned group = 0; group < sm::kMaxContexts; ++group) {
    if (const auto found = groups_.find(group); found != groups_.end()) end_group(found->second, now);
  }
  for (BlockSlot slot(0); slot < blocks_.size(); ++slot) block_ends(slot, now);
}

// -- a controller

Timeline::OfController::OfController(Timeline& timeline, memory::MainMemory& controller, std::uint32_t process,
                                     const ClockDomain& clock)
    : timeline_(timeline),
      controller_(controller),
      process_(process),
      ratio_(static_cast<double>(timeline.core_.frequency()) / static_cast<double>(clock.frequency())) {
  const memory::ChannelGeometry& geometry = *controller.banks();
  banks_.resize(geometry.banks());
  banks_of_rank_ = geometry.banks() / geometry.ranks;
  for (unsigned bank = 0; bank < banks_.size(); ++bank)
    timeline.writer_.name_thread({process, bank + 1}, fmt::format("bank {}", bank), bank);
  controller.listen(*this);
}

void Timeline::OfController::commanded(Cycle now, memory::DramCommand command, unsigned bank, std::uint64_t row,
                                       const memory::DramRequest* request) {
  const double at = last_ = core_time(now);
  using memory::DramCommand;
  switch (command) {
    case DramCommand::activate:
      close(bank, at);  // in some memories an activate implicitly closes the open row
      banks_[bank] = {true, row, at, 0, 0};
      break;
    case DramCommand::precharge:
      close(bank, at);
      break;
    case DramCommand::precharge_all:
    case DramCommand::refresh_all:
      for (unsigned i = bank / banks_of_rank_ * banks_of_rank_, end = i + banks_of_rank_; i < end; ++i) close(i, at);
      break;
    default:
      if (request == nullptr || !is_column(command)) break;
      ++(request->write ? banks_[bank].writes : banks_[bank].reads);
      if (!request->write) timeline_.load_at_bank(controller_.address_of(*request), {process_, bank + 1}, at);
      break;
  }
}

void Timeline::OfController::close(unsigned number, double at) {
  Bank& bank = banks_[number];
  if (!bank.open) return;
  bank.open = false;
  if (timeline_.writer_.full() || !timeline_.taken(static_cast<Cycle>(bank.since), static_cast<Cycle>(at))) return;
  timeline_.writer_.slice({process_, number + 1}, Plain{fmt::format("row {}", bank.row)}, "row", bank.since,
                          at - bank.since, "{\"reads\":", bank.reads, ",\"writes\":", bank.writes, '}');
}

void Timeline::OfController::finish() {
  for (unsigned bank = 0; bank < banks_.size(); ++bank) close(bank, last_ + 1);
}

}  // namespace heddle::gpu
