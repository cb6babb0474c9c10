// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_interface.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "gpu/kernel_loader.h"
#include "gpu/occupancy.h"
#include "gpu/timing_machine.h"
#include "memory/functional.h"

namespace heddle::gpu {

namespace {

tlm::tlm_response_status response_of(host::Outcome outcome) {
  switch (outcome) {
    case host::Outcome::done:
      return tlm::TLM_OK_RESPONSE;
    case host::Outcome::address:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case host::Outcome::length:
      return tlm::TLM_BURST_ERROR_RESPONSE;
    case host::Outcome::command:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case host::Outcome::busy:
      break;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

void check_extents(const DeviceLimits& limits, const LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const std::uint32_t grid[3] = {request.grid.x, request.grid.y, request.grid.z},
                      block[3] = {request.block.x, request.block.y, request.block.z};
  std::uint64_t bound = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (grid[i] == 0 || grid[i] > limits.max_grid_dim[i] || block[i] == 0 || block[i] > limits.max_block_dim[i]) {
      fail(ExitCode::launch,
           "kernel '{}': grid ({},{},{}), block ({},{},{}): extents must be 1 to ({},{},{}) and 1 to ({},{},{})",
           kernel.name, grid[0], grid[1], grid[2], block[0], block[1], block[2], limits.max_grid_dim[0],
           limits.max_grid_dim[1], limits.max_grid_dim[2], limits.max_block_dim[0], limits.max_block_dim[1],
           limits.max_block_dim[2]);
    }
    const std::uint32_t most = std::max(kernel.max_threads[i], 1u);
    bound *= most;
    if (kernel.required_threads && block[i] != most) {
      fail(ExitCode::launch, "kernel '{}': its blocks must be ({},{},{})", kernel.name, kernel.max_threads[0],
           std::max(kernel.max_threads[1], 1u), std::max(kernel.max_threads[2], 1u));
    }
  }
  if (kernel.max_threads[0] != 0 && request.block.volume() > bound) {
    fail(ExitCode::launch, "kernel '{}': {} threads per block; its launch bounds allow at most {}", kernel.name,
         request.block.volume(), bound);
  }
}

}  // namespace

HostInterface::HostInterface(sc_core::sc_module_name module_name, const Window& window, TimingMachine& machine,
                             KernelLoader& loader)
    : sc_module(module_name),
      registers("registers"),
      memory("memory"),
      interrupt("interrupt"),
      window_(window),
      machine_(machine),
      loader_(loader),
      registers_(*this) {
  registers.register_b_transport(this, &HostInterface::access_registers);
  registers.register_transport_dbg(this, &HostInterface::peek_registers);
  memory.register_b_transport(this, &HostInterface::access_memory);
  memory.register_transport_dbg(this, &HostInterface::debug_memory);
  memory.register_get_direct_mem_ptr(this, &HostInterface::direct_memory);

  const DeviceLimits& limits = machine_.limits();
  registers_.set(host::kSmCount, limits.sm_count);
  registers_.set(host::kCapability, limits.capability_major * 10 + limits.capability_minor);
  registers_.set64(host::kMemoryBase, window_.base);
  registers_.set64(host::kMemoryBytes, window_.usable);

  machine_.gpu().clocks().on_attention([this] { attention_.notify(sc_core::SC_ZERO_TIME); });
  SC_METHOD(look);
  sensitive << attention_;
  dont_initialize();
  // Only this process drives the line, wherever a register is changed.
  SC_METHOD(drive_line);
  sensitive << line_changed_;
}

// -- accesses

void HostInterface::access_registers(Payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < bytes) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.is_read()) {
    payload.set_response_status(response_of(registers_.read(address, bytes, payload.get_data_ptr())));
    return;
  }
  if (!payload.is_write()) {  // TLM_IGNORE_COMMAND
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  // The initiator may be ahead of simulated time; a command starts at the initiator's local time.
  if (delay != sc_core::SC_ZERO_TIME && host::Registers::is_command(address, bytes)) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  payload.set_response_status(response_of(registers_.write(address, bytes, payload.get_data_ptr())));
}

unsigned HostInterface::peek_registers(Payload& payload) {
  const unsigned bytes = payload.get_data_length();
  if (!payload.is_read()) return 0;
  return registers_.read(payload.get_address(), bytes, payload.get_data_ptr()) == host::Outcome::done ? bytes : 0;
}

void HostInterface::access_memory(Payload& payload, sc_core::sc_time&) {
  payload.set_dmi_allowed(true);
  // Check all of it first: a failing access must change nothing.
  const std::uint64_t span = std::min(payload.get_streaming_width(), payload.get_data_length());
  if (payload.get_address() >= window_.bytes || span > window_.bytes - payload.get_address()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (span == 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  memory::move_bytes(payload, [this](Payload& run) { return debug_memory(run); });
}

unsigned HostInterface::debug_memory(Payload& payload) {
  const std::uint64_t offset = payload.get_address();
  const unsigned count = payload.get_data_length();
  if (offset >= window_.bytes || count > window_.bytes - offset) return 0;
  auto* const bytes = reinterpret_cast<unsigned char*>(window_.base + offset);
  if (payload.is_write()) {
    std::memcpy(bytes, payload.get_data_ptr(), count);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), bytes, count);
  } else {
    return 0;
  }
  return count;
}

bool HostInterface::direct_memory(Payload& payload, tlm::tlm_dmi& dmi) {
  if (payload.get_address() >= window_.bytes) return false;
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(window_.base));
  dmi.set_start_address(0);
  dmi.set_end_address(window_.bytes - 1);
  dmi.allow_read_write();
  return true;
}

/// Null if they do not all lie in the window.
const unsigned char* HostInterface::bytes_at(std::uint64_t device_address, std::uint64_t bytes) const {
  const std::uint64_t offset = device_address - window_.base;
  if (offset >= window_.bytes || bytes > window_.bytes - offset) return nullptr;
  return reinterpret_cast<const unsigned char*>(device_address);
}

// -- commands

bool HostInterface::attempt(const std::function<void()>& command) {
  std::string message;
  ExitCode code = ExitCode::internal;
  try {
    command();
    registers_.set(host::kError, 0);
    registers_.set_message({});
    return true;
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  }
  registers_.set(host::kError, static_cast<std::uint32_t>(code));
  registers_.set_message(message);
  return false;
}

std::string HostInterface::text() const {
  const std::uint64_t address = registers_.get64(host::kTextAddress), count = registers_.get(host::kTextBytes);
  const unsigned char* const bytes = bytes_at(address, count);
  if (bytes == nullptr) {
    fail(ExitCode::launch, "text at {:#x} of {} bytes does not lie in device memory, {:#x} to {:#x}", address, count,
         window_.base, window_.base + window_.bytes - 1);
  }
  // Drop a terminating zero byte.
  const unsigned char* const end = std::find(bytes, bytes + count, '\0');
  return std::string(bytes, end);
}

void HostInterface::load_module() {
  registers_.set(host::kModule, 0);
  attempt([this] { registers_.set(host::kModule, loader_.load(text())); });
}

void HostInterface::find_kernel() {
  registers_.set(host::kKernel, 0);
  attempt([this] {
    const std::uint32_t handle = loader_.find_kernel(registers_.get(host::kModule), text());
    const isa::Kernel& kernel = *loader_.kernel(handle);
    registers_.set(host::kKernel, handle);
    registers_.set(host::kParameterBytes, kernel.parameter_bytes);
    registers_.set(host::kStaticSharedBytes, kernel.static_shared_bytes);
    registers_.set(host::kRegistersPerThread, kernel.registers);
    registers_.set(host::kLocalBytes, kernel.local_bytes);
  });
}

void HostInterface::find_variable() {
  registers_.set64(host::kVariableAddress, 0);
  registers_.set64(host::kVariableBytes, 0);
  attempt([this] {
    const KernelLoader::AddressRange range = loader_.find_variable(registers_.get(host::kModule), text());
    registers_.set64(host::kVariableAddress, range.address);
    registers_.set64(host::kVariableBytes, range.bytes);
  });
}

void HostInterface::reset() {
  attempt([this] {
    machine_.reset();
    loader_.clear();
    registers_.set(host::kModule, 0);
    registers_.set(host::kKernel, 0);
  });
}

LaunchRequest HostInterface::request() const {
  LaunchRequest request;
  request.grid = {registers_.get(host::kGridX), registers_.get(host::kGridY), registers_.get(host::kGridZ)};
  request.block = {registers_.get(host::kBlockX), registers_.get(host::kBlockY), registers_.get(host::kBlockZ)};
  request.dynamic_shared_bytes = registers_.get(host::kSharedBytes);
  request.max_cycles = registers_.get64(host::kCycleLimit);
  request.id = next_launch_;
  const std::uint32_t handle = registers_.get(host::kKernel);
  request.kernel = loader_.kernel(handle);
  check_extents(machine_.limits(), request);
  const std::uint64_t threads = request.block.volume();
  request.kernel = loader_.fit(handle, static_cast<std::uint32_t>(threads), request.dynamic_shared_bytes);
  check_launch(machine_.limits(), request);
  const std::uint64_t address = registers_.get64(host::kParametersAddress);
  const std::uint32_t count = request.kernel->parameter_bytes;
  if (count != 0) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(bytes_at(address, count));
    if (bytes == nullptr) {
      fail(ExitCode::launch,
           "kernel '{}': its parameters, {} bytes at {:#x}, do not lie in device memory, {:#x} to {:#x}",
           request.kernel->name, count, address, window_.base, window_.base + window_.bytes - 1);
    }
    request.parameters.assign(bytes, bytes + count);
  }
  return request;
}

void HostInterface::launch() {
  registers_.set64(host::kCycles, 0);
  registers_.set64(host::kThreadInstructions, 0);
  const bool begun = attempt([this] {
    machine_.begin(request());
    ++next_launch_;
  });
  if (begun) {
    registers_.set(host::kStatus, registers_.get(host::kStatus) | host::kBusy);
  } else {
    launch_ended(false);
  }
}

/// Attention was called.
void HostInterface::look() {
  if (!registers_.busy()) return;
  bool ended = false;
  const bool well = attempt([&] { ended = machine_.look(); });
  if (well && !ended) return;
  const LaunchReport report = machine_.so_far();
  registers_.set64(host::kCycles, report.cycles);
  registers_.set64(host::kThreadInstructions, report.thread_instructions);
  launch_ended(well);
}

void HostInterface::launch_ended(bool well) {
  registers_.set(host::kStatus, machine_.unusable() ? host::kUnusable : 0);
  registers_.set64(host::kLaunches, registers_.get64(host::kLaunches) + 1);
  registers_.raise(well ? host::kLaunchDone : host::kLaunchFailed);
}

void HostInterface::drive_line() {
  interrupt.write((registers_.get(host::kInterruptStatus) & registers_.get(host::kInterruptEnable)) != 0);
}

}  // namespace heddle::gpu
