// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/request_port.h"

#include "core/kernel/payload.h"

namespace heddle {

void RequestPort::send(tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  switch (socket->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      waiting_ = &payload;
      break;
    case tlm::TLM_UPDATED:
      if (phase == tlm::BEGIN_RESP) {
        // An early reply: it ends the request too, and is answered by END_RESP when its time comes.
        const Cycle visible = domain_.arrival_cycle_after(delay);
        phase = tlm::END_RESP;
        socket->nb_transport_fw(payload, phase, delay);
        owner_.reply(*this, payload, visible);
      } else if (delay != sc_core::SC_ZERO_TIME) {
        free_from_ = domain_.arrival_cycle_after(delay);
        owner_.accepted(*this, free_from_);
      }
      break;
    case tlm::TLM_COMPLETED:
      owner_.reply(*this, payload, domain_.arrival_cycle_after(delay));
      break;
  }
}

tlm::tlm_sync_enum RequestPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == LINE_MISSED) {
    owner_.missed(*this, payload, domain_.arrival_cycle_after(delay));
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // ignorable phases of others
  // END_REQ, or BEGIN_RESP, which also ends its own request when END_REQ was left out.
  const Cycle visible = domain_.arrival_cycle_after(delay);
  if (waiting_ == &payload) {
    waiting_ = nullptr;
    free_from_ = visible;
    owner_.accepted(*this, visible);
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  owner_.reply(*this, payload, visible);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

}  // namespace heddle
