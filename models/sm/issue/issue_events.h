// SPDX-License-Identifier: Apache-2.0
// What happens to a context at a known cycle, on one wheel, so that the events of a cycle have one order.
#pragma once

#include "sm/issue/event_wheel.h"
#include "sm/packet.h"

namespace heddle::sm {

struct IssueEvent {
  enum class Kind : std::uint8_t {
    release,         ///< the registers of a packet of fixed latency
    resolve,         ///< a branch
    end_barrier,     ///< threads may go on behind a barrier
    leave_pipeline,  ///< a packet that its context waits for
    wake_up,         ///< from nanosleep
  };
  Kind kind;
  ContextId context = kNoContext;
  PacketHandle packet;
  bool late = false;  ///< put off by what the packet's operands came late
};
using IssueEvents = EventWheel<IssueEvent>;

}  // namespace heddle::sm
