// SPDX-License-Identifier: Apache-2.0
// Which SM gets the next thread block, and of which launch. A policy is one file; it knows no SystemC.
#pragma once

#include <cstdint>
#include <optional>

#include "core/config/mechanism.h"
#include "core/identifier.h"

namespace heddle::gpu {

/// A block of one of the launches under way for an SM.
struct BlockGrant {
  SmId sm;
  unsigned launch = 0;  ///< position in DispatchView: 0 is the oldest
};

/// What a dispatch policy may look at.
class DispatchView {
 public:
  virtual ~DispatchView() = default;
  virtual unsigned sms() const = 0;
  /// Launches under way, oldest first: 0 .. launches()-1.
  virtual unsigned launches() const = 0;
  /// Number of the launch, from 1 in the order in which launches were made.
  virtual std::uint64_t launch_id(unsigned launch) const = 0;
  /// Whether the launch has blocks that may be dispatched in this cycle.
  virtual bool has_blocks(unsigned launch) const = 0;
  /// Whether the SM can take one block of the launch in this cycle, and start at least a part of its warps.
  virtual bool has_room(SmId sm, unsigned launch) const = 0;
  /// Whether it can start all of them.
  virtual bool has_room_for_all(SmId sm, unsigned launch) const = 0;

  /// The oldest launch that has blocks; none: there is none.
  std::optional<unsigned> oldest_with_blocks() const {
    for (unsigned launch = 0; launch < launches(); ++launch) {
      if (has_blocks(launch)) return launch;
    }
    return std::nullopt;
  }
};

class DispatchPolicy {
 public:
  /// sms: number of SMs of the machine.
  using MakeArguments = void(unsigned sms);
  virtual ~DispatchPolicy() = default;
  /// A cycle begins in which blocks may be dispatched.
  virtual void begin_cycle() {}
  /// The next block of this cycle; none: no more in it. Asked again until there is none, or as many as
  /// gpu.dispatcher.blocks_per_cycle allows are out. Must satisfy has_blocks() and has_room().
  virtual std::optional<BlockGrant> next(const DispatchView& view) = 0;
};

}  // namespace heddle::gpu
