// SPDX-License-Identifier: Apache-2.0
// Static load classification table: which loads a loop has, which of them diverge, and which share a line. From it
// follows how many lines a warp accesses in a trip.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5.1, 2.5.2 and 3, DA-4. Logic only.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::sm {

/// An instruction of any kernel: LaunchState::code_address plus its PC. In one kernel it orders as the PC does.
using CodeAddress = std::uint64_t;
inline constexpr CodeAddress kNoCode = ~CodeAddress{0};

/// Lines that all loads of a loop access in a trip of a warp.
struct LoadGroups {
  unsigned divergent = 0;  ///< groups of loads that share a line, of which one or more diverge
  unsigned converged = 0;  ///< the others

  /// threads: active in the warp. converged_lines: that a converged load accesses.
  unsigned lines(unsigned threads, unsigned converged_lines) const {
    if (threads == 0) return 0;
    if (threads == 1) return divergent + converged;
    return divergent * threads + converged * converged_lines;
  }
};

class LoadClasses {
 public:
  static constexpr unsigned kMaxEntries = 64;
  /// entries: 1 .. kMaxEntries.
  explicit LoadClasses(unsigned entries) : most_(entries) {}

  /// Adds a load of a loop, with a group of its own. False: the table is full. Does nothing if it is there.
  bool add(CodeAddress loop, CodeAddress load);
  bool knows(CodeAddress load) const { return index_of(load) < entries_.size(); }
  /// Without effect on a load that is not in the table.
  void set_divergent(CodeAddress load, bool divergent);
  /// The loads access one line: their groups become one. Without effect unless both are in the table.
  void repeat(CodeAddress first, CodeAddress second);
  void forget(CodeAddress loop);
  LoadGroups groups(CodeAddress loop) const;

  struct Entry {
    CodeAddress loop = kNoCode, load = kNoCode;
    bool divergent = false;
    std::uint8_t repetition = 0;  ///< number of its group, below kMaxEntries
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::size_t index_of(CodeAddress load) const;
  std::uint8_t free_number() const;

  std::size_t most_;
  std::vector<Entry> entries_;
};

}  // namespace heddle::sm
