// SPDX-License-Identifier: Apache-2.0
// One direction of a crossbar: packets of flits from n inputs to m outputs, one packet per port at a time. Independent
// of the simulation kernel; Crossbar supplies the time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/kernel/cycle.h"
#include "core/ring_queue.h"
#include "core/statistics/statistics.h"
#include "memory/network/arbiter.h"
#include "memory/network/overdue_heads.h"

namespace heddle::memory {

struct NetworkParameters {
  unsigned flit_bytes = 40;
  unsigned header_bytes = 8;
  unsigned latency = 1;
  unsigned input_buffer = 8;
  unsigned output_buffer = 8;
  bool virtual_output_queues = true;
  Mechanism<Arbiter> arbiter{"islip"};

  void describe(ParameterVisitor& v);
  /// Flits of a packet with `data_bytes` of data; at least 1.
  unsigned flits(unsigned data_bytes) const { return (header_bytes + data_bytes + flit_bytes - 1) / flit_bytes; }
};

class SwitchNetwork final : private PacketAges {
 public:
  using Token = void*;  ///< the owner's name for a packet

  /// inputs, outputs: 1 .. kMaxSwitchPorts.
  SwitchNetwork(const NetworkParameters& parameters, unsigned inputs, unsigned outputs,
                const StatisticsGroup& statistics);

  /// Room for another packet at an input.
  bool room(unsigned input) const { return queued_[input] < parameters_.input_buffer; }
  /// How many.
  unsigned free(unsigned input) const {
    return queued_[input] < parameters_.input_buffer ? parameters_.input_buffer - queued_[input] : 0;
  }
  /// Accepts a packet; room(input). flits: 1 or more.
  void push(unsigned input, unsigned output, unsigned flits, Token token);
  /// Starts transfers in cycle now. Returns the next cycle in which another could start, or in which one started now
  /// is the first to arrive at its output; kNever if nothing can happen before a push or a pop. A packet of f flits
  /// holds its ports for f cycles and reaches its output f - 1 + latency cycles after its start.
  Cycle cycle(Cycle now);
  /// The oldest packet that has arrived completely at an output, or null.
  Token arrived(unsigned output, Cycle now) const {
    const auto& queue = delivered_[output];
    return !queue.empty() && queue.front().ready <= now ? queue.front().token : nullptr;
  }
  /// Removes arrived(output), returning a credit.
  void pop(unsigned output);
  /// Outputs with packets arrived or in flight.
  const PortSet& delivering() const { return delivering_; }
  Cycle next_arrival(unsigned output) const { return delivered_[output].front().ready; }
  /// Packets inside.
  unsigned packets() const { return inside_; }

  struct Counts {
    Counts(const StatisticsGroup& statistics, unsigned inputs, unsigned outputs);
    Counter packets, flits;
    Maximum most_queued;
    Counter cycles;
    Histogram input_busy, output_busy;
  };
  const Counts& counts() const { return counts_; }
  /// Brings the cycle count up to `now`, before statistics are read.
  void settle(Cycle now) {
    counts_.cycles += now - settled_;
    settled_ = now;
  }

 private:
  struct Packet {
    Token token = nullptr;
    unsigned output = 0, flits = 1;
    std::uint64_t order = 0;  // arrival order among all packets
  };
  struct Delivered {
    Token token = nullptr;
    Cycle ready = 0;
  };
  std::size_t queue_number(unsigned input, unsigned output) const {
    return parameters_.virtual_output_queues ? std::size_t{input} * outputs_ + output : input;
  }
  RingQueue<Packet>& queue(unsigned input, unsigned output) { return queues_[queue_number(input, output)]; }
  std::uint64_t order(unsigned input, unsigned output) const override {
    return queues_[queue_number(input, output)].front().order;
  }
  void start(const SwitchMatch& match, Cycle now);
  void keep_ports(PortSet& free_inputs, PortSet& free_outputs, Cycle now);
  Cycle next_start(Cycle now) const;

  NetworkParameters parameters_;
  unsigned outputs_, inside_ = 0;
  std::uint64_t pushed_ = 0;
  Cycle settled_ = 0;
  std::unique_ptr<Arbiter> arbiter_;
  std::vector<RingQueue<Packet>> queues_;
  std::vector<unsigned> queued_;  // packets waiting at an input
  std::vector<PortSet> wanted_;   // by output: inputs with a packet for it at the head of a queue
  PortSet wanted_outputs_;
  std::vector<Cycle> input_free_, output_free_;
  std::vector<unsigned> credits_;  // free places at an output
  std::vector<RingQueue<Delivered>> delivered_;
  PortSet delivering_;
  Cycle first_arrival_ = kNever;  // earliest arrival of transfers started in this cycle to outputs that had none
  std::vector<SwitchMatch> matches_;
  std::optional<OverdueHeads> overdue_;  // none if no packet can be passed over for ever, or the arbiter means to
  Counts counts_;
};

}  // namespace heddle::memory
