// SPDX-License-Identifier: Apache-2.0
// The first step of the issue stage's cycle: what arrives over links, and what is due.
#include <algorithm>

#include "core/error.h"
#include "sm/hazards/checked_hazards.h"
#include "sm/issue_stage.h"

namespace heddle::sm {

void IssueStage::take_arrivals() {
  while (BlockLaunch* launch = launches.front()) {
    launch_block(*launch);
    launches.pop();
  }
  while (Fetched* fetched = decoded.front()) {
    const FetchRequest& request = fetched->request;
    if (sm_.watch != nullptr) sm_.watch->decoded(request);
    if (picks_at_fetch_) {
      const ContextId c = request.context;
      if (awaits_line_.test(c) && awaited_pc_[c] == request.pc && buffers_[c].generation == request.generation) {
        awaits_line_.reset(c);
        fetched_pc_[c] = request.pc;
        contexts_.changed.set(c);
      }
      decoded.pop();
      continue;
    }
    // Further instructions behind those a context has change nothing yet.
    if (buffers_.fill(request.context, request.generation, request.count) && !contexts_.buffered.test(request.context))
      contexts_.changed.set(request.context);
    decoded.pop();
  }
  while (OperandDelay* delay = delays.front()) {
    gathered_late(*delay->packet);
    delays.pop();
  }
  while (MemoryReport* report = reports.front()) {
    if (report->what == MemoryReport::What::missed) {
      note_miss(*report->packet);
    } else {
      grouping_->returned(*report->packet, report->threads);
    }
    reports.pop();
  }
  while (Completion* completion = completions.front()) {
    complete(*completion->packet);
    completions.pop();
  }
}

void IssueStage::launch_block(const BlockLaunch& message) {
  const isa::LaunchState& launch = *message.launch;
  const isa::Kernel& kernel = *launch.kernel;
  ++blocks_launched_;
  sm_.progress.changed();
  hazards_->admit(kernel);
  const BlockNeed need = BlockNeed::of(kernel, static_cast<unsigned>(launch.block.volume()), launch.shared_bytes,
                                       grouping_->allocation_granule(), parameters_.residency);
  settle_residency(now());
  const std::uint16_t block = blocks_.place(launch, message.block, need);
  barriers_.launch(block, blocks_[block].state.threads);
  if (sm_.watch != nullptr) sm_.watch->block_begins(block, launch, message.block);
  fresh_.clear();
  grouping_->launch({block, 0, blocks_[block].state.threads, &kernel, &fresh_});
  for (ContextId c : fresh_) {
    place_context(c);
    if (checker_ != nullptr) checker_->launched(block, contexts_[c].warp);
    contexts_[c].age = contexts_.next_age++;
    warp_contexts_[contexts_[c].warp].add(c);
    buffers_.flush(c, contexts_[c].pc);
  }
  most_contexts_.record(contexts_.valid.count());
}

/// Contexts' threads start at first_thread of the block, whose ISA warps are aligned words of 32 of its threads.
void IssueStage::place_context(ContextId c) {
  Context& context = contexts_[c];
  auto& block = blocks_[context.block];
  const std::uint32_t first = grouping_->first_thread(c);
  const std::size_t warp = std::min<std::size_t>(first / isa::kWordThreads, block.warps.size());
  context.kernel = block.state.launch->kernel;
  context.words = block.warps.data() + warp;
  context.group = grouping_->group_of(c);
  context.shift = static_cast<std::uint8_t>(first % isa::kWordThreads);
  context.word_count = static_cast<std::uint8_t>(
      std::min<std::size_t>(std::max(1u, context_span() / isa::kWordThreads), block.warps.size() - warp));
}

void IssueStage::complete(Packet& packet) {
  if (packet.away) {
    if (packs_free_threads_) lost_[packet.context] -= packet.threads;
    if (packet.keeps_context && --missed_[packet.context] == 0) {
      away_.reset(packet.context);
      contexts_.long_latency.reset(packet.context);
    }
  }
  const Cycle through = packet.issued + parameters_.pipeline_depth - thread_lead_;
  if (thread_lead_ != 0 && through > now()) {
    // So are its threads, which stages behind still have.
    ++packet.holders;
    events_.add(through, now(), {EventKind::release, packet.context, &packet, true});
  } else {
    release(packet, true);
  }
  if (packet.keeps_context && parameters_.refetch == 0) {
    const Cycle leaves = packet.issued + parameters_.pipeline_depth;
    if (parameters_.shape == PipelineShape::barrel && leaves > now()) {
      // It is done before it has passed all stages.
      events_.add(leaves, now(), {EventKind::leave_pipeline, packet.context, &packet, true});
      return;
    }
    leave_pipeline(packet.context);
  }
  sm_.packets.drop(packet);
}

void IssueStage::note_miss(Packet& packet) {
  packet.away = true;
  if (packs_free_threads_) lost_[packet.context] |= packet.threads;
  if (!packet.keeps_context) return;
  ++missed_[packet.context];
  away_.set(packet.context);
  contexts_.long_latency.set(packet.context);
}

void IssueStage::look_at_packing() {
  for (const Slot& slot : slots_) {
    const ContextId c = slot.sequence;
    if (c == kNoContext) continue;
    const bool waits = missed_[c] != 0 || lost_[c].contains(slot.sequence_left);
    if (away_.test(c) == waits) continue;
    away_.assign(c, waits);
    contexts_.long_latency.assign(c, waits);
  }
}

void IssueStage::leave_pipeline(ContextId c) {
  if (--kept_[c] != 0) return;
  contexts_.pipeline.reset(c);
  grouping_->retired(c);
  update_ready(c);
}

void IssueStage::release(const Packet& packet, bool variable) {
  if (packet.op->opcode == isa::Opcode::async_copy) {
    copies_.ended(packet);
    // Its threads may have moved to other contexts since: all are asked again.
    contexts_.changed |= contexts_.long_latency;
    sm_.progress.changed();
  }
  hazards_->released({packet.op, packet.context, packet.warp, packet.hazard_token, variable});
  grouping_->completed(packet);
  if (in_flight_[packet.block_slot]-- == 0)
    fail(ExitCode::kInternal, "{}: a packet of pc {} completed twice", name(), packet.op->pc);
  if (!hazards_shared_) {
    check_hazard(packet.context);
  } else {
    warp_contexts_[packet.warp].for_each([this](ContextId c) {
      if (contexts_.hazard.test(c) || contexts_.long_latency.test(c)) check_hazard(c);
    });
  }
  look_at_block(packet.block_slot);
}

void IssueStage::take_events() {
  events_.take(now(), [this](const Event& event) {
    switch (event.kind) {
      case EventKind::release:
        if (put_off(event)) break;
        release(*event.packet, event.packet->latency == 0);
        sm_.packets.drop(*event.packet);
        break;
      case EventKind::resolve:
        resolve(event.context);
        break;
      case EventKind::wake_up:
        wake_up(event.context);
        break;
      case EventKind::end_barrier:
        contexts_.at_barrier[event.packet->warp] -= event.packet->threads;
        sm_.packets.drop(*event.packet);
        waiting_ended(event.context);
        break;
      case EventKind::leave_pipeline:
        if (put_off(event)) break;
        sm_.packets.drop(*event.packet);
        leave_pipeline(event.context);
        break;
    }
  });
}

bool IssueStage::put_off(Event event) {
  if (event.late) return false;
  const Packet& packet = *event.packet;
  const Cycle in_collector = parameters_.operands.latency;
  // What happens in this cycle is told in the next. Before operands can be there nothing is known yet: a distance that
  // short holds.
  if (packet.gathered >= now()) return now() > packet.issued + 1 + in_collector;
  const Cycle late = packet.late(in_collector);
  event.late = late != 0;
  if (event.late) events_.add(now() + late, now(), event);
  return event.late;
}

void IssueStage::gathered_late(Packet& packet) {
  const Cycle in_collector = parameters_.operands.latency;
  const auto add = [&](EventKind kind, Cycle after) {
    const Cycle due = packet.issued + after;
    if (after > 1 + in_collector && packet.gathered >= due)
      events_.add(std::max(due + packet.late(in_collector), now()), now(), {kind, packet.context, &packet, true});
  };
  add(EventKind::release, packet.latency);
  if (packet.keeps_context && parameters_.refetch == 0) add(EventKind::leave_pipeline, stay(packet));
}

}  // namespace heddle::sm
