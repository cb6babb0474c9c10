// SPDX-License-Identifier: Apache-2.0
// The two ways through a crossbar. They share its sockets, of which each uses one direction, and nothing else, so that
// they may work at the same time.
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/base_port.h"
#include "memory/network/interconnect.h"
#include "memory/network/route_tag.h"
#include "memory/network/switch_network.h"
#include "memory/ring_queue.h"

namespace heddle::memory {

struct CrossbarSockets {
  std::vector<std::unique_ptr<TargetPort>> above;     ///< requests come in, replies leave
  std::vector<std::unique_ptr<InitiatorPort>> below;  ///< requests leave, replies come in
  RouteTags tags;
};

/// What both ways are: a network, between sockets of which some have packets.
class CrossbarWay : public Clocked {
 public:
  unsigned packets() const { return network_.packets(); }
  void settle() { network_.settle(domain_.arrival_cycle() - 1); }
  const SwitchNetwork& network() const { return network_; }

 protected:
  CrossbarWay(ClockDomain& domain, const NetworkParameters& parameters, unsigned inputs, unsigned outputs,
              const StatisticsGroup& statistics, CrossbarSockets& sockets);
  /// Moves packets between the buffers of the network, and asks for the next call. next: cycle in which the sockets
  /// need one.
  void switch_packets(Cycle next);

  ClockDomain& domain_;
  NetworkParameters parameters_;
  CrossbarSockets& sockets_;
  SwitchNetwork network_;
  PortBits arriving_;  ///< sockets with a packet accepted or offered
  PortBits blocked_;   ///< sockets whose oldest packet waits for buffer space
};

/// From the network to the sockets above: one reply per cycle and socket.
class ReplyWay final : public CrossbarWay {
 public:
  ReplyWay(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
           const StatisticsGroup& statistics, CrossbarSockets& sockets);
  /// To all sockets, when they are there.
  void connect();
  void tick() override;
  /// A request of socket `above` is answered here, with the error that it carries.
  void refuse(unsigned above, Payload& payload);

 private:
  struct Refusal {
    Payload* payload = nullptr;
    Cycle from = 0;  ///< the first cycle after it came
  };
  struct Refusals {
    bool wait(Cycle now) const { return !requests.empty() && requests.front().from <= now; }
    RingQueue<Refusal> requests{1};
    bool waited = false;  ///< a reply from below has already gone before the oldest of them
  };

  Cycle take();
  Cycle deliver();
  Cycle send_refusals();

  std::vector<Refusals> refusals_;  ///< by socket above
  unsigned refused_ = 0;
};

/// From the sockets above into the network, and from there to those below: one request per cycle and socket.
class RequestWay final : public CrossbarWay {
 public:
  RequestWay(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
             const StatisticsGroup& statistics, CrossbarSockets& sockets, ReplyWay& replies);
  /// To all sockets, when they are there.
  void connect();
  void tick() override;

  unsigned output_of(std::uint64_t address) const { return setting_.outputs == 1 ? 0 : setting_.map->target(address); }
  /// Whether a request spans two outputs.
  bool spans(const Payload& payload) const;

 private:
  Cycle take();
  Cycle deliver();

  InterconnectSetting setting_;
  ReplyWay& replies_;
};

}  // namespace heddle::memory
