// SPDX-License-Identifier: Apache-2.0
// The two ends of a base-protocol connection (TLM-2.0, approximately timed), with the rules of the memory side: a
// socket moves at most one request and one reply a cycle; a target that had room at the start of the cycle accepts in
// the same call; what arrives in a cycle is worked on from the next, so that the order of processes does not matter.
//
// clang-format off
//   // in a module that is Clocked and BaseProtocolOwner
//   TargetPort in_{"in", domain, *this, *this, 0, {.capacity = 2}};
//   InitiatorPort out_{"out", domain, *this, *this, 0, {}};
//   void tick() override {
//     in_.admit();  out_.admit();                              // those that waited at the door
//     while (auto* reply = out_.front()) { ...; out_.pop(); }  // replies from below
//     if (auto* request = in_.front(); request && out_.can_send()) { in_.pop(); out_.send(*request); }
//     ...
//     in_.sleep(); out_.sleep();                               // asks for the next call
//   }
// clang-format on
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "core/bits.h"
#include "core/kernel/clock.h"
#include "core/kernel/payload.h"

namespace heddle {

using Payload = tlm::tlm_generic_payload;
/// A target socket that nobody need bind: a cache that an SM has no use for stays silent.
using TargetSocket = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
using InitiatorSocket = tlm::tlm_initiator_socket<>;

/// Ports of a module that have something to look at: set by the ports, cleared by their owner.
using PortBits = Bits<128>;

/// What a port asks of its module besides cycles: untimed access. port: the number given to the port.
class BaseProtocolOwner {
 public:
  virtual ~BaseProtocolOwner() = default;
  /// Loosely timed access: same bytes, an honest fixed delay added.
  virtual void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) = 0;
  /// Debug access: bytes without time. Returns the bytes moved.
  virtual unsigned debug(unsigned port, Payload& payload) = 0;
  /// Direct access to the bytes, if what lies below grants it.
  virtual bool direct(unsigned port, Payload& payload, tlm::tlm_dmi& dmi) = 0;
  /// A range of direct access granted earlier by what is below `port` is no longer valid.
  virtual void direct_invalid(unsigned /*port*/, std::uint64_t /*first*/, std::uint64_t /*last*/) {}
};

/// Payloads with the cycle in which each becomes visible, in a ring.
class ArrivalRing {
 public:
  explicit ArrivalRing(unsigned capacity);
  bool empty() const { return count_ == 0; }
  unsigned size() const { return count_; }
  unsigned capacity() const { return capacity_; }
  Payload& front() const { return *ring_[head_].payload; }
  Cycle front_visible() const { return ring_[head_].visible; }
  /// number: 0 .. size() - 1, the oldest first.
  Cycle visible(unsigned number) const { return ring_[(head_ + number) & mask_].visible; }
  /// Of a sender that is ahead, more than the capacity may be there, as those before leave in time.
  void push(Payload& payload, Cycle visible) {
    if (count_ > mask_) [[unlikely]]
      grow();
    ring_[(head_ + count_++) & mask_] = {&payload, visible};
  }
  void pop() {
    head_ = (head_ + 1) & mask_;
    --count_;
  }

 private:
  void grow();

  struct Arrival {
    Payload* payload = nullptr;
    Cycle visible = 0;
  };
  unsigned capacity_;
  std::size_t mask_, head_ = 0;
  unsigned count_ = 0;
  std::vector<Arrival> ring_;
};

/// The rule by which either end admits what arrives: at most one a cycle, by the room at the start of the cycle, so
/// that what leaves in a cycle makes room from the next.
class Admission {
 public:
  explicit Admission(unsigned capacity) : ring(capacity) {}
  /// In the present cycle, or in a past one that it remembers.
  bool room(Cycle now) const {
    if (admitted_at_ == now) return false;
    if (now < left_at_ && left_at_ != kNever) [[unlikely]]
      return ring.size() + left_since(now) < ring.capacity();
    return ring.size() + (left_at_ == now ? left_ : 0) < ring.capacity();
  }
  /// From now on, remembers for some time what leaves in which cycle.
  void remember() { remembers_ = true; }
  /// The first cycle from `from` to `last`, both past, in which there was room; kNever: none.
  Cycle room_since(Cycle from, Cycle last) const;
  void admit(Payload& payload, Cycle now, Cycle visible) {
    admitted_at_ = now;
    ring.push(payload, visible);
  }
  void leave(Cycle now) {
    if (left_at_ != now) {
      left_at_ = now;
      left_ = 0;
    }
    ++left_;
    if (remembers_) remember_departure(now);
    ring.pop();
  }
  ArrivalRing ring;

 private:
  unsigned left_since(Cycle from) const;
  void remember_departure(Cycle now);

  bool remembers_ = false;
  std::vector<Cycle> departures_;  ///< the oldest first
  Cycle admitted_at_ = kNever, left_at_ = kNever;
  unsigned left_ = 0;
};

/// What a sender that is ahead of the owner of a port knows of it: which of its requests will surely find room.
class SureRoom {
 public:
  /// From cycle `from` on the owner will take `takes` more requests, one a cycle, as soon as they are visible.
  void begin(const ArrivalRing& ring, Cycle from, unsigned takes);
  /// For a request sent in cycle `now`, not before those that were sent.
  bool room(Cycle now, unsigned capacity) const;
  void sent(Cycle visible);

 private:
  std::vector<Cycle> leaves_;  ///< by request in the port: when it surely has left; kNever: not known
  unsigned takes_ = 0;
  Cycle last_ = 0;
};

struct TargetPortParameters {
  unsigned capacity = 2;  ///< requests accepted and not yet taken; 2 sustain one a cycle
  Cycle latency = 1;      ///< cycles from arrival until a request is visible; >= 1
};

class TargetPort final : private tlm::tlm_fw_transport_if<> {
 public:
  /// owner: woken when a request becomes visible or a reply may follow. number: handed back to `untimed`.
  TargetPort(const char* name, ClockDomain& domain, Clocked& owner, BaseProtocolOwner& untimed, unsigned number,
             const TargetPortParameters& parameters);

  TargetSocket socket;

  /// Has another module than the owner send the replies, in a domain of the same frequency.
  void answered_by(ClockDomain& domain, Clocked& replier) {
    reply_domain_ = &domain;
    replier_ = &replier;
  }
  /// Lets the owner of many ports find those with requests without looking at all: the port sets its bit when one
  /// comes.
  void watch(PortBits& bits, unsigned bit) {
    watched_ = &bits;
    watched_bit_ = bit;
  }
  /// Nothing accepted and nothing at the door.
  bool idle() const { return requests_.ring.empty() && waiting_ == nullptr; }

  /// Start of the owner's cycle: admits a request that waited at the door, if there is room.
  void admit() {
    if (waiting_ != nullptr) admit_waiting();
  }
  /// The oldest visible request, or null.
  Payload* front() const {
    return !requests_.ring.empty() && requests_.ring.front_visible() <= domain_.now() ? &requests_.ring.front()
                                                                                      : nullptr;
  }
  /// Takes the oldest request. The port's reference to it goes with respond().
  void pop();
  unsigned waiting() const { return requests_.ring.size(); }

  // -- windows
  /// The part from which the requests come.
  void sent_by(ClockDomain& part) { sender_ = &part; }
  /// All cycles before `from` are done; the owner has room for `takes` more requests behind the port.
  void expect(Cycle from, unsigned takes);
  /// The end of the last reply is not known yet.
  bool answering() const { return responding_ != nullptr; }
  /// Somebody waits for it.
  bool waits_to_respond() const { return wants_to_respond_; }

  /// A reply may be sent in this cycle.
  bool can_respond() const { return respond_from_ <= reply_domain_->now(); }
  /// Asks for a call in the cycle in which the next reply may be sent.
  void wait_to_respond() {
    if (respond_from_ != kNever) {
      reply_domain_->wake(*replier_, respond_from_);
    } else {
      wants_to_respond_ = true;
    }
  }
  /// Sends a reply, whose status is set; can_respond().
  void respond(Payload& payload);

  /// Tells the initiator that its request missed; before its reply.
  void report_miss(Payload& payload) {
    tlm::tlm_phase phase = LINE_MISSED;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(payload, phase, delay);
  }

  /// End of the owner's cycle: asks for the cycle in which the next request becomes visible. Owners that leave a
  /// visible request in place are told by what they wait for.
  void sleep() {
    if (!requests_.ring.empty() && requests_.ring.front_visible() > domain_.now())
      domain_.wake(owner_, requests_.ring.front_visible());
  }
  /// Direct access granted earlier is no longer valid.
  void invalidate_direct(std::uint64_t first, std::uint64_t last) {
    if (socket.get_base_port().size() != 0) socket->invalidate_direct_mem_ptr(first, last);
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { untimed_.blocking(number_, payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return untimed_.debug(number_, payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return untimed_.direct(number_, payload, dmi);
  }
  bool keeps(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  bool admits_ahead(Payload& payload, const sc_core::sc_time& delay);
  bool admits_late(Payload& payload, Cycle now);
  /// A request has come: the owner has to look at the port, in cycle `at` at the latest unless that is kNever.
  void announce(Cycle at);
  void admit_waiting();
  void response_ended(Cycle next);

  ClockDomain& domain_;
  Clocked& owner_;
  ClockDomain* reply_domain_;  ///< of the replier
  Clocked* replier_;           ///< sends the replies
  BaseProtocolOwner& untimed_;
  unsigned number_;
  Cycle latency_;
  Admission requests_;
  SureRoom sure_;
  ClockDomain* sender_ = nullptr;  ///< null: not told
  Payload* waiting_ = nullptr;     // at the door: no END_REQ yet
  Cycle waiting_from_ = 0;         // cycle in which it arrived, with its annotated delay
  Cycle waiting_edge_ = 0;         // first edge at which that time has come
  PortBits* watched_ = nullptr;
  unsigned watched_bit_ = 0;
  Payload* responding_ = nullptr;  // no END_RESP yet
  Cycle respond_from_ = 0;         // kNever while responding_
  bool wants_to_respond_ = false;
};

struct InitiatorPortParameters {
  unsigned capacity = 2;  ///< replies accepted and not yet taken; 2 sustain one a cycle
  Cycle latency = 1;      ///< cycles from arrival until a reply is visible; >= 1
};

class InitiatorPort final : private tlm::tlm_bw_transport_if<> {
 public:
  /// owner: woken when a reply becomes visible, and when a request may follow that wait_to_send() asked about.
  InitiatorPort(const char* name, ClockDomain& domain, Clocked& owner, BaseProtocolOwner& untimed, unsigned number,
                const InitiatorPortParameters& parameters);

  InitiatorSocket socket;

  /// Has another module than the owner take the replies, in a domain of the same frequency.
  void replies_to(ClockDomain& domain, Clocked& taker) {
    reply_domain_ = &domain;
    taker_ = &taker;
  }
  /// As TargetPort::watch(), for replies.
  void watch(PortBits& bits, unsigned bit) {
    watched_ = &bits;
    watched_bit_ = bit;
  }
  /// No reply accepted and none at the door.
  bool idle() const { return replies_.ring.empty() && early_.empty(); }

  /// Start of the owner's cycle: admits a reply that waited at the door, if there is room.
  void admit() {
    if (!early_.empty()) admit_early();
  }
  /// A request may be sent in this cycle.
  bool can_send() const { return send_from_ <= domain_.now(); }
  /// Sends a request; can_send(). The caller keeps its reference until it has taken the reply.
  void send(Payload& payload);
  /// Asks for a call in the cycle in which the next request may be sent.
  void wait_to_send() {
    if (send_from_ != kNever) {
      domain_.wake(owner_, send_from_);
    } else {
      wants_to_send_ = true;
    }
  }

  /// The oldest visible reply, or null.
  Payload* front() const {
    return !replies_.ring.empty() && replies_.ring.front_visible() <= reply_domain_->now() ? &replies_.ring.front()
                                                                                           : nullptr;
  }
  /// Takes the oldest reply.
  void pop();
  /// As TargetPort::sleep().
  void sleep() {
    if (!replies_.ring.empty() && replies_.ring.front_visible() > reply_domain_->now())
      reply_domain_->wake(*taker_, replies_.ring.front_visible());
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    untimed_.direct_invalid(number_, first, last);
  }
  bool keeps(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void end_response(Payload& payload);
  void request_ended(Cycle next);
  /// A reply that came with the call of its request.
  void take_early_reply(Payload& payload, const sc_core::sc_time& delay, bool wants_end);
  /// Takes a reply that arrives now, if there is room and no delay; keeps it as early otherwise.
  bool take_reply(Payload& payload, const sc_core::sc_time& delay, bool wants_end);
  void admit_early();

  ClockDomain& domain_;
  Clocked& owner_;
  ClockDomain* reply_domain_;  ///< of the taker
  Clocked* taker_;             ///< takes the replies
  BaseProtocolOwner& untimed_;
  unsigned number_;
  Cycle latency_;
  Admission replies_;
  Payload* requesting_ = nullptr;  // no END_REQ yet
  Cycle send_from_ = 0;            // kNever while requesting_
  bool wants_to_send_ = false;
  PortBits* watched_ = nullptr;
  unsigned watched_bit_ = 0;
  // Replies that came before there was room, or whose annotated delay has not passed, by cycle of arrival. One at most
  // still wants its END_RESP; those completed by their target want none.
  struct Early {
    Payload* payload;
    Cycle from;  ///< cycle of arrival
    Cycle edge;  ///< first edge at which that time has come
    bool wants_end;
  };
  std::vector<Early> early_;
};

}  // namespace heddle
