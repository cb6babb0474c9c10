// SPDX-License-Identifier: Apache-2.0
// An ISA warp in functional mode. Its threads form splits, each with its own program counter, as on machines with
// independent thread scheduling. The split with the lowest program counter runs first; as code is in thread-frontier
// order, splits reconverge as early as control flow allows.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/functional/functional_program.h"
#include "isa/loop_watch.h"
#include "isa/prefix_operations.h"
#include "isa/state.h"

namespace heddle::gpu {

class FunctionalBlock;
struct BlockBarrier;

/// Observes warps, for checkers. Optional.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  /// A warp starts; its storage may have belonged to another warp before.
  virtual void started(const isa::WarpState& warp) = 0;
  /// Called before the bytes move. `addresses.mask`: the accessing lanes; operations on mbarrier objects are reported
  /// lane by lane.
  virtual void memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) = 0;
  /// The threads in `mask` of one warp synchronised in a `.sync` operation.
  virtual void met(const isa::WarpState& warp, std::uint32_t mask) = 0;
  virtual void fence(const isa::MicroOp& /*op*/, const isa::WarpState& /*warp*/, std::uint32_t /*mask*/) {}
  /// Called after a copy to shared memory; `addresses` holds its source addresses.
  virtual void copied(const isa::MicroOp& /*op*/, const isa::WarpState& /*warp*/, const isa::Addresses& /*addresses*/) {
  }
  /// A commit of copies, or a wait for them.
  virtual void copies(const isa::MicroOp& /*op*/, const isa::WarpState& /*warp*/, std::uint32_t /*mask*/) {}
  /// The threads arrived at a block barrier, waiting or not.
  virtual void arrived(const isa::WarpState& /*warp*/, std::uint32_t /*mask*/, unsigned /*barrier*/) {}
  /// The barrier opens; passed() follows for each released warp. everyone: all threads of the block waited.
  virtual void opened(const isa::BlockState& /*block*/, unsigned /*barrier*/, bool /*everyone*/) {}
  virtual void passed(const isa::WarpState& /*warp*/, std::uint32_t /*mask*/, unsigned /*barrier*/) {}
};

/// State shared by the warps of one launch.
struct Execution {
  const FunctionalProgram* program = nullptr;
  isa::MemoryPort* port = nullptr;
  ExecutionObserver* observer = nullptr;
  isa::Environment environment;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  unsigned group_threads = 32;      ///< threads that run together: 32, or 4 in a checker
  bool stop_at_back_edges = false;  ///< a slice ends at a taken backward branch, so that loops are sampled in phase
  bool watch_memory = false;  ///< record in `changed` every store that changes a byte and every external influence
  bool changed = false;
  isa::LoopWatch* loop = nullptr;                  ///< during a loop watch, that of the running warp
  std::uint64_t device_begin = 0, device_end = 0;  ///< memory that the host does not write while a kernel runs
  std::uint32_t starvation_limit = 32768;  ///< warp instructions one split may run while another of its warp is ready
};

/// Threads of a warp that share a program counter.
struct Split {
  enum class State : std::uint8_t { ready, barrier, rendezvous };
  std::uint32_t pc = 0, mask = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;
};

class FunctionalWarp {
 public:
  enum class Stop : std::uint8_t { slice, blocked, finished };

  /// `state`: the caller fills in everything except `live`; `threads`: 1 .. 32.
  void start(const Execution& execution, const isa::WarpState& state, unsigned threads);
  /// Runs about `slice` instructions, or until no split is ready. Throws heddle::Error on a fault.
  Stop run(Execution& execution, FunctionalBlock& block, std::uint32_t slice);

  bool runnable() const { return ready_; }
  const isa::WarpState& state() const { return state_; }
  /// Records the warp's state, which together with memory determines its further execution.
  void note_state(const isa::Kernel& kernel, isa::LoopWatch& loop) const;
  unsigned split_count() const { return count_; }
  const Split& split(unsigned i) const { return splits_[i]; }

  /// Threads of this warp waiting at a barrier.
  std::uint32_t waiting_at(unsigned barrier) const;
  /// Releases them; bar.red receives its result.
  void release(const FunctionalProgram& program, const BlockBarrier& outcome, unsigned barrier);

 private:
  int nth_ready(unsigned n) const;
  int select(Execution& execution, std::uint32_t& limit);
  /// kWatched: reports executed instructions to execution.loop.
  template <bool kWatched>
  void run_split(Execution& execution, FunctionalBlock& block, unsigned index, std::uint32_t limit, std::uint64_t end);
  unsigned detach(unsigned index, std::uint32_t mask);
  void execute_special(Execution& execution, const isa::MicroOp& op, std::uint32_t mask, std::uint64_t clock);
  void access_memory(Execution& execution, const isa::MicroOp& op, std::uint32_t mask);
  void move_bytes(Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses);
  void perform(Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses);
  void show_memory(Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses);
  void exchange(Execution& execution, const isa::MicroOp& op, std::uint32_t mask);
  void share(Execution& execution, const isa::MicroOp& op, std::uint32_t mask, const isa::PrefixShares& shares);
  void arrive(Execution& execution, FunctionalBlock& block, unsigned index, const isa::MicroOp& op);
  void exit_threads(Execution& execution, FunctionalBlock& block, unsigned index);
  void branch_indirect(Execution& execution, unsigned index, const isa::MicroOp& op, std::uint32_t mask);
  void try_rendezvous(Execution& execution);
  void meet(Execution& execution, std::uint32_t mask, const isa::MeetingPlaces& places);
  std::uint32_t guarded(const Step& step, std::uint32_t mask) const;
  void add_split(const Split& split) { splits_[count_++] = split; }
  void remove_split(unsigned index) { splits_[index] = splits_[--count_]; }

  static constexpr std::uint32_t kLeastStarvation = 512;

  isa::WarpState state_;
  std::array<std::byte*, 2> bases_{};
  std::array<Split, 32> splits_;
  unsigned count_ = 0;
  bool ready_ = false;
  bool contended_ = false;     ///< the selected split runs while another is ready
  bool stop_ = false;          ///< the slice ends now
  bool sleeps_ = false;        ///< the split that ran yielded to the others
  std::uint32_t starved_ = 0;  ///< instructions run while another split was ready
  std::uint32_t turn_ = 0;     ///< rotates the choice when starvation is broken
};

}  // namespace heddle::gpu
