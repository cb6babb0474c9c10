// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/link.h"

namespace heddle {

namespace {

const char* partner(bool sends) { return sends ? "receiver" : "sender"; }

}  // namespace

const LinkBinding* LinkBinding::end_inside() const {
  const LinkBinding* socket = this;
  while (socket != nullptr && !socket->end_) socket = socket->inside_;
  return socket;
}

/// The stage's own socket, if there is one.
std::string LinkBinding::end_name() const {
  const LinkBinding* const end = end_inside();
  return (end != nullptr ? *end : *this).socket_.name();
}

/// The end that a socket leads to: the stage's own socket where it can be found.
std::string LinkBinding::far_end_name() const {
  const LinkBinding* socket = leads_to_;
  while (socket->side_ == side_ && socket->leads_to_ != nullptr) socket = socket->leads_to_;
  return socket->side_ == side_ ? socket->socket_.name() : socket->end_name();
}

void LinkBinding::refuse_second(const LinkBinding& other) const {
  const bool sends = side_ == Side::sends;
  const std::string first = far_end_name(), second = other.end_name();
  if (first == second) fail(ExitCode::configuration, "link {}: bound to {} twice", end_name(), first);
  fail(ExitCode::configuration, "link {}: bound to {} and to {}; a link has one {}", end_name(), first, second,
       partner(sends));
}

void LinkBinding::pair(LinkBinding& sender, LinkBinding& receiver) {
  if (sender.leads_to_ != nullptr) sender.refuse_second(receiver);
  if (receiver.leads_to_ != nullptr) receiver.refuse_second(sender);
  for (const LinkBinding* socket : {&sender, &receiver}) {
    if (socket->end_inside() != nullptr) continue;
    const LinkBinding& other = socket == &sender ? receiver : sender;
    fail(ExitCode::configuration,
         "link {}: bound to {}, which leads to no stage; a socket that hands on is bound from the inside first",
         other.end_name(), socket->socket_.name());
  }
  sender.leads_to_ = &receiver;
  receiver.leads_to_ = &sender;
}

void LinkBinding::forward(LinkBinding& inner, LinkBinding& outer) {
  if (inner.leads_to_ != nullptr) inner.refuse_second(outer);
  if (outer.end_) {
    fail(ExitCode::configuration, "link {}: bound to {}, which is the end of another stage and not a {}",
         inner.end_name(), outer.socket_.name(), partner(inner.side_ == Side::sends));
  }
  if (outer.inside_ != nullptr) {
    fail(ExitCode::configuration, "link {}: bound to {}, which hands on for {} already", inner.end_name(),
         outer.socket_.name(), outer.end_name());
  }
  inner.leads_to_ = &outer;
  outer.inside_ = &inner;
}

void LinkBinding::check_bound(int partners) const {
  if (partners != 0) return;
  const LinkBinding* last = end_inside();
  if (last == nullptr) {
    fail(ExitCode::configuration, "link {}: hands on for no stage: nothing inside is bound to it", socket_.name());
  }
  while (last->leads_to_ != nullptr) last = last->leads_to_;
  const bool sends = side_ == Side::sends;
  if (last->end_) fail(ExitCode::configuration, "link {}: bound to no {}", last->socket_.name(), partner(sends));
  fail(ExitCode::configuration, "link {}: bound to {}, which is bound to no {}", end_name(), last->socket_.name(),
       partner(sends));
}

void LinkBinding::check_terms(const LinkTerms& terms, unsigned width, const ClockDomain& clock) const {
  const std::string ends = std::string(socket_.name()) + " to " + terms.receiver;
  if (terms.clock == nullptr || &terms.clock->whole() != &clock.whole()) {
    fail(ExitCode::configuration,
         "link {}: the sender counts cycles of {}, the receiver of {}; both ends need one clock", ends, clock.name(),
         terms.clock == nullptr ? "no clock" : terms.clock->name());
  }
  if (terms.capacity == 0 || terms.width == 0) {
    fail(ExitCode::configuration,
         "link {}: the receiver grants {} credits and takes {} transfers a cycle: nothing could be sent", ends,
         terms.capacity, terms.width);
  }
  if (terms.width < width) {
    fail(ExitCode::configuration, "link {}: the sender counts on {} transfers a cycle, the receiver takes {}", ends,
         width, terms.width);
  }
}

}  // namespace heddle
