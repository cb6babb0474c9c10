// SPDX-License-Identifier: Apache-2.0
// The GPU's interface to a platform: registers, a window onto device memory and an interrupt, using the TLM-2.0 base
// protocol.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>

#include "gpu/device.h"
#include "gpu/host/host_registers.h"

namespace heddle::gpu {

class KernelLoader;
class TimingMachine;

class HostInterface final : public sc_core::sc_module, private host::Commands {
 public:
  SC_HAS_PROCESS(HostInterface);

  /// The device memory visible to the platform.
  struct Window {
    std::uint64_t base = 0;    ///< device address of offset 0, also its address in this process
    std::uint64_t usable = 0;  ///< bytes available to the platform, from offset 0
    std::uint64_t bytes = 0;   ///< total size; module variables follow the usable part
  };
  HostInterface(sc_core::sc_module_name name, const Window& window, TimingMachine& machine, KernelLoader& loader);

  /// See host_registers.h. Reads and writes of 4 or 8 bytes by b_transport or nb_transport, reads by transport_dbg.
  /// Accesses take no time, but a command takes effect at the end of its annotated delay.
  tlm_utils::simple_target_socket<HostInterface> registers;
  /// Addressed by offset in the window: any length by b_transport, nb_transport, transport_dbg or DMI. Takes no time.
  tlm_utils::simple_target_socket<HostInterface> memory;
  /// High while an enabled bit of kInterruptStatus is set.
  sc_core::sc_out<bool> interrupt;

 private:
  using Payload = tlm::tlm_generic_payload;

  void access_registers(Payload& payload, sc_core::sc_time& delay);
  unsigned peek_registers(Payload& payload);
  void access_memory(Payload& payload, sc_core::sc_time& delay);
  unsigned debug_memory(Payload& payload);
  bool direct_memory(Payload& payload, tlm::tlm_dmi& dmi);
  const unsigned char* bytes_at(std::uint64_t device_address, std::uint64_t bytes) const;

  // -- host::Commands
  void load_module() override;
  void find_kernel() override;
  void find_variable() override;
  void launch() override;
  void reset() override;
  void interrupts_changed() override { line_changed_.notify(sc_core::SC_ZERO_TIME); }

  /// Runs a command; an exception sets kError and kMessage. Returns whether it succeeded.
  bool attempt(const std::function<void()>& command);
  std::string text() const;
  void show_kernel(const isa::Kernel& kernel);
  LaunchRequest request() const;
  void launch_ended(bool well);
  void look();
  void drive_line();

  Window window_;
  TimingMachine& machine_;
  KernelLoader& loader_;
  host::Registers registers_;
  std::uint64_t next_launch_ = 1;
  sc_core::sc_event attention_, line_changed_;
};

}  // namespace heddle::gpu
