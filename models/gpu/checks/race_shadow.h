// SPDX-License-Identifier: Apache-2.0
// Shadow memory of the race checker: per location, the last plain store and the accesses since. A location is four
// bytes, or one byte once the word has been accessed partially.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::gpu {

/// Accesses by threads of one warp at the same time.
struct Stamp {
  std::uint32_t block = 0;  ///< linear index in the grid
  std::uint16_t warp = 0;
  bool writes = false;
  bool strong = false;     ///< atomic, volatile or with a memory order: such accesses do not race with each other
  std::uint32_t mask = 0;  ///< lanes; 0: none
  std::uint32_t phase = 0, clock = 0, pc = 0;

  bool same_kind(const Stamp& other) const {
    return block == other.block && warp == other.warp && writes == other.writes && strong == other.strong;
  }
  bool same_time(const Stamp& other) const { return phase == other.phase && clock == other.clock && pc == other.pc; }
};

struct Location {
  struct More;

  Stamp writer;                ///< the last plain store
  Stamp first;                 ///< one of the accesses since
  std::uint32_t value = 0;     ///< what the store wrote
  std::uint32_t phase = 0;     ///< shared memory: phase of the block; earlier accesses are ordered
  std::unique_ptr<More> more;  ///< further accesses; byte locations

  /// Replaces earlier accesses of the same kind by the same threads. Keeps at most `most` unless 0, dropping an
  /// arbitrary one.
  void add(const Stamp& stamp, std::uint32_t most);
  /// Calls visit(stamp) for each access recorded since the last plain store.
  template <typename Visit>
  void for_each_access(Visit&& visit) const;
  /// Records a plain store, which supersedes all earlier accesses.
  void store(const Stamp& stamp, std::uint32_t written);
  void clear();
  /// Per-byte locations, created on first use.
  Location* bytes();
  bool split() const;
};

struct Location::More {
  std::vector<Stamp> accesses;
  std::unique_ptr<std::array<Location, 4>> bytes;
};

template <typename Visit>
void Location::for_each_access(Visit&& visit) const {
  if (first.mask != 0) visit(first);
  if (more == nullptr) return;
  for (const Stamp& stamp : more->accesses) visit(stamp);
}

/// Locations of global memory, in pages created on first access.
class GlobalShadow {
 public:
  Location& at(std::uint64_t address);
  void clear();

 private:
  static constexpr std::uint64_t kPageWords = 64;
  using Page = std::array<Location, kPageWords>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace heddle::gpu
