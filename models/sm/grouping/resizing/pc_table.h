// SPDX-License-Identifier: Apache-2.0
// A set-associative table of program counters with least-recently-used replacement: the ignore list, and the list of
// instructions learned by dynamic synchronisation.
// Source: docs/sources/dynamic-warp-resizing.md, 2.7 and 3.5. Logic only.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace heddle::sm {

struct PcTableShape {
  unsigned sets = 4;         ///< power of two
  unsigned ways = 8;         ///< 0: the table is always empty
  unsigned index_shift = 0;  ///< lowest bits of a PC that neither select a set nor belong to the tag
  bool unlimited = false;    ///< holds every PC that was inserted; sets and ways do not matter
  unsigned index_bits() const;
  /// Of the stored part of a PC of 32 bits.
  unsigned tag_bits() const { return 32 - index_shift - index_bits(); }
};

class PcTable {
 public:
  enum class Inserted : std::uint8_t {
    no,       ///< it was there, or the table has no entries
    yes,      ///< in a free entry
    evicting  ///< in place of the least recently used one of its set
  };

  explicit PcTable(const PcTableShape& shape);
  /// Whether the table holds the PC, which becomes the most recently used one.
  bool look_up(std::uint32_t pc);
  Inserted insert(std::uint32_t pc);
  void clear();
  std::size_t size() const { return size_; }

  struct Entry {
    bool valid = false;
    std::uint32_t tag = 0;
    std::uint64_t used = 0;  ///< greater: more recently
  };
  /// By set, then way; none if unlimited.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Entry* first_of_set(std::uint32_t pc);
  std::uint32_t tag_of(std::uint32_t pc) const;
  Entry* find(std::uint32_t pc);

  const PcTableShape shape_;
  std::vector<Entry> entries_;
  std::unordered_set<std::uint32_t> all_;  ///< if unlimited
  std::size_t size_ = 0;
  std::uint64_t time_ = 0;
};

}  // namespace heddle::sm
