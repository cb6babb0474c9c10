// SPDX-License-Identifier: Apache-2.0
// An initiator's end of the base protocol for one that looks when it sends and takes replies in the call: one request
// that is not yet accepted at a time. InitiatorPort (base_port.h) is for modules that queue and answer on edges.
#pragma once

#include <tlm>

#include "core/kernel/clock.h"

namespace heddle {

class RequestPort;

/// Who sends through the port.
class RequestPortOwner {
 public:
  virtual ~RequestPortOwner() = default;
  /// A reply came, within the call of whoever sends it. visible: the first edge after its time, annotated delay and
  /// all: what it brings counts from that cycle.
  virtual void reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) = 0;
  /// A request that asked for it missed in a cache, whose reply is still to come. visible: as above.
  virtual void missed(const RequestPort& /*port*/, tlm::tlm_generic_payload& /*payload*/, Cycle /*visible*/) {}
  /// A request that had to wait was accepted: the next may be sent from cycle `from` on.
  virtual void accepted(const RequestPort& /*port*/, Cycle /*from*/) {}
};

class RequestPort final : public tlm::tlm_bw_transport_if<> {
 public:
  RequestPort(const char* name, ClockDomain& domain, RequestPortOwner& owner)
      : socket(name), domain_(domain), owner_(owner) {
    socket.bind(*this);
  }
  tlm::tlm_base_initiator_socket<> socket;

  /// Whether a request may be sent in this cycle. An acceptance counts from the cycle after it came, so that the order
  /// of calls within a cycle does not show.
  bool free(Cycle cycle) const { return waiting_ == nullptr && cycle >= free_from_; }
  /// Whether the last request has not been accepted.
  bool held() const { return waiting_ != nullptr; }
  /// Sends a request; free().
  void send(tlm::tlm_generic_payload& payload);

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  ClockDomain& domain_;
  RequestPortOwner& owner_;
  const tlm::tlm_generic_payload* waiting_ = nullptr;  ///< for END_REQ
  Cycle free_from_ = 0;                                ///< first edge after the last acceptance that took time
};

}  // namespace heddle
