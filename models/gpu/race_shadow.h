// SPDX-License-Identifier: Apache-2.0
// What the race checker remembers of memory: for every place the last plain store, and who has accessed it since. A
// place is four bytes, or one once somebody accessed only some of the four.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::gpu {

/// Accesses by threads of one warp at one time.
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

struct Place {
  struct More;

  Stamp writer;                ///< the last plain store
  Stamp first;                 ///< one of the accesses since
  std::uint32_t value = 0;     ///< what the store wrote
  std::uint32_t phase = 0;     ///< of the block, in shared memory: what was before it is ordered
  std::unique_ptr<More> more;  ///< the other accesses; the bytes

  /// Takes the place of earlier accesses of the same kind by the same threads. At most `most` are kept, if not 0; which
  /// one goes is arbitrary.
  void add(const Stamp& stamp, std::uint32_t most);
  /// Calls visit(stamp) for all that are remembered since the last plain store.
  template <typename Visit>
  void for_each_access(Visit&& visit) const;
  /// A plain store: it stands for all that was before.
  void store(const Stamp& stamp, std::uint32_t written);
  void clear();
  /// The place of every byte, made at first use.
  Place* bytes();
  bool split() const;
};

struct Place::More {
  std::vector<Stamp> accesses;
  std::unique_ptr<std::array<Place, 4>> bytes;
};

template <typename Visit>
void Place::for_each_access(Visit&& visit) const {
  if (first.mask != 0) visit(first);
  if (more == nullptr) return;
  for (const Stamp& stamp : more->accesses) visit(stamp);
}

/// Places of global memory, in pages made when they are touched.
class GlobalShadow {
 public:
  Place& at(std::uint64_t address);
  void clear();

 private:
  static constexpr std::uint64_t kPageWords = 64;
  using Page = std::array<Place, kPageWords>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace heddle::gpu
