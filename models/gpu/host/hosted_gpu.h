// SPDX-License-Identifier: Apache-2.0
// A complete GPU for virtual platforms: the timing model with its memory, driven by registers, a memory window and an
// interrupt. docs/host-interface.md describes the registers and their use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "gpu/device.h"

namespace heddle {
struct Services;
}

namespace heddle::gpu {

class TimingMachine;

class HostedGpu final : public sc_core::sc_module {
 public:
  /// request: preset or file of the machine, and settings. memory_base: address of device memory in this process, a
  /// multiple of 4096; 0: the default, usable by one GPU per process. Throws Error(kConfiguration) for an invalid
  /// machine, Error(kInternal) if the addresses are taken.
  explicit HostedGpu(sc_core::sc_module_name name, const MachineRequest& request = {}, std::uint64_t memory_base = 0);
  ~HostedGpu() override;

  tlm::tlm_target_socket<> registers;  ///< gpu/host/host_registers.h
  tlm::tlm_target_socket<> memory;     ///< device memory, from offset 0
  sc_core::sc_out<bool> interrupt;

  /// The resolved configuration as JSON.
  const std::string& configuration() const;
  /// Statistics and signals of the machine. Call settle() of the machine before reading statistics.
  Services& services();
  TimingMachine& machine();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::gpu
