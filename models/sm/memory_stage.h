// SPDX-License-Identifier: Apache-2.0
// The memory stage: packets become transactions by the coalescing rule, transactions go to the caches over
// base-protocol sockets, a packet is done when its last line is back.
#pragma once

#include <deque>
#include <vector>

#include "core/link.h"
#include "core/payload.h"
#include "sm/coalescer.h"
#include "sm/event_wheel.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// One cache port of the memory stage: an approximately-timed initiator that sends a request a cycle and takes replies
/// early.
class CachePort final : public tlm::tlm_bw_transport_if<> {
 public:
  CachePort(const char* name, class MemoryStage& owner) : socket(name), owner_(owner) { socket.bind(*this); }
  tlm::tlm_base_initiator_socket<> socket;

  /// Whether a request may be sent now: the one before has been accepted.
  bool free() const { return !waiting_; }
  void send(tlm::tlm_generic_payload& payload);

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  MemoryStage& owner_;
  bool waiting_ = false;  ///< for END_REQ
};

class MemoryStage final : public Stage {
 public:
  MemoryStage(sc_core::sc_module_name name, SmContext& sm);

  LinkIn<Packet*> packets;
  LinkOut<Packet*> to_shared;
  LinkIn<Packet*> from_shared;
  LinkOut<Packet*> done;
  CachePort data, constant, texture;

  void cycle() override;
  /// A reply came to one of the ports.
  void reply(tlm::tlm_generic_payload& payload);
  /// A port can take the next request.
  void port_freed() { wake(now() + 1); }
  /// Requests whose reply is still to come, stores included.
  std::size_t outstanding() const { return payloads_.outstanding(); }

 private:
  enum class Way : std::uint8_t { data, constant, texture };
  struct Work {
    Packet* packet = nullptr;
    Way way = Way::data;
    AccessKind kind = AccessKind::load;
    std::vector<Transaction> transactions;
    std::size_t sent = 0;
    std::uint8_t bytes = 4;
  };
  void take_packets();
  void start(Packet& packet);
  void split(Work& work);
  void send_transactions();
  void take_replies();
  void finish_packets();
  CachePort& port_of(Way way) { return way == Way::data ? data : way == Way::constant ? constant : texture; }
  std::uint64_t local_address(const PacketWord& word, unsigned lane, std::uint64_t offset) const;

  SmContext& sm_;
  PayloadPool payloads_;
  Coalescer coalescer_, constant_lines_;
  std::deque<Work> queue_;
  std::vector<Work> idle_work_;
  struct Reply {
    tlm::tlm_generic_payload* payload;
    Cycle at;
  };
  std::vector<Reply> replies_;
  std::vector<Packet*> ended_;
  StatisticsGroup group_;
  Counter accesses_, loads_, stores_, atomics_, transactions_, replies_counted_, port_stalls_;
  Histogram per_access_;
};

}  // namespace heddle::sm
