// SPDX-License-Identifier: Apache-2.0
// A memory channel with its banks and no simulation kernel, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "memory/dram/dram_channel.h"
#include "tb/dram/checked_memory.h"

namespace heddle::memory {

struct Issued {
  Cycle cycle;
  DramCommand command;
  unsigned bank;
  std::uint64_t row;
  bool operator==(const Issued&) const = default;
};
inline void PrintTo(const Issued& i, std::ostream* out) {
  *out << i.cycle << ' ' << name_of(i.command) << " bank " << i.bank << " row " << i.row;
}

/// The parameters with settings of the form "key=value".
inline DramParameters configured(DramParameters parameters, const std::vector<std::string>& settings) {
  Configuration configuration(parameters);
  for (const auto& setting : settings) configuration.set(setting);
  configuration.lock();
  return parameters;
}

/// The same with the test's own timings.
inline tb::CheckedMemory checked_memory(const DramParameters& parameters, std::map<std::string, std::int64_t> timings) {
  tb::CheckedMemory memory = tb::checked_memory(parameters);
  memory.timings = std::move(timings);
  return memory;
}

/// A command in the checker's form. bank: number within the channel.
inline tb::CommandChecker::Command checked_command(const ChannelGeometry& g, Cycle cycle, DramCommand command,
                                                   unsigned bank, std::uint64_t row) {
  const unsigned group = bank / g.banks_per_group;
  tb::CommandChecker::Command c;
  c.clock = static_cast<std::int64_t>(cycle);
  c.name = name_of(command);
  c.rank = group / g.bank_groups;
  c.group = group % g.bank_groups;
  c.bank = bank % g.banks_per_group;
  c.row = row;
  return c;
}

/// A channel with its banks, stepped from event to event.
class Channel : private DramCommandListener {
 public:
  /// more: constraints in addition to those of the standard.
  explicit Channel(const DramParameters& parameters, const std::vector<DramConstraint>& more = {})
      : tables_(with(make(parameters.standard)->device(), more)), group_(owner_, "channel") {
    for (unsigned i = 0; i < parameters.geometry.banks(); ++i) {
      banks_.emplace_back(tables_.level(DramLevel::bank), tables_.device.row_switch_is_one_command);
    }
    std::vector<BankInterface*> pointers;
    for (auto& bank : banks_) pointers.push_back(&bank);
    channel_ = std::make_unique<DramChannel>(parameters, tables_, group_);
    channel_->connect(pointers);
    channel_->listen(*this);
  }

  void add(unsigned bank, std::uint64_t row, std::uint32_t token, bool write = false, unsigned bursts = 1) {
    DramRequest request;
    request.bank = static_cast<std::uint8_t>(bank);
    request.row = row;
    request.token = token;
    request.write = write;
    request.bursts = static_cast<std::uint16_t>(bursts);
    add(request);
  }
  /// Arrives now unless a later cycle is given.
  void add(DramRequest request) {
    request.arrival = std::max(request.arrival, now_);
    channel_->add(request);
  }
  /// From now on every command is checked, with the description's timings or the given ones.
  void check(const DramParameters& parameters) { check(parameters, tb::checked_memory(parameters).timings); }
  void check(const DramParameters& parameters, const std::map<std::string, std::int64_t>& timings) {
    geometry_ = parameters.geometry;
    checker_ = std::make_unique<tb::CommandChecker>(checked_memory(parameters, timings));
  }
  /// Violations found by the checker, one per line.
  std::string faults() const {
    std::string text;
    for (const auto& fault : checker_->faults()) text += fault + "\n";
    return text;
  }
  tb::CommandChecker& checker() { return *checker_; }
  /// Runs from cycle `from` to cycle `until` or until idle.
  void run(Cycle from, Cycle until = 100000) {
    std::vector<DramCompletion> completions;
    now_ = from;
    for (Cycle now = from; now <= until;) {
      now = std::max(now + 1, step(now));
    }
  }
  Cycle step(Cycle now) {
    std::vector<DramCompletion> completions;
    now_ = now;
    const Cycle next = channel_->cycle(now, completions);
    for (const auto& completion : completions) {
      done_[completion.token] = completion.done;
      if (!completion.write && returns_) channel_->returned();
    }
    return next == kNever ? kNever - 1 : next;
  }

  DramChannel& operator*() { return *channel_; }
  DramChannel* operator->() { return channel_.get(); }
  std::vector<Issued> log_;
  std::map<std::uint32_t, Cycle> done_;
  bool returns_ = true;

 private:
  static DramDevice with(DramDevice device, const std::vector<DramConstraint>& more) {
    device.constraints.insert(device.constraints.end(), more.begin(), more.end());
    return device;
  }
  void commanded(Cycle now, DramCommand command, unsigned bank, std::uint64_t row, const DramRequest*) override {
    log_.push_back({now, command, bank, row});
    if (checker_) checker_->take(checked_command(geometry_, now, command, bank, row));
  }
  DramTables tables_;
  StatisticsOwner owner_{"test"};
  StatisticsGroup group_;
  std::vector<BankState> banks_;
  std::unique_ptr<DramChannel> channel_;
  ChannelGeometry geometry_;
  Cycle now_ = 0;
  std::unique_ptr<tb::CommandChecker> checker_;
};

}  // namespace heddle::memory
