// SPDX-License-Identifier: Apache-2.0
#include "memory/storage_port.h"

namespace heddle::memory {

void StoragePort::move(tlm::tlm_generic_payload& payload) {
  if (RequestInfo::of(payload) != nullptr) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  bytes_.move(payload, [this](tlm::tlm_generic_payload& run) { return debug(run); });
}

}  // namespace heddle::memory
