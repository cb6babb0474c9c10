// SPDX-License-Identifier: Apache-2.0
// Return routing for modules that pass payloads on. Heddle's own payloads record the input port in their RequestInfo,
// one byte per module on the path, the most recent in the low byte; a foreign payload gets an extension instead.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

#include "core/kernel/payload.h"

namespace heddle::memory {

/// The port of a foreign payload. Tags of several modules on a path are chained, so that each sees its own.
class RouteTag final : public tlm::tlm_extension<RouteTag> {
 public:
  unsigned port = 0;
  RouteTag* outer = nullptr;  ///< tag of the previous module on the path

  tlm::tlm_extension_base* clone() const override { return nullptr; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// Ports of one module, 0 .. 255, attached to the payloads it has passed on. At most eight modules on a path.
class RouteTags {
 public:
  void attach(tlm::tlm_generic_payload& payload, unsigned port) {
    if (RequestInfo* info = RequestInfo::of(payload)) {
      info->route = info->route << 8 | port;
    } else {
      attach_foreign(payload, port);
    }
  }
  static unsigned port(const tlm::tlm_generic_payload& payload) {
    const RequestInfo* info = RequestInfo::of(payload);
    return info != nullptr ? static_cast<unsigned>(info->route & 0xff) : payload.get_extension<RouteTag>()->port;
  }
  /// Removes this module's port from the path.
  void detach(tlm::tlm_generic_payload& payload) {
    if (RequestInfo* info = RequestInfo::of(payload)) {
      info->route >>= 8;
    } else {
      detach_foreign(payload);
    }
  }

 private:
  void attach_foreign(tlm::tlm_generic_payload& payload, unsigned port) {
    RouteTag* tag = nullptr;
    if (idle_.empty()) {
      owned_.push_back(std::make_unique<RouteTag>());
      tag = owned_.back().get();
    } else {
      tag = idle_.back();
      idle_.pop_back();
    }
    tag->port = port;
    tag->outer = payload.set_extension(tag);
  }
  void detach_foreign(tlm::tlm_generic_payload& payload) {
    RouteTag* tag = payload.get_extension<RouteTag>();
    payload.set_extension(tag->outer);
    idle_.push_back(tag);
  }

  std::vector<std::unique_ptr<RouteTag>> owned_;
  std::vector<RouteTag*> idle_;
};

}  // namespace heddle::memory
