// SPDX-License-Identifier: Apache-2.0
// The memory stage (LSU): coalesces packets into transactions and sends these to the caches over base-protocol sockets.
// A packet completes when its last line has returned.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/kernel/link.h"
#include "core/kernel/payload.h"
#include "core/kernel/request_port.h"
#include "sm/issue/event_wheel.h"
#include "sm/memory/coalescer.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class MemoryStage final : public Stage, public RequestPortOwner {
 public:
  enum class Way : std::uint8_t { data, constant, texture };
  struct Reports {
    Cycle return_wait = kNever;  ///< GroupingTraits::return_wait
    bool misses = false;         ///< also report packets that missed
  };
  /// reports: what to report to the issue stage.
  MemoryStage(sc_core::sc_module_name name, SmContext& sm, const Reports& reports);

  LinkIn<PacketHandle> packets;
  LinkOut<PacketHandle> to_shared;
  LinkIn<PacketHandle> from_shared;  ///< packets that also access the caches
  LinkOut<PacketHandle> done;
  LinkOut<MemoryReport> reports;
  RequestPort data, constant, texture;  ///< to the caches

  void cycle() override;
  /// Charges the cycles up to and including `until` in which the stage slept with stalled ports.
  void settle(Cycle until);
  void reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  void accepted(const RequestPort&, Cycle from) override { wake(from); }
  void missed(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  /// Whether misses must be reported to the issue stage.
  bool wants_misses() const { return wanted_.misses; }
  /// States that the cache behind a way reports misses. Otherwise every access to the way counts as a miss when it is
  /// sent. Call it while the machine is built.
  void expect_misses(Way way) { told_[static_cast<std::size_t>(way)] = true; }
  /// Requests with an outstanding reply, including stores.
  std::size_t outstanding() const { return payloads_.outstanding(); }

 private:
  /// An access group: packets whose addresses coalesce together, and their transactions.
  struct alignas(64) Access {
    std::vector<PacketHandle> packets;  ///< by member; empty handles for packets without transactions
    PacketHandle only;                  ///< the packet if there is only one, so that replies find it quickly
    std::size_t to_reply = 0;           ///< transactions with an outstanding reply
    std::vector<Transaction> transactions;
    // End of the host cache line: replies seldom need the members below.
    Way way = Way::data;
    AccessKind kind = AccessKind::load;
    bool local = false;
    bool coherent = false;
    bool waits = true;     ///< waits for replies; false for stores
    std::uint32_t pc = 0;  ///< PC of its first packet
    std::uint64_t group = 0;
    std::uint64_t number = 0;   ///< unique per access
    std::vector<bool> partial;  ///< by transaction of a store: does not write all bytes of its range
    std::size_t sent = 0;
    std::vector<bool> back;  ///< by transaction: reply received; only if return_wait is used
  };
  void take_packets();
  /// The access of the packet's group and kind begun in this cycle, or a new one.
  Access& access_of(Packet& packet);
  void add(Access& access, Packet& packet);
  void seal_accesses();
  /// Counts accesses in which not all live threads of the ISA warps take part; narrow warps count separately.
  void count_partial(const Access& access);
  void send_transactions();
  void send(Access& access, std::uint32_t index, RequestPort& port);
  struct Reply {
    tlm::tlm_generic_payload* payload;
    std::uint64_t tag;  ///< RequestInfo::access
    Cycle visible;
  };
  /// Schedules a wake-up if something can be sent in the next cycle.
  void look_at_ports();
  /// Marks for report the packets whose requests missed before this cycle.
  void take_misses();
  void note_miss(Packet& packet);
  void report_misses();
  void take_replies(std::vector<Reply>& replies);
  void finish_packets();
  /// For packets whose return_wait has elapsed, reports the threads whose lines have returned.
  void report_returns();
  /// Threads of the packet, by position in its context, all of whose bytes are in returned lines.
  ThreadSet served(const Packet& packet, const Access& access) const;
  void declare_state();
  RequestPort& port_of(Way way) { return way == Way::data ? data : way == Way::constant ? constant : texture; }
  std::uint64_t local_address(const PacketWord& word, unsigned lane, std::uint64_t offset) const;

  SmContext& sm_;
  const Reports wanted_;
  PayloadPool payloads_;
  Coalescer coalescer_, constant_lines_;
  std::vector<std::unique_ptr<Access>> accesses_;  ///< storage; requests refer to accesses by index
  std::vector<std::uint32_t> idle_accesses_;
  std::uint64_t begun_ = 0;            ///< number of accesses so far
  std::vector<std::uint32_t> opened_;  ///< accesses begun in this cycle, in order
  std::vector<std::uint32_t> queue_;   ///< accesses with transactions to send, in order
  unsigned stalled_ports_ = 0;         ///< ports that had not accepted their last transaction when the stage last ran
  Cycle worked_ = 0;                   ///< cycle in which the stage last ran
  std::array<std::vector<Reply>, 3> replies_;  ///< by way, because caches may reply in any order within a cycle
  std::vector<PacketHandle> ended_;
  struct Missed {
    std::uint64_t tag;  ///< RequestInfo::access
    Cycle visible;
  };
  std::vector<Missed> missed_;           ///< misses reported by the caches
  std::vector<PacketHandle> to_report_;  ///< packets whose miss has not been reported
  std::array<bool, 3> told_ = {};        ///< by way: its cache reports misses
  struct Watched {
    std::uint32_t access;
    std::uint64_t number;  ///< Access::number
    Cycle due;
  };
  std::vector<Watched> watched_;  ///< accesses with all lines requested, in order; only if return_wait is used
  StatisticsGroup group_;
  Counter access_count_, loads_, stores_, atomics_, transactions_, replies_counted_, port_stalls_;
  Histogram per_access_;
  Counter partial_accesses_, partial_coalesced_;
  ModuleState state_;
  ProbeGroup::SignalId address_, kind_, pc_;
};

}  // namespace heddle::sm
