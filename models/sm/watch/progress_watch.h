// SPDX-License-Identifier: Apache-2.0
// Detects endless loops on one SM, using isa/loop_watch.h for each of its warps during a limited look. Logic only; does
// not affect timing.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "isa/loop_watch.h"
#include "isa/memory_watch.h"
#include "sm/packet.h"

namespace heddle::sm {

class ProgressWatch {
 public:
  /// Threads whose states are compared together: an ISA warp, or more if a context may hold more.
  struct Unit {
    isa::LoopWatch loop;
    ContextSet issued_since;  ///< contexts that issued since the reference state
    ContextSet issued;        ///< contexts that issued since the look began
    ContextSet absent;        ///< contexts that had not issued when the others returned to a state
    bool without = false;     ///< the others returned to a state without `absent`

    /// Whether the unit's threads repeat their states, disregarding contexts that have not issued in this look.
    bool repeats() const { return loop.repeats() || (without && !absent.intersects(issued)); }
  };

  /// Sets the memory that only kernels write and the number of ISA warps per unit. Call before the first look.
  void configure(const isa::DeviceRange& device, unsigned unit_warps) {
    device_ = device;
    unit_warps_ = unit_warps;
  }
  void begin() {
    units_.clear();
    served_ = 0;
    on_ = true;
    changed_ = false;
  }
  void end() { on_ = false; }
  bool on() const { return on_; }
  /// Something happened that a loop would not repeat, so the look is inconclusive.
  void changed() { changed_ = true; }
  bool saw_change() const { return changed_; }
  /// A look is active and has seen no change, so the findings of its units are valid.
  bool looking() const { return on_ && !changed_; }

  /// An operation of this execution unit issued.
  void serves(isa::Unit unit) { served_ |= 1U << static_cast<unsigned>(unit); }
  /// Whether any operation of the execution unit issued in this look.
  bool served(isa::Unit unit) const { return (served_ >> static_cast<unsigned>(unit) & 1) != 0; }

  /// Executes a memory operation and records its changes.
  void execute(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses, isa::MemoryPort& port);
  Unit& unit(const isa::WarpState& warp) { return units_[key_of(warp)]; }
  /// Null if nothing was recorded for the unit in this look.
  const Unit* find(const isa::WarpState& warp) const {
    const auto found = units_.find(key_of(warp));
    return found == units_.end() ? nullptr : &found->second;
  }
  unsigned unit_warps() const { return unit_warps_; }

 private:
  using Key = std::pair<BlockSlot, std::uint32_t>;  ///< and index in the block
  Key key_of(const isa::WarpState& warp) const { return {warp.block->slot, warp.index / unit_warps_}; }

  isa::DeviceRange device_;
  unsigned unit_warps_ = 1;
  bool on_ = false, changed_ = false;
  std::uint32_t served_ = 0;  ///< by execution unit
  std::map<Key, Unit> units_;
};

}  // namespace heddle::sm
