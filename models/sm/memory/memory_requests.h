// SPDX-License-Identifier: Apache-2.0
// The requests that carry transactions to the caches.
#pragma once

#include <cstdint>

#include "core/kernel/payload.h"
#include "sm/memory/access_table.h"

namespace heddle::sm {

class MemoryRequests {
 public:
  /// sm: number in the machine.
  explicit MemoryRequests(SmId sm) : sm_(sm) {}

  /// A request for the group's next transaction. index: of the group. reports_miss: RequestInfo::reports_miss.
  tlm::tlm_generic_payload& take(const AccessGroup& group, std::uint32_t index, bool reports_miss) {
    const AccessClass& what = group.what;
    const Transaction& transaction = group.next();
    PooledPayload& payload = payloads_.take(what.writes() ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                            transaction.address, transaction.bytes);
    RequestInfo& info = payload.info;
    info.kind = what.kind;
    info.local = what.local;
    info.coherent = what.coherent;
    info.sectors = transaction.sectors;
    info.partial = what.kind == AccessKind::store && group.partial[group.sent];
    info.sm = sm_;
    if (group.only) {
      info.warp = group.first_warp;
      info.pc = group.pc;
      info.keep_row_open = what.kind == AccessKind::load && group.row_hint;
    } else {
      name_members(group, transaction, info);
    }
    info.reports_miss = reports_miss;
    info.access = what.waits() ? AccessTag(index, group.sent).bits() : 0;
    return payload;
  }
  /// RequestInfo::access of a request made by take(). Needs no look at its type, which costs another host cache line.
  static std::uint64_t tag_of(const tlm::tlm_generic_payload& payload) {
    return static_cast<const PooledPayload&>(payload).info.access;
  }
  /// Requests that nobody has released, including stores.
  std::size_t outstanding() const { return payloads_.outstanding(); }

 private:
  /// Who asks, for a transaction of some of the group's packets.
  static void name_members(const AccessGroup& group, const Transaction& transaction, RequestInfo& info) {
    const Packet& packet = group.first_of(transaction.members);
    info.warp = packet.warp;
    info.pc = packet.op->pc;
    if (group.what.kind == AccessKind::load) {
      group.for_members(transaction.members, [&info](const Packet& member) {
        info.keep_row_open = info.keep_row_open || member.op->row_hint;
      });
    }
  }

  SmId sm_;
  PayloadPool payloads_;
};

}  // namespace heddle::sm
