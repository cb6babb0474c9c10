// SPDX-License-Identifier: Apache-2.0
// How a viewer opens a waveform: the groups of its signals, the moment it shows first, and named moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/probe.h"

namespace heddle {

/// Where the signals of a scope appear.
struct WaveformPlace {
  std::vector<unsigned> order;      ///< of the groups, compared lexicographically
  unsigned within = 0;              ///< order of scopes that share their groups
  std::vector<std::string> groups;  ///< outermost first; scope names in them are omitted from labels
  bool open = false;                ///< shown initially, as long as there is room
};

/// A recorded signal.
struct WaveformSignal {
  std::string scope;  ///< dotted scope path
  std::string name;
  unsigned width = 1;  ///< bits
  Radix radix = Radix::hexadecimal;
  const TextTable* text = nullptr;
  bool pulse = false;
  bool entry = false;  ///< of an entry of a structure; the last part of the scope is its index
};

/// A named moment.
struct WaveformMark {
  std::uint64_t picoseconds = 0;
  std::string name;
};

/// What a viewer shows first. Times in picoseconds.
struct WaveformOpening {
  std::uint64_t begin = 0, length = 0, marker = 0;
  std::vector<WaveformMark> marks;  ///< ascending
};

/// The moments of a recording from which the one shown first is chosen. Times are in picoseconds and never go back.
class WaveformMoments {
 public:
  enum class Shown : std::uint8_t { busiest, begin, end };

  /// span: length of what is shown, 2 or more. last_marks: keeps the last names instead of the first.
  WaveformMoments(std::uint64_t span, bool last_marks) : half_(span / 2), last_marks_(last_marks) {}

  /// A cycle from `begin` to `end` is recorded, in which so many signals changed.
  void recorded(std::uint64_t begin, std::uint64_t end, std::uint64_t changed);
  void mark(std::uint64_t at, std::string name);
  /// What was recorded before this time is not in the file.
  void forget_before(std::uint64_t time);
  /// Shown::busiest: the two neighbouring halves of a span that together have most changes, with the marker where most
  /// signals change at once. begin, end: the marker at the first or last cycle.
  WaveformOpening opening(Shown shown) const;

  static constexpr std::size_t kMarks = 26;  ///< which GTKWave calls A to Z

 private:
  struct Peak {
    std::uint64_t at = 0, changed = 0;
  };
  struct Half {
    std::uint64_t number = 0, changed = 0;
    Peak peak;
  };
  std::uint64_t half_;
  bool last_marks_;
  Half previous_, present_, busiest_;  ///< number of busiest_: that of its first half
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0, end_ = 0;
  std::deque<WaveformMark> marks_;
};

/// The GTKWave save file next to a waveform; empty for a pipe or device, which has none.
std::filesystem::path gtkwave_save_file(const std::filesystem::path& waveform);

/// Writes a GTKWave save file for these signals, and its translation tables as files next to it. place_of: by scope;
/// empty: one group per scope, in the order of the signals.
void write_gtkwave_save(const std::filesystem::path& save_file, const std::filesystem::path& vcd,
                        const std::vector<WaveformSignal>& signals,
                        const std::function<WaveformPlace(std::string_view scope)>& place_of,
                        const WaveformOpening& opening);

}  // namespace heddle
