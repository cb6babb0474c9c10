// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional_machine.h"

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "gpu/device_memory.h"
#include "gpu/functional_report.h"
#include "gpu/occupancy.h"
#include "gpu/run_control.h"

namespace heddle::gpu {
namespace {

constexpr unsigned kReportLines = 16;
constexpr unsigned kLoopRounds = 64;  ///< rounds one look for loops lasts

}  // namespace

/// One launch under way.
struct FunctionalMachine::Run {
  isa::LaunchState launch;
  Execution execution;
  std::uint64_t next_block = 0, block_count = 0;
  std::uint64_t max_thread_instructions = 0;
  std::vector<std::uint32_t> active;  ///< places that hold a block
  std::uint64_t suspicion = 0;        ///< warp instructions at which loops are looked for next
  std::uint64_t patience = 0;         ///< doubles after every look that found none
};

FunctionalMachine::FunctionalMachine(const Parameters& parameters, DeviceMemory& memory, isa::MemoryPort& port)
    : parameters_(parameters), memory_(memory), port_(port) {}

const FunctionalProgram& FunctionalMachine::program(const std::shared_ptr<const isa::Kernel>& kernel) {
  // The program holds its kernel, so the address stays taken.
  return programs_.try_emplace(kernel.get(), kernel).first->second;
}

LaunchReport FunctionalMachine::launch(const LaunchRequest& request) {
  check_launch(parameters_.limits, request);
  const isa::Kernel& kernel = *request.kernel;
  Run run;
  run.launch.kernel = &kernel;
  run.launch.grid = request.grid;
  run.launch.block = request.block;
  run.launch.id = request.id;
  run.launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  run.launch.shared_bytes = kernel.static_shared_bytes + request.dynamic_shared_bytes;
  run.launch.parameters = request.parameters;
  run.execution.program = &program(request.kernel);
  run.execution.port = &port_;
  run.execution.observer = observer_;
  run.execution.group_threads = run.execution.program->needs_lock_step() ? isa::kWordThreads : group_threads_;
  run.execution.environment.sm_count = parameters_.limits.sm_count;
  run.execution.environment.warps_per_sm = parameters_.limits.max_warps_per_sm;
  run.execution.environment.nanoseconds = static_cast<std::uint64_t>(now() * 1e9);
  std::tie(run.execution.device_begin, run.execution.device_end) = memory_.device_range();
  run.max_thread_instructions = request.max_thread_instructions;
  run.patience = parameters_.suspicion;
  run.suspicion = run.patience;

  const Occupancy fit = occupancy(parameters_.limits, {static_cast<std::uint32_t>(request.block.volume()),
                                                       kernel.registers, run.launch.shared_bytes});
  run.block_count = request.grid.volume();
  const std::uint64_t places =
      std::min<std::uint64_t>(run.block_count, std::uint64_t{fit.blocks_per_sm} * parameters_.limits.sm_count);
  if (blocks_.size() < places) blocks_.resize(places);
  for (std::uint32_t place = 0; place < places; ++place) {
    blocks_[place].start(run.execution, run.launch, run.next_block++, place % parameters_.limits.sm_count,
                         place / parameters_.limits.sm_count);
    run.active.push_back(place);
  }
  run_ = &run;
  try {
    while (round(run)) {
      check_limits(run);
      if (run.execution.warp_instructions >= run.suspicion) look_for_loops(run);
    }
  } catch (...) {
    account(run);
    throw;
  }
  account(run);
  return last_;
}

LaunchReport FunctionalMachine::so_far() const {
  if (run_ == nullptr) return last_;
  LaunchReport report;
  report.thread_instructions = run_->execution.thread_instructions;
  report.warp_instructions = run_->execution.warp_instructions;
  return report;
}

void FunctionalMachine::account(const Run& run) {
  run_ = nullptr;
  last_ = {};
  last_.start_seconds = now();
  warp_instructions_ += run.execution.warp_instructions;
  last_.end_seconds = now();
  last_.thread_instructions = run.execution.thread_instructions;
  last_.warp_instructions = run.execution.warp_instructions;
}

double FunctionalMachine::now() const {
  const DeviceLimits& limits = parameters_.limits;
  return static_cast<double>(warp_instructions_) / limits.sm_count / static_cast<double>(limits.core_hertz);
}

/// Gives every resident block its turn; finished ones make room for the next of the grid. False when none is left.
bool FunctionalMachine::round(Run& run) {
  for (std::size_t i = 0; i < run.active.size();) {
    FunctionalBlock& block = blocks_[run.active[i]];
    turn(run, block);
    if (!block.finished()) {
      ++i;
      continue;
    }
    run.suspicion = run.execution.warp_instructions + run.patience;
    run.execution.changed = true;
    if (run.next_block < run.block_count) {
      block.start(run.execution, run.launch, run.next_block++, block.state().sm, block.state().slot);
      ++i;
    } else {
      run.active.erase(run.active.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return !run.active.empty();
}

/// Some slices of every warp of a block: as many as keep its registers in the host's cache before the next block comes.
void FunctionalMachine::turn(Run& run, FunctionalBlock& block) {
  const std::uint32_t turns = run.execution.stop_at_back_edges ? 1 : parameters_.turns;
  for (std::uint32_t t = 0; t < turns && !block.finished(); ++t) {
    bool ran = false;
    for (FunctionalWarp& warp : block.warps()) {
      if (!warp.runnable()) continue;
      ran = true;
      warp.run(run.execution, block, parameters_.slice);
    }
    if (!ran) {
      fail(ExitCode::kNoProgress, "kernel '{}' is stuck: every thread of a block that has not exited waits.{}",
           run.launch.kernel->name, describe_waiting(block, kReportLines));
    }
  }
}

void FunctionalMachine::check_limits(const Run& run) const {
  if (const int signal = interrupt_signal.load(std::memory_order_relaxed); signal != 0) {
    fail(ExitCode::kInterrupted, "kernel '{}' was interrupted by signal {}", run.launch.kernel->name, signal);
  }
  if (progress_listener != nullptr) progress_listener(0, run.execution.thread_instructions);
  const std::uint64_t limit = run.max_thread_instructions;
  if (limit != 0 && run.execution.thread_instructions >= limit) {
    fail(ExitCode::kLimit,
         "stopped in kernel '{}': the run may execute no more thread-instructions (this launch did {})",
         run.launch.kernel->name, run.execution.thread_instructions);
  }
}

/// Runs some rounds while watching whether anything changes. The machine is deterministic: when the state of all
/// threads comes back and no byte of memory changed in between, it will come back for ever. (Brent's cycle search: the
/// reference state is renewed after 1, 2, 4, ... rounds.)
void FunctionalMachine::look_for_loops(Run& run) {
  const auto digest = [&] {
    std::uint64_t sum = run.next_block;
    for (const std::uint32_t place : run.active) sum = sum * 31 + blocks_[place].digest();
    return sum;
  };
  Execution& execution = run.execution;
  execution.stop_at_back_edges = execution.watch_memory = true;
  execution.changed = false;
  std::uint64_t reference = digest();
  for (unsigned i = 1, renew = 1; i <= kLoopRounds; ++i) {
    const std::uint64_t before = execution.warp_instructions;
    if (!round(run)) break;
    if (execution.changed) break;
    const std::uint64_t now = digest();
    if (now == reference) {
      fail(ExitCode::kNoProgress,
           "kernel '{}' makes no progress: its threads repeat the same states for ever (the last round was {} warp "
           "instructions "
           "long) and no memory changes. Where block ({},{},{}) is:{}",
           run.launch.kernel->name, execution.warp_instructions - before, blocks_[run.active[0]].state().index.x,
           blocks_[run.active[0]].state().index.y, blocks_[run.active[0]].state().index.z,
           describe_waiting(blocks_[run.active[0]], kReportLines));
    }
    if (i == renew) {
      reference = now;
      renew *= 2;
    }
  }
  execution.stop_at_back_edges = execution.watch_memory = false;
  run.patience *= 2;
  run.suspicion = execution.warp_instructions + run.patience;
}

}  // namespace heddle::gpu
