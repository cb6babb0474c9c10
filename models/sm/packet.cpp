// SPDX-License-Identifier: Apache-2.0
#include "sm/packet.h"

#include "core/error.h"

namespace heddle::sm {

namespace {

std::uint32_t pc_of(const Packet& packet) { return packet.op != nullptr ? packet.op->pc : 0; }

}  // namespace

void fail_ended_packet(const Packet& now_there) {
  fail(ExitCode::internal, "use of a packet that has ended; its slot now holds one of pc {} of context {}",
       pc_of(now_there), now_there.context);
}

void fail_dropped_packet(const Packet& packet) {
  fail(ExitCode::internal, "a packet ended twice; its slot last held one of pc {} of context {}", pc_of(packet),
       packet.context);
}

}  // namespace heddle::sm
