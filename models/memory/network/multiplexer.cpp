// SPDX-License-Identifier: Apache-2.0
#include "memory/network/multiplexer.h"

#include <string>

namespace heddle::memory {

Multiplexer::Multiplexer(sc_core::sc_module_name name, ClockDomain& domain, const std::vector<std::string>& inputs,
                         Services& services, const std::string& path)
    : sc_module(name),
      domain_(domain),
      below_("out", domain, *this, *this, 0, {}),
      input_names_(inputs.begin(), inputs.end()),
      state_(services, path, domain.whole().name()),
      request_from_(state_.signals.pulse("request_from", 4, "source of the request passed on", &input_names_)),
      address_(state_.signals.pulse("address", 64, "its address")),
      reply_to_(state_.signals.pulse("reply_to", 4, "destination of the reply passed back", &input_names_)) {
  state_.signals.show(address_, Radix::hexadecimal);
  for (unsigned i = 0; i < inputs.size(); ++i) {
    above_.push_back(std::make_unique<TargetPort>(("in" + std::to_string(i)).c_str(), domain, *this,
                                                  static_cast<BaseProtocolOwner&>(*this), i, TargetPortParameters{}));
    above_.back()->watch(with_requests_, i);
    // More requests may come while it waits for room.
    state_.signals.changes_by_time(state_.signals.add(inputs[i] + "_waiting", 4,
                                                      "requests of " + inputs[i] + " that wait for their turn",
                                                      [this, i] { return above_[i]->waiting(); }));
  }
  domain_.add(*this);
}

Multiplexer::~Multiplexer() = default;

void Multiplexer::tick() {
  // 1. The oldest reply, if its initiator accepts it.
  below_.admit();
  if (Payload* const reply = below_.front()) {
    const unsigned number = RouteTags::port(*reply);
    TargetPort& port = *above_[number];
    if (port.can_respond()) {
      if (state_.signals.on()) state_.signals.fire(reply_to_, number);
      below_.pop();
      tags_.detach(*reply);
      port.respond(*reply);
    }
    if (Payload* const next = below_.front()) above_[RouteTags::port(*next)]->wait_to_respond();
  }
  below_.sleep();

  // 2. One request, round robin.
  if (with_requests_.none()) return;
  PortBits ready;
  const PortBits ports = with_requests_;
  ports.for_each([&](std::size_t i) {
    above_[i]->admit();
    if (above_[i]->front() != nullptr) ready.set(i);
  });
  if (ready.any() && below_.can_send()) {
    std::size_t number = ready.next(turn_);
    if (number >= above_.size()) number = ready.first();
    TargetPort& port = *above_[number];
    Payload& payload = *port.front();
    port.pop();
    tags_.attach(payload, static_cast<unsigned>(number));
    turn_ = static_cast<unsigned>(number + 1);
    if (state_.signals.on()) {
      state_.signals.fire(request_from_, number);
      state_.signals.fire(address_, payload.get_address());
    }
    below_.send(payload);
    if (port.front() == nullptr) ready.reset(number);
  }
  if (ready.any()) below_.wait_to_send();
  ports.for_each([&](std::size_t i) {
    above_[i]->sleep();
    if (above_[i]->idle()) with_requests_.reset(i);
  });
}

}  // namespace heddle::memory
