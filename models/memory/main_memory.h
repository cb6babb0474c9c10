// SPDX-License-Identifier: Apache-2.0
// What is at the bottom of the memory side, as a machine sees it: one controller and what lies behind it. A kind is one
// file that registers itself; memory.main_memory chooses it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/config/mechanism.h"
#include "core/config/registry.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "memory/address_map.h"
#include "memory/part.h"

namespace heddle::memory {

class DramCommandListener;
struct DramRequest;
struct MemoryControllerParameters;
struct MemorySystemParameters;

/// What a machine builds a memory from. Only domain and services outlive the call: copy what is needed of the rest.
struct MainMemorySite {
  const char* name;  ///< of the module
  ClockDomain& domain;
  const MemoryControllerParameters& controller;  ///< of memory.controller; a kind takes of them what it has use for
  const StatisticsGroup& statistics;             ///< where it counts
  Services& services;
  unsigned sockets;                       ///< one a slice of the L2, or a way past it
  std::shared_ptr<const AddressMap> map;  ///< where an address lives
};

class MainMemory : public MemoryPart {
 public:
  using MakeArguments = void(const MainMemorySite&);

  /// i: 0 .. site.sockets - 1. Requests of a machine carry no bytes of their own (core/kernel/payload.h): a write's
  /// byte enables are all zero. A memory may answer it by a byte-enable error; then it is sent the bytes it holds.
  virtual AnyTarget& in(unsigned i) = 0;
  /// To the bytes of the machine, for a memory that keeps none itself; null: it has no use for them.
  virtual AnyInitiator* bytes() { return nullptr; }

  /// What can be recorded of a memory with banks; null: it has none that show.
  virtual const ChannelGeometry* banks() const { return nullptr; }
  /// One more listener to the commands; only where there are banks().
  virtual void listen(DramCommandListener& /*listener*/) {}
  /// Of the transaction that a read belongs to of which a listener heard.
  virtual std::uint64_t address_of(const DramRequest& /*read*/) const { return 0; }
};

/// What passes at most between one controller and its memory; for what a program asks of the device's bus.
struct MemoryBandwidth {
  std::uint64_t transfers;  ///< of a data line, a memory cycle
  std::uint64_t bytes;      ///< that pass in `cycles` memory cycles
  std::uint64_t cycles;
};
/// By the name of the kind. A kind that registers none shows as 32 bytes a cycle.
using MemoryBandwidths = Registry<MemoryBandwidth, const MemorySystemParameters&>;

}  // namespace heddle::memory
