// SPDX-License-Identifier: Apache-2.0
// The cache module: L1 data, constant, texture and instruction caches and the slices of the L2 are this one model with
// other parameters. Base-protocol sockets above and below; tags only, no bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "core/base_port.h"
#include "core/cache_events.h"
#include "core/call.h"
#include "core/payload.h"
#include "core/services.h"
#include "memory/address_map.h"
#include "memory/cache_parameters.h"
#include "memory/cache_statistics.h"
#include "memory/functional.h"
#include "memory/ring_queue.h"

namespace heddle::memory {

/// What a cache is told beside its parameters.
struct CacheSetting {
  unsigned sockets = 1;                      ///< sockets above
  std::uint64_t seed = 0;                    ///< of the configuration, for replacement by lot
  std::shared_ptr<const AddressMap> slices;  ///< an L2 slice: sets are chosen by the address within the slice
  bool of_one_sm = false;                    ///< coherent loads pass it: stores of other SMs do not show in it
};

class Cache final : public sc_core::sc_module, public Clocked, public CacheUse, private BaseProtocolOwner {
 public:
  Cache(sc_core::sc_module_name name, ClockDomain& domain, const CacheParameters& parameters,
        const StatisticsGroup& statistics, Services& services, const CacheSetting& setting = {});
  ~Cache() override;

  /// Requests come in here. i: 0 .. setting.sockets - 1.
  TargetSocket& in(unsigned i = 0) { return sockets_[i]->port.socket; }
  /// Misses and what is passed on go out here.
  InitiatorSocket& out() { return below_.socket; }
  /// For a reader that knows by listening which lines are here, and asks only for those that are not.
  CallExport<CacheUse> uses;

  /// One cycle: fills, look-ups, requests below, replies.
  void tick() override;

  /// Drops all lines, as at the end of a kernel; what is dirty in them is not written below (local memory dies with its
  /// threads). Lines on their way still arrive.
  void invalidate();
  /// Makes a line present and clean without time, as after a copy by the host.
  void preload(std::uint64_t address);
  void used(std::uint64_t address) override;
  /// One more listener, called behind those there are; null: nobody.
  void listen(CacheListener* listener) {
    if (listener != nullptr) listeners_.push_back(listener);
  }

  const CacheStatistics& statistics() const { return counts_; }
  std::uint64_t line_bytes() const { return std::uint64_t{1} << tags_.line_bits(); }
  /// Bytes it holds.
  std::uint64_t capacity() const { return line_bytes() * tags_.sets() * tags_.ways(); }
  /// Requests taken and not yet answered, and lines on their way: nothing to do when 0.
  unsigned busy() const { return open_accesses_ + waiting_replies_ + misses_.used(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  enum class Action : std::uint8_t { kRead, kStore, kAtomic, kPassedRead };
  /// Why the oldest request of a socket cannot be looked up; what frees it looks again.
  enum class Stall : std::uint8_t { kNone, kMissTable, kMerge, kWays, kMissQueue, kReplies, kWrites };

  /// A request as the look-up sees it.
  struct Request {
    Payload* payload;
    RequestInfo* info;  // null: foreign
    AccessKind kind;
    Action action;
    std::uint32_t requester;
  };
  /// One line of a request.
  struct Piece {
    std::uint64_t line;  // number of the line in memory
    unsigned set;
    SectorMask sectors;  // wanted
    bool whole;          // a store that covers its sectors
  };
  /// A request that waits for something.
  struct Access {
    Payload* payload = nullptr;
    unsigned socket = 0;
    unsigned waiting = 0;    // sectors and passed-on requests to come
    bool looked_up = false;  // all its lines
    bool foreign = false;
    Action action = Action::kRead;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    std::uint32_t next_free = kNone;
  };
  /// A request of our own to the level below.
  struct Child {
    enum class Kind : std::uint8_t { kFill, kPassedOn, kWriteBack } kind = Kind::kFill;
    bool sent = false;
    bool carries_bytes = false;
    Payload* payload = nullptr;
    std::uint32_t access = kNone;  // kPassedOn
    std::uint64_t line = 0;        // kFill
    TagArray::Place place = 0;
    SectorMask sectors = 0;
    std::uint32_t owner = 0;
    Cycle requested = 0;
    std::uint32_t next_free = kNone;
    std::vector<unsigned char> bytes;  // for a target below that refuses byte enables
  };
  struct Reply {
    Payload* payload = nullptr;
    Cycle due = 0;
    bool foreign = false;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };
  struct Socket {
    Socket(const char* name, ClockDomain& domain, Cache& cache, unsigned number, const TargetPortParameters& p)
        : port(name, domain, cache, cache, number, p) {}
    TargetPort port;
    RingQueue<Reply> hits;   // in order of their due cycle
    RingQueue<Reply> ready;  // due
    Stall stall = Stall::kNone;
    std::uint64_t stall_key = 0;  // entry (kMerge) or set (kWays)
    Cycle stalled_from = 0;
    Cycle bank_wait_from = kNever;  // since when its oldest request waits for a bank
    Cycle refused_from = kNever;    // since when its oldest request is refused, where there are several sockets
    std::uint64_t lines_done = 0;   // of the oldest request, when it spans several
    std::uint32_t access = kNone;   // of that request
  };
  struct Outgoing {
    std::uint32_t child = 0;
    Cycle ready = 0;
  };

  // Steps of a cycle.
  void take_replies_from_below();
  void look_up();
  void send_below();
  void reply();

  // Look-up. Each gives false, and changes nothing but the stall, when the request must wait.
  Request classify(Payload& payload) const;
  Piece piece_of(const Request& request, std::uint64_t line) const;
  unsigned set_of(std::uint64_t line) const;
  bool look_up_oldest(unsigned socket);
  unsigned bank_of(unsigned set) const { return set & (parameters_.banks - 1); }
  bool bank_is_free(unsigned socket, unsigned set);
  void hold_bank(unsigned set, Cycle cycles);
  bool look_up_piece(unsigned socket, const Request& request, const Piece& piece);
  bool hit(const Request& request, const Piece& piece, TagArray::Place place);
  bool miss(unsigned socket, const Request& request, const Piece& piece, TagArray::Place place);
  bool store(unsigned socket, const Request& request, const Piece& piece, TagArray::Place place);
  bool allocate_whole(unsigned socket, const Request& request, const Piece& piece);
  bool allocate_through(unsigned socket, const Request& request, const Piece& piece);
  bool pass_on(unsigned socket, const Request& request, const Piece& piece, TagArray::Place place);
  bool stall(unsigned socket, Stall why, std::uint64_t key = 0);
  void refused(unsigned socket);
  void served(unsigned socket);
  /// Whether another socket, refused for longer, waits for more of the same.
  bool kept_for_elder(unsigned socket, Stall why) const {
    return elder_ != kNone && elder_ != socket && sockets_[elder_]->stall == why;
  }
  void resume(Stall why, std::uint64_t key = 0);
  Access& access_of(unsigned socket, const Request& request);
  Cycle atomic_turn();
  void looked_up(unsigned socket, const Request& request);
  void finish(std::uint32_t access);

  // Requests of our own to the level below.
  bool room_below(unsigned socket, unsigned requests) const {
    return (outgoing_.empty() || outgoing_.size() + requests <= outgoing_capacity_) &&
           !kept_for_elder(socket, Stall::kMissQueue);
  }
  std::uint32_t new_child(Child::Kind kind, tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                          const RequestInfo* parent);
  void fetch(const Request& request, const Piece& piece, TagArray::Place place, SectorMask sectors,
             std::uint32_t access);
  /// Nobody hears of it without a listener.
  void tell(const CacheEvent& event) {
    for (CacheListener* listener : listeners_) listener->cache_event(event);
  }
  void evicted(const TagArray::Evicted& gone, std::uint32_t requester, bool write_back);
  void reply_from_below(Payload& payload);
  TagArray::Place place_for(std::uint64_t line, std::uint32_t owner);
  void filled(std::uint32_t number, tlm::tlm_response_status status);
  void passed_on(const Child& child, tlm::tlm_response_status status);
  void release_child(std::uint32_t child);
  void carry_bytes(Child& child);
  void move_bytes(Payload& payload, const DebugAccess& below) { bytes_.move(payload, below); }
  bool writes_under_way(const Payload& payload) const;
  bool replies_full() const;
  void tell(CacheEvent::What what, const Request& request, std::uint64_t line, std::uint32_t owner);

  // Untimed access.
  void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) override;
  unsigned debug(unsigned, Payload& payload) override { return below_.socket->transport_dbg(payload); }
  bool direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) override {
    return below_.socket->get_direct_mem_ptr(payload, dmi);
  }
  void direct_invalid(unsigned, std::uint64_t first, std::uint64_t last) override;

  void learn_uses(Cycle before);
  void declare_structures(Services& services, const std::string& path);

  ClockDomain& domain_;
  CacheParameters parameters_;
  CacheSetting setting_;
  TagArray tags_;
  MissTable misses_;
  std::vector<std::unique_ptr<Socket>> sockets_;
  InitiatorPort below_;
  BytesBelow bytes_{name()};
  PayloadPool pool_;
  RingQueue<Outgoing> outgoing_;
  std::size_t outgoing_capacity_;
  std::vector<Access> accesses_;
  std::vector<Child> children_;
  std::vector<std::uint32_t> child_of_entry_;
  std::uint32_t free_access_ = kNone, free_child_ = kNone;
  unsigned open_accesses_ = 0, waiting_replies_ = 0;
  unsigned turn_ = 0;            // socket whose request is looked up first
  unsigned stalled_ = 0;         // sockets
  std::uint32_t elder_ = kNone;  // of the sockets, the one that is refused longest
  bool fill_waits_ = false;
  bool refuses_byte_enables_ = false;
  Cycle data_free_ = 0, fill_free_ = 0, atomic_free_ = 0;
  std::vector<Cycle> bank_free_;  // by bank; empty without banks
  Cycle bank_wake_ = kNever;      // in this cycle: when the first of the banks frees that a socket waits for
  Cycle reply_due_ = 0;           // of the request being looked up, if it hits
  std::vector<CacheListener*> listeners_;
  std::vector<std::uint64_t> uses_;  // lines used in cycle uses_at_, of which the tags have not learnt
  Cycle uses_at_ = 0;
  CacheStatistics counts_;
  std::vector<std::unique_ptr<Structure>> structures_;
  ProbeGroup probe_;
  ProbeGroup::SignalId looked_up_line_ = 0, outcome_ = 0;
};

}  // namespace heddle::memory
