// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional/functional_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "gpu/device_memory.h"
#include "gpu/functional/functional_report.h"
#include "gpu/occupancy.h"
#include "gpu/run_control.h"

namespace heddle::gpu {
namespace {

constexpr unsigned kReportLines = 16;
// A loop watch lasts at least this many rounds, and at least this fraction of the instructions between watches.
constexpr unsigned kLeastRounds = 64, kLookPart = 32;
constexpr std::uint64_t kMostPatience = std::uint64_t{1} << 30;

}  // namespace

/// A watch for infinite loops.
struct FunctionalMachine::Look {
  struct Warp {
    isa::LoopWatch loop;
    bool ran = false;  ///< since the watch began
  };
  std::vector<std::vector<Warp>> warps;  ///< by block slot, then by warp of its block
};

/// A launch in progress.
struct FunctionalMachine::Run {
  isa::LaunchState launch;
  Execution execution;
  std::uint64_t next_block = 0, block_count = 0;
  std::uint64_t max_thread_instructions = 0;
  std::vector<std::uint32_t> active;  ///< block slots that hold a block
  std::uint64_t suspicion = 0;        ///< warp instruction count at which the next watch starts
  std::uint64_t patience = 0;         ///< doubles after every watch that finds nothing
  Look* look = nullptr;               ///< active watch
};

FunctionalMachine::FunctionalMachine(const Parameters& parameters, DeviceMemory& memory, isa::MemoryPort& port)
    : parameters_(parameters), memory_(memory), port_(port) {}

const FunctionalProgram& FunctionalMachine::program(const std::shared_ptr<const isa::Kernel>& kernel) {
  // The program keeps its kernel alive, so the address cannot be reused.
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
    blocks_[place].start(run.execution, run.launch, run.next_block++, SmId(place % parameters_.limits.sm_count),
                         BlockSlot(place / parameters_.limits.sm_count));
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

/// Gives every resident block a turn and replaces finished ones by the next of the grid. False when none is left.
bool FunctionalMachine::round(Run& run) {
  for (std::size_t i = 0; i < run.active.size();) {
    FunctionalBlock& block = blocks_[run.active[i]];
    turn(run, run.active[i]);
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

/// Runs several slices of every warp of a block, to keep its registers in the host's cache before moving to the next
/// block.
void FunctionalMachine::turn(Run& run, std::uint32_t place) {
  FunctionalBlock& block = blocks_[place];
  const std::uint32_t turns = run.look != nullptr ? 1 : parameters_.turns;
  for (std::uint32_t t = 0; t < turns && !block.finished(); ++t) {
    bool ran = false;
    for (std::size_t w = 0; w < block.warps().size(); ++w) {
      FunctionalWarp& warp = block.warps()[w];
      if (!warp.runnable()) continue;
      ran = true;
      if (run.look == nullptr) {
        warp.run(run.execution, block, parameters_.slice);
        continue;
      }
      Look::Warp& watched = run.look->warps[place][w];
      watched.ran = true;
      run.execution.loop = &watched.loop;
      warp.run(run.execution, block, parameters_.slice);
      run.execution.loop = nullptr;
      if (!run.execution.changed) warp.note_state(*run.launch.kernel, watched.loop);
    }
    if (!ran) {
      fail(ExitCode::no_progress,
           "kernel '{}' is stuck: every thread of block ({},{},{}) that has not exited waits for others.{}",
           run.launch.kernel->name, block.state().index.x, block.state().index.y, block.state().index.z,
           describe_waiting(block, kReportLines));
    }
  }
}

void FunctionalMachine::check_limits(const Run& run) const {
  if (const int signal = interrupt_signal.load(std::memory_order_relaxed); signal != 0) {
    fail(ExitCode::interrupted, "kernel '{}' was interrupted by signal {}", run.launch.kernel->name, signal);
  }
  if (progress_listener != nullptr) progress_listener(0, run.execution.thread_instructions);
  const std::uint64_t limit = run.max_thread_instructions;
  if (limit != 0 && run.execution.thread_instructions >= limit) {
    fail(ExitCode::limit, "kernel '{}': stopped after {} thread-instructions, which reached the limit of the run",
         run.launch.kernel->name, run.execution.thread_instructions);
  }
}

/// Runs some rounds while watching for changes. If no byte of memory changed and every warp that ran returned to an
/// earlier state, they loop forever.
void FunctionalMachine::look_for_loops(Run& run) {
  Look look;
  look.warps.resize(blocks_.size());
  for (const std::uint32_t place : run.active) look.warps[place].resize(blocks_[place].warps().size());
  Execution& execution = run.execution;
  execution.stop_at_back_edges = execution.watch_memory = true;
  execution.changed = false;
  run.look = &look;
  const std::uint64_t until = execution.warp_instructions + run.patience / kLookPart;
  for (unsigned i = 1; i <= kLeastRounds || execution.warp_instructions < until; ++i) {
    if (!round(run) || execution.changed) break;
    const bool all = std::all_of(run.active.begin(), run.active.end(), [&](std::uint32_t place) {
      for (std::size_t w = 0; w < look.warps[place].size(); ++w) {
        const Look::Warp& warp = look.warps[place][w];
        if (warp.ran && !warp.loop.repeats() && blocks_[place].warps()[w].split_count() != 0) return false;
      }
      return true;
    });
    if (all) fail_endless(run);
    check_limits(run);
  }
  run.look = nullptr;
  execution.stop_at_back_edges = execution.watch_memory = false;
  run.patience = std::max(run.patience, std::min(2 * run.patience, kMostPatience));
  run.suspicion = execution.warp_instructions + run.patience;
}

void FunctionalMachine::fail_endless(const Run& run) const {
  std::vector<isa::Situation> all;
  for (const std::uint32_t place : run.active) {
    const FunctionalBlock& block = blocks_[place];
    for (std::size_t w = 0; w < block.warps().size(); ++w)
      describe_endless(block, block.warps()[w], run.look->warps[place][w].loop, port_, all);
  }
  std::string text = isa::describe_situations(std::move(all));
  if (run.next_block != run.block_count) {
    text += fmt::format(
        "\nBlocks {} to {} have not started and cannot write what the others wait for: blocks that wait for each "
        "other must all fit on the machine at once.",
        run.next_block, run.block_count - 1);
  }
  fail(ExitCode::no_progress,
       "kernel '{}' makes no progress: its threads repeat the same states forever and no memory changes.{}",
       run.launch.kernel->name, text);
}

}  // namespace heddle::gpu
