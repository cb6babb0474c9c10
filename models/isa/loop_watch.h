// SPDX-License-Identifier: Apache-2.0
// Detects threads that repeat a loop without making progress. Used by the functional and the timed machine.
//
// While a watch is active, every memory effect is checked for changes and every backward branch records the state of
// its threads. Threads interact through memory only. If no byte visible to others has changed, and the state that
// determines the threads' control flow, addresses and stored values recurs, they loop forever whatever the timing. That
// state is the set of registers that branches, addresses and stored values depend on, over the instructions the threads
// executed: a loop whose trip counter feeds only a later result is found to repeat, a loop that counts towards its exit
// is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/state_digest.h"
#include "isa/execute.h"

namespace heddle::isa {

class LoopWatch {
 public:
  // -- execution
  void executed(std::uint32_t pc) {
    const std::size_t word = pc / 64;
    if (word >= executed_.size()) executed_.resize(word + 1);
    const std::uint64_t bit = std::uint64_t{1} << pc % 64;
    grown_ = grown_ || (executed_[word] & bit) == 0;
    executed_[word] |= bit;
  }
  /// A load or atomic of the watched threads reads these addresses.
  void reads(const MicroOp& op, const Addresses& addresses);
  /// Adds a change of local memory, as MemoryWatch::local_change() returns it.
  void changed_local(std::uint64_t change) { local_ += change; }
  /// A backward branch: the loop goes from `first` to `last`.
  void branched(std::uint32_t first, std::uint32_t last) {
    first_pc_ = first;
    last_pc_ = last;
  }

  // -- thread state
  /// Call before adding a state's registers: finds which ones are relevant. False when that set changed, which makes
  /// earlier states incomparable.
  bool begin_state(const Kernel& kernel);
  /// Adds the relevant registers of one ISA warp.
  void add_registers(StateDigest& digest, const std::byte* registers) const;
  /// Records a state by its digest of registers, program counters and masks. all_ran: every path that could run has run
  /// since the reference state. True when this state becomes the reference.
  bool note_state(StateDigest digest, bool all_ran);
  /// The threads returned to an earlier state.
  bool repeats() const { return repeats_; }
  /// As repeats(), but even if some paths did not run meanwhile. Refers to the state just recorded.
  bool came_back() const { return came_back_; }

  /// "repeat A to B, reading C by D": for messages about threads that repeat.
  std::string describe(const Kernel& kernel, const MemoryPort& port) const;

 private:
  /// The range one instruction reads in the loop.
  struct ReadRange {
    const MicroOp* op;
    Space space;
    std::uint64_t lowest, highest;
  };
  static constexpr std::size_t kMostRanges = 4;

  void find_relevant(const Kernel& kernel);

  std::vector<std::uint64_t> executed_;  // one bit per instruction
  bool grown_ = false;                   // more instructions executed since relevant_ was computed
  // Byte ranges of the relevant registers in the frame.
  struct Stretch {
    std::uint32_t offset, bytes;
  };
  std::vector<Stretch> relevant_;
  std::uint64_t local_ = 0;  // digest of local memory relative to the start of the watch
  // Brent's cycle detection: the reference state is replaced after 1, 2, 4, ... states, so it eventually lies on the
  // cycle.
  bool seen_ = false, repeats_ = false, came_back_ = false;
  std::uint64_t reference_ = 0;
  std::uint64_t states_ = 0, renew_ = 1;
  std::uint32_t first_pc_ = 0, last_pc_ = 0;
  std::vector<ReadRange> ranges_;  // since the reference state
  bool more_ranges_ = false;
};

/// A group of threads and what it is waiting for.
struct Situation {
  std::string who, what;
};
/// One line per cause of waiting, with the groups that share it: "\n WHO, WHO and n more groups WHAT".
std::string describe_situations(std::vector<Situation> all);

}  // namespace heddle::isa
