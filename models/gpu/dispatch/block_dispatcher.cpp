// SPDX-License-Identifier: Apache-2.0
#include "gpu/dispatch/block_dispatcher.h"

#include <algorithm>
#include <string>

namespace heddle::gpu {

BlockDispatcher::BlockDispatcher(sc_core::sc_module_name module_name, ClockGate& clock_gate,
                                 const DispatcherParameters& parameters, const std::vector<SmDescription>& sms,
                                 StatisticsOwner& statistics, Services& services)
    : Stage(module_name, clock_gate),
      parameters_(parameters),
      policy_(make(parameters.order, static_cast<unsigned>(sms.size()))),
      descriptions_(sms),
      group_(statistics, "dispatcher"),
      launches_(group_, "launches", "launches whose blocks have all finished", unit::kKernels),
      blocks_(group_, "blocks", "blocks dispatched to SMs", unit::kBlocks),
      state_(services, statistics.name() + ".dispatcher", clock_gate.domain().name()) {
  for (std::size_t i = 0; i < sms.size(); ++i) {
    ledgers_.push_back(make(sms[i].residency.policy, sms[i].residency));
    to_sms.push_back(std::make_unique<LinkOut<sm::BlockLaunch>>(("launches" + std::to_string(i)).c_str(), clock_gate,
                                                                stage_number()));
    from_sms.push_back(std::make_unique<LinkIn<sm::BlockDone>>(("finished" + std::to_string(i)).c_str(), clock_gate,
                                                               stage_number(),
                                                               LinkParameters{.width = 32, .latency = 1}));
  }
  declare_state();
}

void BlockDispatcher::declare_state() {
  state_.signals.add("launches", 8, "launches in progress", [this] { return running_.size(); });
  state_.signals.add("launch", 32, "number of the oldest launch in progress; 0: none",
                     [this] { return running_.empty() ? 0 : running_.front().launch->id; });
  state_.signals.add("next_block", 64, "its next block to dispatch",
                     [this] { return running_.empty() ? 0 : running_.front().next; });
  state_.signals.add("done", 64, "its blocks that have finished",
                     [this] { return running_.empty() ? 0 : running_.front().done; });
  Structure& ledger = state_.traced_structure("ledger", "resources allocated to the blocks on each SM", ledgers_.size(),
                                              {{"blocks", 8, 1, 1}, {"threads", 12, 1, 1}});
  ledger.read([this](std::size_t sm, std::size_t field) -> std::uint64_t {
    const sm::SmResources& used = ledgers_[sm]->used();
    return field == 0 ? used.blocks() : used.threads();
  });
}

void BlockDispatcher::enqueue(std::shared_ptr<const isa::LaunchState> launch) {
  Running running;
  running.blocks = launch->grid.volume();
  running.from = gate().domain().arrival_cycle() + parameters_.launch_cycles;
  for (const SmDescription& sm : descriptions_) {
    running.need.push_back(sm::BlockNeed::of(*launch->kernel, static_cast<unsigned>(launch->block.volume()),
                                             launch->shared_bytes, sm.granule, sm.residency));
  }
  wake(running.from);
  running.launch = std::move(launch);
  running_.push_back(std::move(running));
}

unsigned BlockDispatcher::capacity(const isa::LaunchState& launch, std::string* limit) const {
  unsigned best = 0;
  for (const SmDescription& sm : descriptions_) {
    const sm::SmResources empty(sm.residency);
    const auto need = sm::BlockNeed::of(*launch.kernel, static_cast<unsigned>(launch.block.volume()),
                                        launch.shared_bytes, sm.granule, sm.residency);
    best = std::max(best, empty.capacity(need, limit));
  }
  return best;
}

void BlockDispatcher::cycle() {
  take_finished();
  dispatch();
}

void BlockDispatcher::take_finished() {
  for (std::size_t s = 0; s < from_sms.size(); ++s) {
    while (sm::BlockDone* done = from_sms[s]->front()) {
      const auto running = std::find_if(running_.begin(), running_.end(),
                                        [&](const Running& r) { return r.launch->id == done->block.launch; });
      const bool whole = done->whole;
      if (whole) {
        ledgers_[s]->leave(done->block, running->need[s]);
      } else {
        ledgers_[s]->granule_ended(done->block);
      }
      // The SM has started these by itself.
      while (ledgers_[s]->start_more()) continue;
      from_sms[s]->pop();
      if (!whole) continue;
      ++running->done;
      if (running->done == running->blocks) {
        ++launches_;
        const std::shared_ptr<const isa::LaunchState> launch = running->launch;
        running_.erase(running);
        if (done_) done_(*launch);
      }
    }
  }
}

void BlockDispatcher::dispatch() {
  unsigned left = parameters_.blocks_per_cycle == 0 ? sms() : parameters_.blocks_per_cycle;
  bool sent = false;
  policy_->begin_cycle();
  for (; left != 0; --left) {
    const std::optional<BlockGrant> grant = policy_->next(*this);
    if (!grant) break;
    send(*grant);
    sent = true;
  }
  if (sent) wake(now() + 1);
}

void BlockDispatcher::send(const BlockGrant& grant) {
  if (grant.launch >= launches() || grant.sm >= sms() || !has_blocks(grant.launch) ||
      !has_room(grant.sm, grant.launch)) {
    fail(ExitCode::internal, "dispatch policy {}: SM {} cannot take a block of launch {} in cycle {}",
         parameters_.order.name(), grant.sm, grant.launch, now());
  }
  Running& running = running_[grant.launch];
  const sm::BlockNeed& need = running.need[grant.sm];
  sm::BlockLaunch block{running.launch.get(), running.next++, ledgers_[grant.sm]->room(need)};
  ledgers_[grant.sm]->come({running.launch->id, block.block}, need, block.granules);
  to_sms[grant.sm]->send(block);
  ++blocks_;
}

bool BlockDispatcher::blocks_wait() const {
  return std::any_of(running_.begin(), running_.end(), [](const Running& r) { return r.next != r.blocks; });
}

std::string BlockDispatcher::state_dump() const {
  std::string text;
  for (const Running& running : running_) {
    text += fmt::format("\n  launch {} of kernel {}: {} of {} blocks dispatched, {} finished", running.launch->id,
                        running.launch->kernel->name, running.next, running.blocks, running.done);
    if (running.next != running.blocks) {
      text += fmt::format("; blocks {} to {} have not started", running.next, running.blocks - 1);
    }
  }
  return text;
}

}  // namespace heddle::gpu
