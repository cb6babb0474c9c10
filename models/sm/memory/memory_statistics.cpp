// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/memory_statistics.h"

namespace heddle::sm {

MemoryStatistics::MemoryStatistics(StatisticsOwner& owner)
    : group_(owner, "memory"),
      accesses_(group_, "accesses", "memory instructions that reached the memory stage", unit::kAccesses),
      loads_(group_, "loads", "accesses that are loads", unit::kAccesses),
      stores_(group_, "stores", "accesses that are stores or reductions", unit::kAccesses),
      atomics_(group_, "atomics", "accesses that are atomics", unit::kAccesses),
      transactions_(group_, "transactions", "transactions sent to the caches", unit::kTransactions),
      replies_(group_, "replies", "transactions whose reply has arrived", unit::kReplies),
      port_stalls_(group_, "port_stalls", "cycles in which a transaction waited until its cache accepted the last one",
                   unit::kCycles),
      per_access_(group_, "transactions_per_access", "global and local accesses by number of transactions",
                  unit::kAccesses, Buckets::linear(1, 1, 32)),
      partial_accesses_(group_, "partial_accesses",
                        "global and local accesses in which not all live threads of the ISA warps take part",
                        unit::kAccesses),
      partial_coalesced_(group_, "partial_coalesced",
                         "partial accesses by two or more threads that coalesce into one transaction",
                         unit::kAccesses) {
  Derived(group_, "replays", "transactions of global and local accesses beyond the first of each access",
          unit::kTransactions, [this](const StatisticsView& v) {
            return v.bucket(per_access_, per_access_.buckets()) - v.total(per_access_);
          });
  Derived(group_, "mean_transactions", "mean transactions per global or local access", unit::kRatio,
          [this](const StatisticsView& v) { return v.mean(per_access_); });
}

void MemoryStatistics::sealed(const AccessGroup& group) {
  ++accesses_;
  switch (group.what.kind) {
    case AccessKind::store:
    case AccessKind::reduction:
      ++stores_;
      break;
    case AccessKind::atomic:
      ++atomics_;
      break;
    default:
      ++loads_;
      break;
  }
  if (group.what.path != CachePath::data || group.transactions.empty()) return;
  per_access_.record(group.transactions.size());
  count_partial(group);
}

void MemoryStatistics::count_partial(const AccessGroup& group) {
  std::uint32_t absent = 0;
  for (const PacketHandle& packet : group.packets) {
    for (unsigned w = 0; w < packet->word_count; ++w) {
      const PacketWord& word = packet->words[w];
      if (word.mask != 0) absent |= word.warp->live & word.own & ~word.mask;
    }
  }
  if (absent == 0) return;
  ++partial_accesses_;
  if (group.transactions.size() == 1 && group.transactions.front().threads > 1) ++partial_coalesced_;
}

}  // namespace heddle::sm
