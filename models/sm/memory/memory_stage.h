// SPDX-License-Identifier: Apache-2.0
// The memory stage (LSU): coalesces packets into transactions and sends these to the caches over base-protocol sockets.
// A packet completes when its last line has returned. It composes the parts in sm/memory/, which share the table of
// access groups, and calls them in a fixed order; see cycle().
#pragma once

#include "core/kernel/link.h"
#include "core/kernel/request_port.h"
#include "sm/memory/access_table.h"
#include "sm/memory/cache_addresses.h"
#include "sm/memory/memory_display.h"
#include "sm/memory/memory_reporter.h"
#include "sm/memory/memory_requests.h"
#include "sm/memory/memory_statistics.h"
#include "sm/memory/open_groups.h"
#include "sm/memory/packet_completion.h"
#include "sm/memory/transaction_queue.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class MemoryStage final : public Stage, public RequestPortOwner {
 public:
  /// wanted: what to report to the issue stage.
  MemoryStage(sc_core::sc_module_name name, SmContext& sm, const MemoryReporter::Wanted& wanted);

  // -- sockets
  LinkIn<PacketHandle> packets;
  LinkOut<PacketHandle> to_shared;
  LinkIn<PacketHandle> from_shared;  ///< packets that also access the caches
  LinkOut<PacketHandle> done;
  LinkOut<MemoryReport> reports;
  RequestPort data, constant, texture;  ///< to the caches

  void cycle() override;

  /// Charges the cycles up to and including `until` in which the stage slept with stalled ports.
  void settle(Cycle until) { statistics_.settle(until); }
  /// Whether misses must be reported to the issue stage.
  bool wants_misses() const { return reporter_.wants_misses(); }
  /// See MemoryReporter. Call these while the machine is built.
  void want_misses() { reporter_.want_misses(); }
  void expect_misses(CachePath path) { reporter_.expect_misses(path); }
  /// Requests, also stores, whose reply it has not taken. Modules on the way may hold a request for longer.
  std::size_t unanswered() const { return unanswered_; }

  // -- from the ports
  void reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  void missed(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  void accepted(const RequestPort&, Cycle from) override { wake(from); }

 private:
  // -- the cycle, in this order
  void take_packets();
  void seal_groups();
  void send_transactions();
  void report();
  void finish_packets();
  void sleep_or_stay();

  /// The cycle from which on the packet at the head may enter.
  Cycle may_enter(const Packet& packet) const;
  /// An access that waits for further packets keeps no other out, since these may be behind it.
  bool full() const { return queue_.size() + open_.closing() >= sm_.parameters.memory_queue; }
  void enter(Packet& packet);
  /// Sends the group's next transaction. Whether it has more.
  bool send(std::uint32_t index, RequestPort& port);
  RequestPort& port_of(CachePath path) {
    return path == CachePath::data ? data : path == CachePath::constant ? constant : texture;
  }

  SmContext& sm_;
  AccessTable table_;
  CacheAddresses addresses_;
  OpenGroups open_;
  TransactionQueue queue_;
  MemoryRequests requests_;
  std::size_t unanswered_ = 0;
  PacketCompletion completion_;
  MemoryReporter reporter_;
  MemoryStatistics statistics_;
  MemoryDisplay display_;
  std::uint64_t last_shared_ = 0;  ///< access group of the last packet that went to shared memory
};

}  // namespace heddle::sm
