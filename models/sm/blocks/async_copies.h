// SPDX-License-Identifier: Apache-2.0
// Outstanding asynchronous copies to shared memory (cp.async), by ISA warp and thread. Groups are per thread: a commit
// ages the thread's outstanding copies, and cp.async.wait_group N waits for those older than N groups.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/async_copy.h"
#include "sm/packet.h"

namespace heddle::sm {

class AsyncCopies {
 public:
  bool any() const { return !copies_.empty(); }

  /// A copy issued: adds it to the outstanding copies of the packet's threads.
  void started(const Packet& packet) {
    for (unsigned w = 0; w < packet.word_count; ++w) {
      if (packet.words[w].mask == 0) continue;
      copies_.push_back({&packet, packet.words[w].warp, packet.words[w].mask, next_++, {}});
    }
  }
  /// cp.async.commit_group by threads `mask` of the warp.
  void committed(const isa::WarpState& warp, std::uint32_t mask) {
    for (Copy& copy : copies_) {
      if (copy.warp != &warp) continue;
      for (std::uint32_t lanes = copy.mask & mask; lanes != 0; lanes &= lanes - 1) {
        std::uint8_t& age = copy.age[static_cast<unsigned>(std::countr_zero(lanes))];
        if (age != 0xff) ++age;
      }
    }
  }
  /// Whether thread `lane` has an outstanding copy older than `groups` groups, or with kAll any outstanding copy.
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  bool waits(const isa::WarpState& warp, unsigned lane, std::uint64_t groups) const {
    for (const Copy& copy : copies_) {
      if (copy.warp != &warp || (copy.mask >> lane & 1) == 0) continue;
      if (groups == kAll || copy.age[lane] > groups) return true;
    }
    return false;
  }
  /// Threads of the warp with any outstanding copy.
  std::uint32_t busy(const isa::WarpState& warp) const {
    std::uint32_t mask = 0;
    for (const Copy& copy : copies_) mask |= copy.warp == &warp ? copy.mask : 0;
    return mask;
  }
  /// Defers the threads' arrival at an mbarrier until their outstanding copies are complete.
  void arrive_behind(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses) {
    for (std::uint32_t lanes = addresses.mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      arrivals_.push_back({&op, &warp, lane, next_, addresses.value[lane]});
    }
  }
  /// A copy is complete: performs arrivals that waited only for it.
  void ended(const Packet& packet) {
    std::erase_if(copies_, [&](const Copy& copy) { return copy.packet == &packet; });
    std::erase_if(arrivals_, [&](const Arrival& arrival) {
      for (const Copy& copy : copies_) {
        if (copy.warp == arrival.warp && (copy.mask >> arrival.lane & 1) != 0 && copy.number < arrival.before)
          return false;
      }
      isa::arrive_late(*arrival.op, *arrival.warp, arrival.lane, arrival.offset);
      return true;
    });
  }

 private:
  struct Copy {
    const Packet* packet;
    const isa::WarpState* warp;
    std::uint32_t mask;
    std::uint64_t number;
    std::array<std::uint8_t, isa::kWordThreads> age;  ///< groups committed since, by lane
  };
  struct Arrival {
    const isa::MicroOp* op;
    isa::WarpState* warp;
    unsigned lane;
    std::uint64_t before;  ///< waits for copies with a lower number
    std::uint64_t offset;
  };
  std::vector<Copy> copies_;  // in order of issue
  std::vector<Arrival> arrivals_;
  std::uint64_t next_ = 0;
};

}  // namespace heddle::sm
