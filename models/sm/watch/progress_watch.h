// SPDX-License-Identifier: Apache-2.0
// A look for endless loops on one SM: isa/loop_watch.h for each of its warps. Logic only; changes no cycle.
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
  /// Threads whose states are compared together: an ISA warp, or those that a context may hold where they are more.
  struct Unit {
    isa::LoopWatch loop;
    ContextSet issued_since;  ///< contexts that issued since the state that the loop's are compared with
    ContextSet issued;        ///< and since the look began
    ContextSet absent;        ///< contexts that have not issued in this look, while the others came back to a state
    bool without = false;     ///< the others did

    /// Whether its threads repeat themselves, but for contexts that have not issued since the look began.
    bool repeats() const { return loop.repeats() || (without && !absent.intersects(issued)); }
  };

  /// Memory that only kernels write, and ISA warps of a unit. Before the first look.
  void configure(const isa::DeviceRange& device, unsigned unit_warps) {
    device_ = device;
    unit_warps_ = unit_warps;
  }
  void begin() {
    units_.clear();
    on_ = true;
    changed_ = false;
  }
  void end() { on_ = false; }
  bool on() const { return on_; }
  /// Something happened that a loop does not repeat: the look shows nothing.
  void changed() { changed_ = true; }
  bool saw_change() const { return changed_; }
  /// A look is on and no change was seen: what its units say holds.
  bool looking() const { return on_ && !changed_; }

  /// A memory operation, watched.
  void execute(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses, isa::MemoryPort& port);
  Unit& unit(const isa::WarpState& warp) { return units_[key_of(warp)]; }
  /// Null when nothing of the unit was noted in this look.
  const Unit* find(const isa::WarpState& warp) const {
    const auto found = units_.find(key_of(warp));
    return found == units_.end() ? nullptr : &found->second;
  }
  unsigned unit_warps() const { return unit_warps_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< block slot, place in the block
  Key key_of(const isa::WarpState& warp) const { return {warp.block->slot, warp.index / unit_warps_}; }

  isa::DeviceRange device_;
  unsigned unit_warps_ = 1;
  bool on_ = false, changed_ = false;
  std::map<Key, Unit> units_;
};

}  // namespace heddle::sm
