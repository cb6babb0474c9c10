// SPDX-License-Identifier: Apache-2.0
// How a module that passes payloads on finds its way back: an extension that names the port a request came in by. Tags
// of several modules on one path are chained, so that each sees its own.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

namespace heddle::memory {

class RouteTag final : public tlm::tlm_extension<RouteTag> {
 public:
  unsigned port = 0;
  RouteTag* outer = nullptr;  ///< of the module before this one on the path

  tlm::tlm_extension_base* clone() const override { return nullptr; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// The tags of one module.
class RouteTags {
 public:
  void attach(tlm::tlm_generic_payload& payload, unsigned port) {
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
  static unsigned port(const tlm::tlm_generic_payload& payload) { return payload.get_extension<RouteTag>()->port; }
  /// Removes this module's tag and returns the port.
  unsigned detach(tlm::tlm_generic_payload& payload) {
    RouteTag* tag = payload.get_extension<RouteTag>();
    payload.set_extension(tag->outer);
    idle_.push_back(tag);
    return tag->port;
  }

 private:
  std::vector<std::unique_ptr<RouteTag>> owned_;
  std::vector<RouteTag*> idle_;
};

}  // namespace heddle::memory
