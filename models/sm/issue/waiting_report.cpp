// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/waiting_report.h"

#include <fmt/format.h>

#include "isa/describe.h"

namespace heddle::sm {

void WaitingReport::describe(std::vector<Situation>& all) const {
  std::vector<bool> warp_done(waiting_.warps());
  contexts_.valid.for_each([&](std::size_t i) {
    const ContextId c(i);
    describe_loop(c, all);
    if (warp_done[contexts_[c].warp]) return;
    warp_done[contexts_[c].warp] = true;
    describe_paths(c, all);
  });
  for (BlockSlot slot(0); slot < blocks_.slot_count(); ++slot) {
    if (!blocks_[slot].used) continue;
    describe_barriers(slot, all);
    if (const auto& block = blocks_[slot]; block.started < block.state.threads) {
      all.push_back({fmt::format("threads {} to {} of block {}", block.started, block.state.threads - 1,
                                 block.state.linear_index),
                     "have not started: others hold the threads or registers of the SM"});
    }
  }
  for (const Rendezvous::Meeting& meeting : meetings_.open()) {
    for (std::uint32_t rest = meeting.arrived; rest != 0;) {
      const isa::MicroOp& op = *meeting.places[static_cast<unsigned>(std::countr_zero(rest))];
      std::uint32_t here = 0;
      for (unsigned lane = 0; lane < isa::kWordThreads; ++lane) {
        if ((rest >> lane & 1) != 0 && meeting.places[lane] == &op) here |= 1u << lane;
      }
      rest &= ~here;
      const std::string missing =
          isa::describe_lanes(Rendezvous::missing(meeting), meeting.warp->index * isa::kWordThreads);
      all.push_back({isa::describe_threads(*meeting.warp, here),
                     fmt::format("wait for the threads {} named in the mask: {}", missing,
                                 isa::describe_instruction(*meeting.warp, op.pc))});
    }
  }
}

/// Describes the context's active threads that do not wait at a barrier or a meeting.
void WaitingReport::describe_loop(ContextId c, std::vector<Situation>& all) const {
  const ThreadSet threads =
      contexts_[c].threads - contexts_.at_barrier[contexts_[c].warp] - contexts_.at_meeting[contexts_[c].warp];
  if (threads.none()) return;
  const auto& block = blocks_[contexts_[c].block];
  const isa::Kernel& kernel = *block.state.launch->kernel;
  const std::string who = isa::describe_threads(block.state, threads, grouping_.first_thread(c));
  const ProgressWatch::Unit* unit = sm_.progress.find(*contexts_[c].words);
  const bool looking = unit != nullptr && sm_.progress.looking();
  if (looking && unit->repeats() && unit->issued.test(c)) {
    all.push_back({who, unit->loop.describe(kernel, *sm_.memory_port)});
    return;
  }
  const char* what = contexts_.branch.test(c)         ? "wait for their branch to resolve"
                     : contexts_.pipeline.test(c)     ? "wait for their instruction to leave the pipeline"
                     : contexts_.long_latency.test(c) ? "wait for data from memory"
                     : contexts_.hazard.test(c)       ? "wait for a result"
                     : contexts_.ready.test(c)        ? "could issue"
                     : contexts_.buffered.test(c)     ? "run"
                                                      : "wait for instructions";
  all.push_back({who, fmt::format("{}: {}", what, isa::describe_instruction(kernel, contexts_[c].pc))});
}

/// Describes paths that the grouping holds back while another path of the warp runs.
void WaitingReport::describe_paths(ContextId c, std::vector<Situation>& all) const {
  std::vector<GroupingUnit::Path> paths;
  grouping_.waiting_paths(c, paths);
  const auto& block = blocks_[contexts_[c].block];
  const ThreadSet waiting = contexts_.at_barrier[contexts_[c].warp] | contexts_.at_meeting[contexts_[c].warp];
  const ProgressWatch::Unit* unit = sm_.progress.find(*contexts_[c].words);
  for (const GroupingUnit::Path& path : paths) {
    const ThreadSet threads = path.threads - waiting;
    if (threads.none()) continue;
    const bool others_wait = contexts_.waits(contexts_[c].warp, contexts_[c].threads);
    std::string what = others_wait ? fmt::format(
                                         "could go on, but grouping {} does not run them while others of their "
                                         "warp wait: ",
                                         grouping_.name())
                                   : std::string("wait for their turn while others of their warp run: ");
    what += isa::describe_instruction(*block.state.launch->kernel, path.pc);
    if (unit != nullptr && unit->repeats() && sm_.progress.looking()) {
      what += fmt::format(
          ". Other threads of their warp spin on a value that these threads cannot write: grouping {} does not run "
          "them until the others leave the loop. Do not let threads of a warp wait for each other; a lock must be "
          "given back in the iteration of the loop that takes it",
          grouping_.name());
    }
    all.push_back({isa::describe_threads(block.state, threads, grouping_.first_thread(c)), what});
  }
}

void WaitingReport::describe_barriers(BlockSlot slot, std::vector<Situation>& all) const {
  const auto& block = blocks_[slot];
  for (std::size_t number = 0; number < BarrierTable::kBarriers; ++number) {
    const BarrierTable::Barrier* barrier = barriers_.find(slot, number);
    if (barrier == nullptr) continue;
    const std::string why =
        barrier->expected == 0
            ? fmt::format("wait at barrier {} for every thread of the block; {} are there: ", number, barrier->arrived)
            : fmt::format("wait at barrier {} for {} threads; {} are there: ", number, barrier->expected,
                          barrier->arrived);
    for (const PacketHandle& packet : barrier->waiting) {
      all.push_back({isa::describe_threads(block.state, packet->threads, grouping_.first_thread(packet->context)),
                     why + isa::describe_instruction(*block.state.launch->kernel, packet->op->pc)});
    }
  }
}

}  // namespace heddle::sm
