// SPDX-License-Identifier: Apache-2.0
// A search tree of 32-bit keys, blocked twice: a line of 128 bytes is a node of 30 keys and 31 children, and 32 lines
// (a root and its children) are a row node of 4 KB with 961 children. No pointers: row nodes lie breadth first. Its
// words follow from their place, so that a tree of any depth needs no memory. Source:
// docs/sources/large-warps-and-database-search.md, 5.4.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace workload {

class IndexTree {
 public:
  static constexpr std::uint32_t kPadding = 0xffffffffu;
  static constexpr std::uint64_t kFanOut = 961;  // of a row node
  static constexpr unsigned kNodeWords = 1024;   // of a row node

  // levels: of row nodes, 1 to 3; three are 887,503,680 keys.
  explicit IndexTree(unsigned levels) : levels_(levels) {}

  unsigned levels() const { return levels_; }
  std::uint64_t keys() const { return power(levels_) - 1; }
  std::uint64_t row_nodes() const { return (power(levels_) - 1) / (kFanOut - 1); }
  std::uint64_t bytes() const { return row_nodes() * kNodeWords * 4; }

  // The key that `rank` keys are less than. One more is no key.
  static std::uint32_t key(std::uint64_t rank) { return static_cast<std::uint32_t>(4 * rank + 2); }

  // The word at a place of the tree; place < bytes() / 4.
  std::uint32_t word(std::uint64_t place) const {
    const std::uint64_t node = place / kNodeWords;
    const std::uint64_t line = place / 32 % 32, lane = place % 32;
    if (lane >= 30) return kPadding;
    unsigned level = 0;
    std::uint64_t first = 0;  // row node of the level
    while (node >= first + power(level)) first += power(level++);
    // Keys below the row node, and those that a child of one of its lines spans.
    const std::uint64_t below = (node - first) * power(levels_ - level), span = power(levels_ - level - 1);
    const std::uint64_t child = line == 0 ? lane * 31 + 30 : (line - 1) * 31 + lane;
    return key(below + (child + 1) * span - 1);
  }
  // The bytes at an offset, any number of them.
  void read(std::uint64_t offset, void* to, std::size_t count) const {
    auto* out = static_cast<unsigned char*>(to);
    while (count != 0) {
      const std::uint32_t value = word(offset / 4);
      const std::size_t skip = offset % 4, part = count < 4 - skip ? count : 4 - skip;
      std::memcpy(out, reinterpret_cast<const unsigned char*>(&value) + skip, part);
      out += part;
      offset += part;
      count -= part;
    }
  }

 private:
  static std::uint64_t power(unsigned exponent) {
    std::uint64_t result = 1;
    while (exponent-- != 0) result *= kFanOut;
    return result;
  }
  unsigned levels_;
};

// Whether look-up number `query` is of a key that no tree has: one of 1024.
inline bool is_absent(unsigned query) { return query % 1024 == 5; }

// The keys of `count` look-ups in the order in which they are made. random: draws 24 bits.
template <class Random>
std::vector<std::uint32_t> look_ups(const IndexTree& tree, unsigned count, Random& random) {
  std::vector<std::uint32_t> keys(count);
  for (unsigned query = 0; query < count; ++query) {
    const std::uint64_t draw = std::uint64_t{random.next()} << 24 | random.next();
    keys[query] = IndexTree::key(draw % tree.keys()) + (is_absent(query) ? 1 : 0);
  }
  return keys;
}

}  // namespace workload
