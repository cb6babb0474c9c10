// SPDX-License-Identifier: Apache-2.0
// Pending copies to shared memory (cp.async) of one warp, for checkers. In functional mode their data has already
// moved; on hardware it may not have.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/checks/race_shadow.h"
#include "isa/async_copy.h"
#include "isa/operands.h"

namespace heddle::gpu {

/// A pending copy by one thread.
struct CopyInFlight {
  /// The thread arrives at an mbarrier object once the copy is complete.
  struct Arrival {
    std::uint64_t object = 0;
    bool phase = false;  ///< phase of the object that the arrival belongs to
  };
  unsigned lane = 0;
  std::uint32_t bytes = 0;
  std::uint64_t place = 0;   ///< offset in shared memory
  std::uint64_t groups = 0;  ///< commit groups since the copy
  Stamp stamp;               ///< of the copy as a store
  Stamp behind;              ///< stamp of the first arrival
  std::vector<Arrival> arrivals;

  bool overlaps(std::uint64_t at, std::uint64_t size) const { return at < place + bytes && place < at + size; }
};

class CopiesInFlight {
 public:
  const std::vector<CopyInFlight>& all() const { return copies_; }
  /// Adds a copy. It replaces an earlier copy by the same thread to the same destination, passed to dropped(copy).
  template <typename Dropped>
  void started(CopyInFlight copy, Dropped&& dropped) {
    end([&](const CopyInFlight& other) {
      const bool same = other.lane == copy.lane && other.place == copy.place && other.bytes == copy.bytes;
      if (same) dropped(other);
      return same;
    });
    copies_.push_back(std::move(copy));
  }
  /// cp.async.commit_group by the threads `mask`.
  void committed(std::uint32_t mask) {
    for (CopyInFlight& copy : copies_) copy.groups += mask >> copy.lane & 1;
  }
  /// cp.async.wait_group or wait_all by the threads `mask`: calls land(copy) for each copy complete after it.
  template <typename Land>
  void waited(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask, Land&& land) {
    const isa::OperandBases bases(warp);
    end([&](const CopyInFlight& copy) {
      if ((mask >> copy.lane & 1) == 0) return false;
      if (op.source_count > 0 && copy.groups <= isa::value_of(op.sources[0], bases, copy.lane)) return false;
      land(copy);
      return true;
    });
  }
  /// cp.async.mbarrier.arrive by one thread.
  void arrives(unsigned lane, const CopyInFlight::Arrival& arrival, const Stamp& now) {
    for (CopyInFlight& copy : copies_) {
      if (copy.lane != lane) continue;
      if (copy.arrivals.empty()) copy.behind = now;
      copy.arrivals.push_back(arrival);
    }
  }
  /// Removes the copies for which ends(copy) holds.
  template <typename Ends>
  void end(Ends&& ends) {
    std::erase_if(copies_, ends);
  }

 private:
  std::vector<CopyInFlight> copies_;
};

}  // namespace heddle::gpu
