// SPDX-License-Identifier: Apache-2.0
// Interface of the main memory: one controller and what lies behind it. A kind is one self-registering file, selected
// by memory.main_memory.
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

/// Construction arguments of a memory. Only domain and services outlive the call; copy whatever else is needed.
struct MainMemorySite {
  const char* name;  ///< of the module
  ClockDomain& domain;
  const MemoryControllerParameters& controller;  ///< memory.controller; a kind uses what applies to it
  const StatisticsGroup& statistics;             ///< group for its statistics
  Services& services;
  unsigned sockets;                       ///< one per L2 slice, or per path that bypasses the L2
  std::shared_ptr<const AddressMap> map;  ///< decodes addresses
};

class MainMemory : public MemoryPart {
 public:
  using MakeArguments = void(const MainMemorySite&);

  /// i: 0 .. site.sockets - 1. The machine's requests carry no data (core/kernel/payload.h): a write has all byte
  /// enables zero. A memory may reject it with a byte-enable error; it is then sent again with the bytes the memory
  /// already holds.
  virtual AnyTarget& in(unsigned i) = 0;
  /// Socket towards the machine's data, for a memory that stores none itself; null: not needed.
  virtual AnyInitiator* bytes() { return nullptr; }

  /// Bank geometry for recording; null: no visible banks.
  virtual const ChannelGeometry* banks() const { return nullptr; }
  /// Adds a command listener; only with banks().
  virtual void listen(DramCommandListener& /*listener*/) {}
  /// Address of the transaction that a read reported to a listener belongs to.
  virtual std::uint64_t address_of(const DramRequest& /*read*/) const { return 0; }
};

/// Peak bandwidth between one controller and its memory, for the device properties that programs query.
struct MemoryBandwidth {
  std::uint64_t transfers;  ///< per data line and memory cycle
  std::uint64_t bytes;      ///< moved in `cycles` memory cycles
  std::uint64_t cycles;
};
/// By kind name. A kind that registers none reports 32 bytes per cycle.
using MemoryBandwidths = Registry<MemoryBandwidth, const MemorySystemParameters&>;

}  // namespace heddle::memory
