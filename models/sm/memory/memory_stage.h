// SPDX-License-Identifier: Apache-2.0
// The memory stage: packets become transactions by the coalescing rule, transactions go to the caches over
// base-protocol sockets, a packet is done when its last line is back.
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
    bool misses = false;         ///< of packets that missed, too
  };
  /// reports: what it is to tell the issue stage.
  MemoryStage(sc_core::sc_module_name name, SmContext& sm, const Reports& reports);

  LinkIn<PacketHandle> packets;
  LinkOut<PacketHandle> to_shared;
  LinkIn<PacketHandle> from_shared;  ///< those that go to the caches too
  LinkOut<PacketHandle> done;
  LinkOut<MemoryReport> reports;
  RequestPort data, constant, texture;  ///< to the caches

  void cycle() override;
  /// Charges the cycles up to `until`, that one included, in which nothing but its ports kept the stage.
  void settle(Cycle until);
  void reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  void accepted(const RequestPort&, Cycle from) override { wake(from); }
  void missed(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  /// Whether the issue stage has to hear of misses.
  bool wants_misses() const { return wanted_.misses; }
  /// Behind this way is a cache that reports misses. Without one every access misses when it is sent. While the machine
  /// is built.
  void expect_misses(Way way) { told_[static_cast<std::size_t>(way)] = true; }
  /// Requests whose reply is still to come, stores included.
  std::size_t outstanding() const { return payloads_.outstanding(); }

 private:
  /// An access group: packets whose addresses coalesce together, and their transactions.
  struct alignas(64) Access {
    std::vector<PacketHandle> packets;  ///< by member; none once a packet without transactions has ended
    PacketHandle only;         ///< the packet where there is one, when transactions are known: replies look no further
    std::size_t to_reply = 0;  ///< transactions whose reply is to come
    std::vector<Transaction> transactions;
    // The line of the host's cache ends here: replies seldom need what follows.
    Way way = Way::data;
    AccessKind kind = AccessKind::load;
    bool local = false;
    bool coherent = false;
    bool waits = true;     ///< for replies: stores do not
    std::uint32_t pc = 0;  ///< of its first packet
    std::uint64_t group = 0;
    std::uint64_t number = 0;   ///< one an access
    std::vector<bool> partial;  ///< by transaction of a store: leaves bytes of its range as they are
    std::size_t sent = 0;
    std::vector<bool> back;  ///< by transaction, where somebody wants to hear of it before all are
  };
  void take_packets();
  /// The access that the packet belongs to: of its group and kind, begun in this cycle; else a new one.
  Access& access_of(Packet& packet);
  void add(Access& access, Packet& packet);
  void seal_accesses();
  /// Counts an access that not all threads of its ISA warps take part in, narrow warps each for themselves.
  void count_partial(const Access& access);
  void send_transactions();
  void send(Access& access, std::uint32_t index, RequestPort& port);
  struct Reply {
    tlm::tlm_generic_payload* payload;
    std::uint64_t tag;  ///< RequestInfo::access
    Cycle visible;
  };
  /// Wakes the stage for what can be sent in the next cycle.
  void look_at_ports();
  /// Packets of requests that were found to miss before this cycle are to be reported.
  void take_misses();
  void note_miss(Packet& packet);
  void report_misses();
  void take_replies(std::vector<Reply>& replies);
  void finish_packets();
  /// Packets whose lines have been asked for long enough: tells which of their threads have theirs.
  void report_returns();
  /// Threads of the packet, by place in its context, whose bytes are all in lines that came back.
  ThreadSet served(const Packet& packet, const Access& access) const;
  void declare_state();
  RequestPort& port_of(Way way) { return way == Way::data ? data : way == Way::constant ? constant : texture; }
  std::uint64_t local_address(const PacketWord& word, unsigned lane, std::uint64_t offset) const;

  SmContext& sm_;
  const Reports wanted_;
  PayloadPool payloads_;
  Coalescer coalescer_, constant_lines_;
  std::vector<std::unique_ptr<Access>> accesses_;  ///< storage; requests name an access by its index
  std::vector<std::uint32_t> idle_accesses_;
  std::uint64_t begun_ = 0;            ///< accesses so far
  std::vector<std::uint32_t> opened_;  ///< begun in this cycle, in order
  std::vector<std::uint32_t> queue_;   ///< with transactions to send, in order
  unsigned stalled_ports_ = 0;         ///< that had not accepted their last transaction when the stage last worked
  Cycle worked_ = 0;                   ///< when that was
  std::array<std::vector<Reply>, 3> replies_;  ///< by way: caches may reply in any order within a cycle
  std::vector<PacketHandle> ended_;
  struct Missed {
    std::uint64_t tag;  ///< RequestInfo::access
    Cycle visible;
  };
  std::vector<Missed> missed_;           ///< as the caches tell
  std::vector<PacketHandle> to_report_;  ///< packets that missed
  std::array<bool, 3> told_ = {};        ///< by way: its cache reports misses
  struct Watched {
    std::uint32_t access;
    std::uint64_t number;  ///< Access::number
    Cycle due;
  };
  std::vector<Watched> watched_;  ///< accesses whose lines have all been asked for, in order, where that is of interest
  StatisticsGroup group_;
  Counter access_count_, loads_, stores_, atomics_, transactions_, replies_counted_, port_stalls_;
  Histogram per_access_;
  Counter partial_accesses_, partial_coalesced_;
  ModuleState state_;
  ProbeGroup::SignalId address_, kind_, pc_;
};

}  // namespace heddle::sm
