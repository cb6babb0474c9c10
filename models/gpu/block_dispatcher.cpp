// SPDX-License-Identifier: Apache-2.0
#include "gpu/block_dispatcher.h"

#include <algorithm>
#include <string>

namespace heddle::gpu {

BlockDispatcher::BlockDispatcher(sc_core::sc_module_name module_name, ClockGate& clock_gate,
                                 const DispatcherParameters& parameters, const std::vector<SmDescription>& sms,
                                 StatisticsOwner& statistics, Services& services)
    : Stage(module_name, clock_gate),
      parameters_(parameters),
      descriptions_(sms),
      group_(statistics, "dispatcher"),
      launches_(group_, "launches", "launches whose blocks have all finished", unit::kKernels),
      blocks_(group_, "blocks", "blocks dispatched to SMs", unit::kBlocks),
      state_(services, statistics.name() + ".dispatcher", clock_gate.domain().name()) {
  for (std::size_t i = 0; i < sms.size(); ++i) {
    ledgers_.emplace_back(sms[i].residency);
    launches.push_back(std::make_unique<LinkOut<sm::BlockLaunch>>(("launches" + std::to_string(i)).c_str(), clock_gate,
                                                                  stage_number()));
    finished.push_back(
        std::make_unique<LinkIn<sm::BlockDone>>(("finished" + std::to_string(i)).c_str(), clock_gate, stage_number(),
                                                LinkParameters{.width = 8, .latency = 1, .capacity = 64}));
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
    return field == 0 ? ledgers_[sm].blocks() : ledgers_[sm].threads();
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
    const sm::Residency empty(sm.residency);
    const auto need = sm::BlockNeed::of(*launch.kernel, static_cast<unsigned>(launch.block.volume()),
                                        launch.shared_bytes, sm.granule, sm.residency);
    best = std::max(best, empty.capacity(need, limit));
  }
  return best;
}

void BlockDispatcher::cycle() {
  take_finished();
  hand_out();
}

void BlockDispatcher::take_finished() {
  for (std::size_t s = 0; s < finished.size(); ++s) {
    while (sm::BlockDone* done = finished[s]->front()) {
      const auto running = std::find_if(running_.begin(), running_.end(),
                                        [&](const Running& r) { return r.launch->id == done->launch_id; });
      ledgers_[s].release(running->need[s]);
      ++running->done;
      finished[s]->pop();
      if (running->done == running->blocks) {
        ++launches_;
        const std::shared_ptr<const isa::LaunchState> launch = running->launch;
        running_.erase(running);
        if (done_) done_(*launch);
      }
    }
  }
}

void BlockDispatcher::hand_out() {
  unsigned left =
      parameters_.blocks_per_cycle == 0 ? static_cast<unsigned>(ledgers_.size()) : parameters_.blocks_per_cycle;
  const unsigned start = parameters_.order == DispatchOrder::fill_first ? 0 : next_sm_;
  bool more = false;
  for (unsigned i = 0; i < ledgers_.size() && left != 0; ++i) {
    const unsigned s = (start + i) % static_cast<unsigned>(ledgers_.size());
    for (Running& running : running_) {
      if (running.next == running.blocks || running.from > now()) continue;
      if (ledgers_[s].fits(running.need[s]) && launches[s]->can_send()) {
        sm::BlockLaunch block{running.launch.get(), running.next++};
        launches[s]->send(block);
        ledgers_[s].take(running.need[s]);
        ++blocks_;
        --left;
        next_sm_ = (s + 1) % static_cast<unsigned>(ledgers_.size());
        more = true;
      }
      // Launches are dispatched in order: a launch waits until the previous one has dispatched its last block.
      break;
    }
  }
  if (more) wake(now() + 1);
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
