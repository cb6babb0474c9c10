// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory (cp.async) of one warp that nothing has waited for yet, for checkers. In functional mode
// their bytes have moved; on hardware they may not have.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/checks/race_shadow.h"
#include "isa/async_copy.h"
#include "isa/operands.h"

namespace heddle::gpu {

/// One thread's.
struct CopyInFlight {
  /// The thread arrives at an mbarrier object once the copy is complete.
  struct Arrival {
    std::uint64_t object = 0;
    bool phase = false;  ///< of the object, that the arrival belongs to
  };
  unsigned lane = 0;
  std::uint32_t bytes = 0;
  std::uint64_t place = 0;   ///< offset in shared memory
  std::uint64_t groups = 0;  ///< committed since
  Stamp stamp;               ///< of the copy as a store
  Stamp behind;              ///< of the first arrival
  std::vector<Arrival> arrivals;

  bool overlaps(std::uint64_t at, std::uint64_t size) const { return at < place + bytes && place < at + size; }
};

class CopiesInFlight {
 public:
  const std::vector<CopyInFlight>& all() const { return copies_; }
  /// Takes the place of an earlier one of the thread to the same place; dropped(copy) is told of it.
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
  /// cp.async.wait_group or wait_all by the threads `mask`: calls land(copy) for each that is complete behind it.
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
  /// Takes out those for which ends(copy) holds.
  template <typename Ends>
  void end(Ends&& ends) {
    std::erase_if(copies_, ends);
  }

 private:
  std::vector<CopyInFlight> copies_;
};

}  // namespace heddle::gpu
