// SPDX-License-Identifier: Apache-2.0
// Whether threads that run as one repeat themselves: the proof that they make no progress, for both kinds of machine.
//
// While a look lasts, every effect on memory is compared and every backward branch notes the state of its threads.
// Threads reach each other through memory only: when no byte that others see changed, and all that decides where the
// threads go, what they read and what they write came back to what it was, they go on like that for ever, whatever the
// timing. What decides it are the registers that branches, addresses and stored values depend on, over the instructions
// that the threads executed: a loop that counts its turns for later is seen to repeat, one that counts to an end is
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/state_digest.h"
#include "isa/execute.h"

namespace heddle::isa {

class LoopWatch {
 public:
  // -- what the threads do
  void executed(std::uint32_t pc) {
    const std::size_t word = pc / 64;
    if (word >= executed_.size()) executed_.resize(word + 1);
    const std::uint64_t bit = std::uint64_t{1} << pc % 64;
    grown_ = grown_ || (executed_[word] & bit) == 0;
    executed_[word] |= bit;
  }
  /// A load or an atomic of the threads reads these places.
  void reads(const MicroOp& op, const Addresses& addresses);
  /// Local memory changed by this much, as MemoryWatch gives it.
  void changed_local(std::uint64_t change) { local_ += change; }
  /// A backward branch: the loop goes from `first` to `last`.
  void branched(std::uint32_t first, std::uint32_t last) {
    first_pc_ = first;
    last_pc_ = last;
  }

  // -- their state
  /// Before the registers of a state are added: which of them count. False when that changed, and with it what earlier
  /// states were compared by.
  bool begin_state(const Kernel& kernel);
  /// Adds the registers of one ISA warp that count.
  void add_registers(StateDigest& digest, const std::byte* registers) const;
  /// The threads are in a state with this digest of registers, program counters and masks. all_ran: since the state
  /// that it is compared with, each of their paths that could run did. True when the state is a new one to compare
  /// with.
  bool note_state(StateDigest digest, bool all_ran);
  /// They came back to a state they had.
  bool repeats() const { return repeats_; }
  /// As repeats(), but for paths that did not run meanwhile: true in the state just noted.
  bool came_back() const { return came_back_; }

  /// "repeat A to B, reading C by D": what a message says of threads that repeat.
  std::string describe(const Kernel& kernel, const MemoryPort& port) const;

 private:
  /// What one instruction reads in the loop.
  struct Place {
    const MicroOp* op;
    Space space;
    std::uint64_t lowest, highest;
  };
  static constexpr std::size_t kMostPlaces = 4;

  void find_relevant(const Kernel& kernel);

  std::vector<std::uint64_t> executed_;  // one bit an instruction
  bool grown_ = false;                   // more were executed since relevant_ was found
  // Where in the frame lie the registers that count, as stretches of bytes.
  struct Stretch {
    std::uint32_t offset, bytes;
  };
  std::vector<Stretch> relevant_;
  std::uint64_t local_ = 0;  // contents of local memory, relative to the start of the look
  // Brent's cycle search: the state to compare with is renewed after 1, 2, 4, ... states, so that it lies within the
  // cycle one day.
  bool seen_ = false, repeats_ = false, came_back_ = false;
  std::uint64_t reference_ = 0;
  std::uint64_t states_ = 0, renew_ = 1;
  std::uint32_t first_pc_ = 0, last_pc_ = 0;
  std::vector<Place> places_;  // since the reference
  bool more_places_ = false;
};

/// A group of threads, and what they wait for and where.
struct Situation {
  std::string who, what;
};
/// A line for each thing that threads wait for, with who does: "\n  WHO, WHO and n more groups WHAT".
std::string describe_situations(std::vector<Situation> all);

}  // namespace heddle::isa
