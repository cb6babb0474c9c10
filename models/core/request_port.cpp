// SPDX-License-Identifier: Apache-2.0
#include "core/request_port.h"

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
        // An early reply: it ends the request too, and is answered by END_RESP.
        phase = tlm::END_RESP;
        socket->nb_transport_fw(payload, phase, delay);
        owner_.reply(*this, payload);
      }
      break;
    case tlm::TLM_COMPLETED:
      owner_.reply(*this, payload);
      break;
  }
}

tlm::tlm_sync_enum RequestPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time&) {
  // END_REQ, or BEGIN_RESP, which also ends its own request when END_REQ was left out.
  if (waiting_ == &payload) {
    waiting_ = nullptr;
    free_from_ = domain_.arrival_cycle();
    owner_.accepted(*this);
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  owner_.reply(*this, payload);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

}  // namespace heddle
