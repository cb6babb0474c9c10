// SPDX-License-Identifier: Apache-2.0
#include "memory/network/switch_network.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {

void NetworkParameters::describe(ParameterVisitor& v) {
  v("flit_bytes", flit_bytes, "bytes a port moves per cycle", unit::kBytes, range(1, 1024));
  v("header_bytes", header_bytes, "bytes of a packet in addition to its data", unit::kBytes, range(1, 128));
  v("latency", latency, "from the last flit leaving an input to the complete packet at its output", unit::kCycles,
    range(1, 10000));
  v("input_buffer", input_buffer, "packets that may wait at an input", unit::kPackets, range(1, 4096));
  v("output_buffer", output_buffer, "packets that may wait at an output or be in flight to it", unit::kPackets,
    range(1, 4096));
  v("virtual_output_queues", virtual_output_queues,
    "whether an input has a queue per output; otherwise its oldest packet blocks the others");
  v("arbiter", arbiter, "switch arbitration policy");
}

namespace {

Buckets by_port(unsigned ports) {
  std::vector<std::string> labels;
  for (unsigned i = 0; i < ports; ++i) labels.push_back(std::to_string(i));
  return Buckets::named(std::move(labels));
}

/// Utilisation of the busiest port.
double busiest(const StatisticsView& v, const Histogram& busy, const Counter& cycles) {
  double most = 0;
  for (std::size_t i = 0; i < busy.buckets(); ++i) most = std::max(most, v.bucket(busy, i));
  return StatisticsView::ratio(most, v[cycles]);
}

}  // namespace

SwitchNetwork::Counts::Counts(const StatisticsGroup& s, unsigned inputs, unsigned outputs)
    : packets(s, "packets", "packets moved", unit::kPackets),
      flits(s, "flits", "flits moved; at most one per port and cycle", unit::kFlits),
      most_queued(s, "most_queued", "most packets that waited at one input", unit::kPackets),
      cycles(s, "cycles", "cycles of the crossbar's clock", unit::kCycles),
      input_busy(s, "input_busy", "cycles in which an input moved a flit, by input", unit::kCycles, by_port(inputs)),
      output_busy(s, "output_busy", "cycles in which an output moved a flit, by output", unit::kCycles,
                  by_port(outputs)) {
  const auto share = [&](const char* name, const char* sentence, unsigned ports) {
    Derived(s, name, sentence, unit::kRatio,
            [this, ports](const StatisticsView& v) { return StatisticsView::ratio(v[flits], ports * v[cycles]); });
  };
  share("input_utilisation", "share of the cycles in which inputs moved a flit, over all inputs", inputs);
  share("output_utilisation", "share of the cycles in which outputs moved a flit, over all outputs", outputs);
  Derived(s, "busiest_input", "share of the cycles in which the busiest input moved a flit", unit::kRatio,
          [this](const StatisticsView& v) { return busiest(v, input_busy, cycles); });
  Derived(s, "busiest_output", "share of the cycles in which the busiest output moved a flit", unit::kRatio,
          [this](const StatisticsView& v) { return busiest(v, output_busy, cycles); });
  Derived(s, "flits_per_port", "flits moved per output port", unit::kFlits,
          [this, outputs](const StatisticsView& v) { return v[flits] / outputs; });
}

SwitchNetwork::SwitchNetwork(const NetworkParameters& parameters, unsigned inputs, unsigned outputs,
                             const StatisticsGroup& statistics)
    : parameters_(parameters),
      outputs_(outputs),
      arbiter_(make(parameters.arbiter, inputs, outputs)),
      queued_(inputs, 0),
      wanted_(outputs),
      input_free_(inputs, 0),
      output_free_(outputs, 0),
      credits_(outputs, parameters.output_buffer),
      delivered_(outputs),
      counts_(statistics, inputs, outputs) {
  if (inputs == 0 || outputs == 0 || inputs > kMaxSwitchPorts || outputs > kMaxSwitchPorts) {
    fail(ExitCode::configuration, "a crossbar has 1 to {} ports a side, not {} by {}", kMaxSwitchPorts, inputs,
         outputs);
  }
  if (!arbiter_) fail(ExitCode::internal, "no arbiter is called \"{}\"", parameters.arbiter.name());
  queues_.resize(parameters_.virtual_output_queues ? std::size_t{inputs} * outputs : inputs);
  if (parameters_.virtual_output_queues && inputs > 1 && outputs > 1 && !arbiter_->starves()) {
    overdue_.emplace(inputs, outputs);
  }
}

void SwitchNetwork::push(unsigned input, unsigned output, unsigned flits, Token token) {
  auto& packets = queue(input, output);
  const bool head = packets.empty();
  packets.push({token, output, flits, ++pushed_});
  counts_.most_queued.record(++queued_[input]);
  ++inside_;
  if (head) {
    wanted_[output].set(input);
    wanted_outputs_.set(output);
    if (overdue_) overdue_->entered(input, output);
  }
}

Cycle SwitchNetwork::cycle(Cycle now) {
  if (wanted_outputs_.none()) return kNever;
  PortSet free_inputs, free_outputs;
  bool possible = false;
  wanted_outputs_.for_each([&](std::size_t output) {
    if (output_free_[output] > now || credits_[output] == 0) return;
    bool any = false;
    wanted_[output].for_each([&](std::size_t input) {
      if (input_free_[input] > now) return;
      free_inputs.set(input);
      any = true;
    });
    if (any) free_outputs.set(output);
    possible = possible || any;
  });
  first_arrival_ = kNever;
  if (overdue_ && !overdue_->heads().empty()) {
    keep_ports(free_inputs, free_outputs, now);
    possible = false;
    free_outputs.for_each([&](std::size_t output) { possible = possible || (wanted_[output] & free_inputs).any(); });
  }
  if (possible) {
    matches_.clear();
    arbiter_->match({wanted_, free_inputs, free_outputs, *this}, matches_);
    for (const SwitchMatch& match : matches_) start(match, now);
  }
  return std::min(first_arrival_, next_start(now));
}

/// Starts overdue packets whose ports are free, and reserves the ports of the others.
void SwitchNetwork::keep_ports(PortSet& free_inputs, PortSet& free_outputs, Cycle now) {
  PortSet inputs, outputs;                                     // reserved
  const std::vector<SwitchMatch> overdue = overdue_->heads();  // a start removes its own
  for (const SwitchMatch& match : overdue) {
    // An output without credits does not block others.
    if (credits_[match.output] == 0 || inputs.test(match.input) || outputs.test(match.output)) continue;
    inputs.set(match.input);
    outputs.set(match.output);
    free_inputs.reset(match.input);
    free_outputs.reset(match.output);
    if (input_free_[match.input] <= now && output_free_[match.output] <= now) start(match, now);
  }
}

void SwitchNetwork::start(const SwitchMatch& match, Cycle now) {
  auto& packets = queue(match.input, match.output);
  const Packet packet = packets.pop();
  --queued_[match.input];
  // The next head of the queue may go to another output.
  if (packets.empty() || packets.front().output != match.output) {
    wanted_[match.output].reset(match.input);
    if (wanted_[match.output].none()) wanted_outputs_.reset(match.output);
    if (!packets.empty()) {
      wanted_[packets.front().output].set(match.input);
      wanted_outputs_.set(packets.front().output);
    }
  }
  if (overdue_) overdue_->started(match, wanted_[match.output]);
  input_free_[match.input] = output_free_[match.output] = now + packet.flits;
  --credits_[match.output];
  const Cycle arrival = now + packet.flits - 1 + parameters_.latency;
  if (delivered_[match.output].empty()) first_arrival_ = std::min(first_arrival_, arrival);
  delivered_[match.output].push({packet.token, arrival});
  delivering_.set(match.output);
  ++counts_.packets;
  counts_.flits += packet.flits;
  counts_.input_busy.add(match.input, packet.flits);
  counts_.output_busy.add(match.output, packet.flits);
}

void SwitchNetwork::pop(unsigned output) {
  delivered_[output].pop();
  ++credits_[output];
  --inside_;
  if (delivered_[output].empty()) delivering_.reset(output);
}

Cycle SwitchNetwork::next_start(Cycle now) const {
  Cycle next = kNever;
  wanted_outputs_.for_each([&](std::size_t output) {
    const Cycle output_free = std::max(output_free_[output], now + 1);
    if (credits_[output] == 0 || output_free >= next) return;
    Cycle input_free = kNever;
    wanted_[output].for_each([&](std::size_t input) { input_free = std::min(input_free, input_free_[input]); });
    next = std::min(next, std::max(output_free, input_free));
  });
  return next;
}

}  // namespace heddle::memory
