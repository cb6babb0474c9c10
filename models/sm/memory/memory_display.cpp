// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/memory_display.h"

namespace heddle::sm {

namespace {

/// By AccessKind.
const TextTable kAccessKinds = {"load",     "store",   "atomic",   "reduction", "instruction",
                                "constant", "texture", "prefetch", "write_back"};

}  // namespace

MemoryDisplay::MemoryDisplay(const SmContext& sm, const Shown& shown)
    : state_(sm.services, sm.path("memory"), sm.domain()),
      address_(state_.signals.pulse("address", 64, "address of the transaction sent; the last of a cycle")),
      kind_(state_.signals.pulse("kind", 4, "kind of access of that transaction", &kAccessKinds)),
      pc_(state_.signals.pulse("pc", 32, "program counter of the instruction of that transaction")) {
  state_.signals.show(address_, Radix::hexadecimal);
  // More may come while the first is held.
  state_.signals.changes_by_time(
      state_.signals.add("waiting", 8, "packets that wait to enter", [&in = shown.packets] { return in.occupancy(); }));
  // Replies may come from a cache outside of the SM.
  state_.signals.changes_by_time(state_.signals.add("outstanding", 12, "transactions with an outstanding reply",
                                                    [&requests = shown.requests] { return requests.outstanding(); }));
  state_.signals.add("ended", 8, "packets that wait for room at write-back",
                     [&completion = shown.completion] { return completion.ended(); });
  Structure& queue = state_.traced_structure(
      "queue", "accesses with transactions to send, in order", sm.parameters.memory_queue,
      {{"valid", 1, 1, 1}, {"kind", 4, 1, 1}, {"pc", 32, 1, 1}, {"transactions", 10, 1, 1}, {"sent", 10, 1, 1}});
  queue.first_used([&groups = shown.queue] { return groups.size(); });
  queue.read([&groups = shown.queue, &table = shown.table](std::size_t i, std::size_t field) -> std::uint64_t {
    if (i >= groups.size()) return 0;
    const AccessGroup& group = table[groups[i]];
    switch (field) {
      case 0:
        return 1;
      case 1:
        return static_cast<std::uint64_t>(group.what.kind);
      case 2:
        return group.pc;
      case 3:
        return group.transactions.size();
      default:
        return group.sent;
    }
  });
}

void MemoryDisplay::show(const AccessGroup& group) {
  const Transaction& transaction = group.next();
  state_.signals.fire(address_, transaction.address);
  state_.signals.fire(kind_, static_cast<std::uint64_t>(group.what.kind));
  state_.signals.fire(pc_, group.first_of(transaction.members).op->pc);
}

}  // namespace heddle::sm
