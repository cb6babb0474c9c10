// SPDX-License-Identifier: Apache-2.0
#include "memory/multiplexer.h"

#include <string>

namespace heddle::memory {

Multiplexer::Multiplexer(sc_core::sc_module_name name, ClockDomain& domain, unsigned inputs)
    : sc_module(name), domain_(domain), below_("out", domain, *this, *this, 0, {}) {
  for (unsigned i = 0; i < inputs; ++i) {
    above_.push_back(std::make_unique<TargetPort>(("in" + std::to_string(i)).c_str(), domain, *this,
                                                  static_cast<BaseProtocolOwner&>(*this), i, TargetPortParameters{}));
  }
  domain_.add(*this);
}

Multiplexer::~Multiplexer() = default;

void Multiplexer::tick() {
  below_.admit();
  for (auto& port : above_) port->admit();

  // 1. The oldest reply, if its initiator takes it.
  if (Payload* const reply = below_.front()) {
    TargetPort& port = *above_[RouteTags::port(*reply)];
    if (port.can_respond()) {
      below_.pop();
      tags_.detach(*reply);
      port.respond(*reply);
    }
    if (Payload* const next = below_.front()) above_[RouteTags::port(*next)]->wait_to_respond();
  }

  // 2. One request, inputs in turn.
  const auto count = static_cast<unsigned>(above_.size());
  bool more = false;
  bool sent = !below_.can_send();
  const unsigned first = turn_;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = first + i < count ? first + i : first + i - count;
    TargetPort& port = *above_[number];
    if (!sent && port.front() != nullptr) {
      Payload& payload = *port.front();
      port.pop();
      tags_.attach(payload, number);
      turn_ = number + 1 == count ? 0 : number + 1;
      below_.send(payload);
      sent = true;
    }
    more = more || port.front() != nullptr;
    port.sleep();
  }
  if (more) below_.wait_to_send();
  below_.sleep();
}

}  // namespace heddle::memory
