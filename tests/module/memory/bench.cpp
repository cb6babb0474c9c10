// SPDX-License-Identifier: Apache-2.0
#include "tests/module/memory/bench.h"

#include <gtest/gtest.h>

namespace heddle::memory {

Bench::Bench() = default;
Bench::~Bench() = default;

StatisticsGroup Bench::group(const std::string& name) {
  owners.push_back(std::make_unique<StatisticsOwner>(services.statistics, name, name));
  return {*owners.back(), "main"};
}

void Bench::run_to(Cycle cycle) {
  const auto until = clock.time_of(cycle) + sc_core::sc_time(500, sc_core::SC_PS);
  sc_core::sc_start(until - sc_core::sc_time_stamp());
}

Shooter::Shooter(sc_core::sc_module_name name, ClockDomain& domain, unsigned number)
    : sc_module(name), out_("out", domain, *this, *this, 0, {2, 1}), domain_(domain), number_(number) {
  domain.add(*this);
}
Shooter::~Shooter() = default;

std::size_t Shooter::shoot(const Shot& shot) {
  shots_.push_back(shot);
  sent_.push_back(kNever);
  replied_.push_back(kNever);
  statuses_.push_back(tlm::TLM_INCOMPLETE_RESPONSE);
  domain_.wake(*this, shot.at);
  return shots_.size() - 1;
}

void Shooter::tick() {
  const Cycle now = domain_.now();
  out_.admit();
  if (now >= replies_from_) {
    while (Payload* payload = out_.front()) {
      const auto number = RequestInfo::of(*payload)->access;
      replied_[number] = now - 1;  // what is visible now arrived in the cycle before
      statuses_[number] = payload->get_response_status();
      ++answers_;
      out_.pop();
      payload->release();
    }
  } else {
    domain_.wake(*this, replies_from_);
  }
  if (next_ < shots_.size() && shots_[next_].at <= now && out_.can_send()) {
    const Shot& shot = shots_[next_];
    const bool write = shot.kind == AccessKind::store || shot.kind == AccessKind::write_back;
    Payload& payload = pool_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, shot.address, shot.bytes);
    RequestInfo& info = *RequestInfo::of(payload);
    info.kind = shot.kind;
    info.sm = SmId(number_);
    info.warp = WarpId(shot.warp);
    info.local = shot.local;
    info.partial = shot.partial;
    info.keep_row_open = shot.hint;
    info.coherent = shot.coherent;
    info.access = next_;
    sent_[next_++] = now;
    out_.send(payload);
  }
  if (next_ < shots_.size()) {
    if (shots_[next_].at > now + 1) {
      domain_.wake(*this, shots_[next_].at);
    } else {
      out_.wait_to_send();
    }
  }
  out_.sleep();
}

void Shooter::blocking(unsigned, Payload&, sc_core::sc_time&) {}
unsigned Shooter::debug(unsigned, Payload&) { return 0; }
bool Shooter::direct(unsigned, Payload&, tlm::tlm_dmi&) { return false; }

Sink::Sink(sc_core::sc_module_name name, ClockDomain& domain, Cycle latency, unsigned capacity)
    : sc_module(name), in_("in", domain, *this, *this, 0, {capacity, 1}), domain_(domain), latency_(latency) {
  domain.add(*this);
}
Sink::~Sink() = default;

void Sink::tick() {
  const Cycle now = domain_.now();
  in_.admit();
  if (Payload* payload = in_.front()) {
    if (now < takes_from) {
      domain_.wake(*this, takes_from);
    } else {
      in_.pop();
      seen_.push_back({now - 1, payload->get_address(), payload->get_data_length(), *RequestInfo::of(*payload)});
      replies_.emplace_back(payload, now - 1 + latency_);
      if (in_.front() != nullptr) domain_.wake(*this, now + 1);
    }
  }
  in_.sleep();
  if (!replies_.empty() && replies_.front().second <= now && in_.can_respond()) {
    Payload& payload = *replies_.front().first;
    replies_.erase(replies_.begin());
    payload.set_response_status(status);
    in_.respond(payload);
  }
  if (replies_.empty()) return;
  if (replies_.front().second > now) {
    domain_.wake(*this, replies_.front().second);
  } else {
    in_.wait_to_respond();
  }
}

void Sink::blocking(unsigned, Payload&, sc_core::sc_time&) {}
unsigned Sink::debug(unsigned, Payload&) { return 0; }
bool Sink::direct(unsigned, Payload&, tlm::tlm_dmi&) { return false; }

Checked::Checked() = default;
Checked::~Checked() = default;

ProtocolChecker& Checked::add() {
  checkers_.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker")));
  return *checkers_.back();
}

void Checked::expect_silence() const {
  for (const auto& checker : checkers_) {
    for (const auto& violation : checker->violations()) ADD_FAILURE() << violation;
    EXPECT_EQ(checker->outstanding(), 0u) << checker->name();
  }
}

}  // namespace heddle::memory
