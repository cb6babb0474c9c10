// SPDX-License-Identifier: Apache-2.0
// The request and the reply path of a crossbar. They share nothing but its sockets, of which each uses one direction,
// so that they may work at the same time.
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/ring_queue.h"
#include "memory/network/interconnect.h"
#include "memory/network/route_tag.h"
#include "memory/network/switch_network.h"

namespace heddle::memory {

struct CrossbarSockets {
  std::vector<std::unique_ptr<TargetPort>> above;     ///< requests come in, replies leave
  std::vector<std::unique_ptr<InitiatorPort>> below;  ///< requests leave, replies come in
  RouteTags tags;                                     ///< of foreign payloads, which both paths tag: on one thread only
};

/// What both paths have: a network, between sockets of which some have packets.
class CrossbarPath : public Clocked {
 public:
  unsigned packets() const { return network_.packets(); }
  void settle() { network_.settle(domain_.arrival_cycle() - 1); }
  const SwitchNetwork& network() const { return network_; }

 protected:
  CrossbarPath(ClockDomain& domain, const NetworkParameters& parameters, unsigned inputs, unsigned outputs,
               const StatisticsGroup& statistics, CrossbarSockets& sockets);

  // Steps of a cycle. The first two return the next cycle in which the sockets need a call; kNever: none.
  /// From sockets into the network, one packet per cycle and socket. enter: called with the number of the socket and
  /// the payload.
  template <typename Port, typename Enter>
  Cycle take(const std::vector<std::unique_ptr<Port>>& ports, Enter&& enter);
  /// From the network to sockets. leave: called with the number of the socket and the payload that has arrived for it;
  /// sends it, or returns false. wait: asks the port to tell when it can send.
  template <typename Port, typename Leave, typename Wait>
  Cycle deliver(const std::vector<std::unique_ptr<Port>>& ports, Leave&& leave, Wait&& wait);
  /// Moves packets between the buffers of the network, and asks for the next call, in cycle `next` at the latest.
  void switch_packets(Cycle next);

  ClockDomain& domain_;
  NetworkParameters parameters_;
  CrossbarSockets& sockets_;
  SwitchNetwork network_;
  PortBits arriving_;  ///< sockets with a packet accepted or offered
  PortBits blocked_;   ///< sockets whose oldest packet waits for buffer space
};

/// From the sockets below to those above: one reply per cycle and socket.
class ReplyPath final : public CrossbarPath {
 public:
  ReplyPath(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
            const StatisticsGroup& statistics, CrossbarSockets& sockets);
  /// To all sockets, when they are there.
  void connect();
  void tick() override;
  /// As in WindowPassage.
  bool settled() const;
  bool can_answer(Cycle cycle) const;
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

  Cycle send_refusals();

  std::vector<Refusals> refusals_;  ///< by socket above
  unsigned refused_ = 0;
};

/// From the sockets above to those below: one request per cycle and socket.
class RequestPath final : public CrossbarPath {
 public:
  RequestPath(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
              const StatisticsGroup& statistics, CrossbarSockets& sockets, ReplyPath& replies);
  /// To all sockets, when they are there.
  void connect();
  void tick() override;

  /// As in WindowPassage.
  void expect(Cycle from);

  unsigned output_of(std::uint64_t address) const { return setting_.outputs == 1 ? 0 : setting_.map->target(address); }
  /// Whether a request spans two outputs.
  bool spans(const Payload& payload) const;

 private:
  InterconnectSetting setting_;
  ReplyPath& replies_;
};

}  // namespace heddle::memory
