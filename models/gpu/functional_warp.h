// SPDX-License-Identifier: Apache-2.0
// An ISA warp in functional mode. Its threads are kept as splits, each with a program counter of its own, as on
// machines that schedule threads of a warp independently: the lowest program counter runs first, which (addresses being
// in thread-frontier order) makes splits meet as early as control flow allows.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/functional_program.h"
#include "isa/loop_watch.h"
#include "isa/prefix_operations.h"
#include "isa/state.h"

namespace heddle::gpu {

class FunctionalBlock;
struct BlockBarrier;

/// Sees what warps do; for checkers. Functional execution itself needs none.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  /// A warp begins: its place may have held another before.
  virtual void started(const isa::WarpState& warp) = 0;
  /// Before the bytes move. `addresses.mask`: the lanes that access; operations on mbarrier objects come lane by lane.
  virtual void memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) = 0;
  /// The threads in `mask` of one warp met in a `.sync` operation.
  virtual void met(const isa::WarpState& warp, std::uint32_t mask) = 0;
  virtual void fence(const isa::MicroOp& /*op*/, const isa::WarpState& /*warp*/, std::uint32_t /*mask*/) {}
  /// Behind a copy to shared memory; `addresses` is what it read.
  virtual void copied(const isa::MicroOp& /*op*/, const isa::WarpState& /*warp*/, const isa::Addresses& /*addresses*/) {
  }
  /// A commit of copies, or a wait for them.
  virtual void copies(const isa::MicroOp& /*op*/, const isa::WarpState& /*warp*/, std::uint32_t /*mask*/) {}
  /// They came to a barrier of the block, with or without waiting there.
  virtual void arrived(const isa::WarpState& /*warp*/, std::uint32_t /*mask*/, unsigned /*barrier*/) {}
  /// It lets go those who wait; passed() follows for each warp of them. everyone: all threads of the block waited.
  virtual void opened(const isa::BlockState& /*block*/, unsigned /*barrier*/, bool /*everyone*/) {}
  virtual void passed(const isa::WarpState& /*warp*/, std::uint32_t /*mask*/, unsigned /*barrier*/) {}
};

/// What the warps of one launch share.
struct Execution {
  const FunctionalProgram* program = nullptr;
  isa::MemoryPort* port = nullptr;
  ExecutionObserver* observer = nullptr;
  isa::Environment environment;
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  unsigned group_threads = 32;      ///< threads that run together: 32, or 4 in a checker
  bool stop_at_back_edges = false;  ///< a slice ends at a taken backward branch, so that loops are seen in phase
  bool watch_memory = false;        ///< note in `changed` every store that changes a byte and every outside influence
  bool changed = false;
  isa::LoopWatch* loop = nullptr;                  ///< in a look for endless loops, of the warp that runs
  std::uint64_t device_begin = 0, device_end = 0;  ///< memory the host does not write while a kernel runs
  std::uint32_t starvation_limit = 32768;  ///< warp instructions one split may run while another of its warp is ready
};

/// Threads of a warp with one program counter.
struct Split {
  enum class State : std::uint8_t { ready, barrier, rendezvous };
  std::uint32_t pc = 0, mask = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;
};

class FunctionalWarp {
 public:
  enum class Stop : std::uint8_t { slice, blocked, finished };

  /// `state`: all but `live` filled in by the caller; `threads`: 1 .. 32.
  void start(const Execution& execution, const isa::WarpState& state, unsigned threads);
  /// Runs about `slice` instructions, or until no split is ready. Throws heddle::Error on a fault.
  Stop run(Execution& execution, FunctionalBlock& block, std::uint32_t slice);

  bool runnable() const { return ready_; }
  const isa::WarpState& state() const { return state_; }
  /// Notes the state it is in, which decides with memory what it does next.
  void note_state(const isa::Kernel& kernel, isa::LoopWatch& loop) const;
  unsigned split_count() const { return count_; }
  const Split& split(unsigned i) const { return splits_[i]; }

  /// Threads of this warp that wait at a barrier.
  std::uint32_t waiting_at(unsigned barrier) const;
  /// Lets them go on behind it; bar.red gets its result.
  void release(const FunctionalProgram& program, const BlockBarrier& outcome, unsigned barrier);

 private:
  int nth_ready(unsigned n) const;
  int select(Execution& execution, std::uint32_t& limit);
  /// kWatched: tells execution.loop what it executes.
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
  bool contended_ = false;     ///< the chosen split runs while another could
  bool stop_ = false;          ///< the slice ends now
  bool sleeps_ = false;        ///< the split that ran gave its turn to the others
  std::uint32_t starved_ = 0;  ///< instructions run while another split was ready
  std::uint32_t turn_ = 0;     ///< rotates the choice when starvation is broken
};

}  // namespace heddle::gpu
