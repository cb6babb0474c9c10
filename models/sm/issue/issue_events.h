// SPDX-License-Identifier: Apache-2.0
// Scheduled events of contexts. They share one wheel, which gives the events of a cycle a defined order.
#pragma once

#include "sm/issue/event_wheel.h"
#include "sm/packet.h"

namespace heddle::sm {

struct IssueEvent {
  enum class Kind : std::uint8_t {
    release,         ///< release the registers of a fixed-latency packet
    resolve,         ///< resolve a branch
    end_barrier,     ///< let threads proceed past a barrier
    leave_pipeline,  ///< a packet its context waits for leaves the pipeline
    wake_up,         ///< end of a nanosleep
  };
  Kind kind = Kind::release;
  ContextId context = kNoContext;
  PacketHandle packet;
  bool late = false;  ///< already postponed for late operands
};
using IssueEvents = EventWheel<IssueEvent>;

}  // namespace heddle::sm
