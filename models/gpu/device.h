// SPDX-License-Identifier: Apache-2.0
// The interface between the host side (the CUDA runtime library, a test bench) and a machine that runs kernels. The
// functional machine and the cycle model implement it; neither knows CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.h"
#include "core/error.h"
#include "gpu/recording/recording.h"
#include "isa/execute.h"
#include "isa/image.h"

namespace heddle {
struct Services;
}

namespace heddle::gpu {

class DeviceMemory;

/// What a machine can hold and how it presents itself. Residency, occupancy queries and device properties all read
/// this. Defaults are a Fermi-class machine (GTX480: 15 SMs, 700 MHz, 1.5 GB; `bench/README.md`).
struct DeviceLimits {
  std::string name = "Heddle";
  std::uint32_t sm_count = 15;
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t max_block_dim[3] = {1024, 1024, 64};
  std::uint32_t max_grid_dim[3] = {0x7fffffff, 65535, 65535};
  std::uint32_t max_blocks_per_sm = 8;
  std::uint32_t max_warps_per_sm = 48;  ///< ISA warps of 32 threads
  std::uint32_t max_threads_per_sm = 1536;
  std::uint32_t thread_allocation_unit = 32;  ///< threads; a block's are rounded up to it
  std::uint32_t registers_per_sm = 32768;     ///< of 32 bits
  std::uint32_t max_registers_per_thread = 255;
  std::uint32_t register_allocation_unit = 64;  ///< registers; a warp's need is rounded up to it
  std::uint32_t shared_bytes_per_sm = 48 * 1024;
  std::uint32_t shared_bytes_per_block = 48 * 1024;
  std::uint32_t shared_allocation_unit = 128;  ///< bytes
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;
  std::uint64_t l2_bytes = 768 * 1024;
  std::uint64_t core_hertz = 700'000'000;
  std::uint64_t memory_hertz =
      1'848'000'000;  ///< half the transfers of a data line a second, as CUDA's memoryClockRate
  std::uint32_t memory_bus_bits = 384;
  /// Compute capability the device reports: that of the instruction set it runs (`heddle cc` compiles for sm_70).
  std::uint32_t capability_major = 7, capability_minor = 0;
  bool enforce_memory_bytes = false;  ///< no allocation beyond memory_bytes
  bool spill_registers = true;        ///< a kernel keeps to its limit on registers with values in local memory
};

/// One kernel launch. Grid and block were checked against DeviceLimits by the caller.
struct LaunchRequest {
  std::shared_ptr<const isa::Kernel> kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;          ///< kernel->parameter_bytes bytes
  std::uint64_t stream = 0;                   ///< 0 is the default stream
  std::uint64_t id = 0;                       ///< 1, 2, ... in launch order over the whole run
  std::uint64_t max_thread_instructions = 0;  ///< of this launch: beyond them Error(kLimit); 0 is no limit
  std::uint64_t max_cycles = 0;               ///< likewise; a machine without time ignores it
};

/// What a launch did.
struct LaunchReport {
  bool timed = false;                     ///< cycles and times mean something
  std::uint64_t thread_instructions = 0;  ///< summed over active threads, guarded-off threads included
  std::uint64_t warp_instructions = 0;    ///< functional: of ISA warps; timing: of contexts, once for all packets
  std::uint64_t first_cycle = 0;          ///< core clock
  std::uint64_t cycles = 0;               ///< core clock; 0 when not timed
  double start_seconds = 0;               ///< simulated time
  double end_seconds = 0;
};

/// A launch on a machine that a fault left unusable.
class UnusableMachine : public Error {
 public:
  explicit UnusableMachine(const std::string& message) : Error(ExitCode::launch, message) {}
};

/// A machine that runs kernels to completion, one at a time, on the process's device memory. One lock above it: calls
/// never overlap. A fault of the kernel is a heddle::Error (kMemoryFault, kNoProgress, kLimit); device memory then
/// holds what was written so far and the machine takes no further launch until reset(); one that cannot be reset after
/// a fault throws UnusableMachine from then on.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::string_view name() const = 0;
  virtual const DeviceLimits& limits() const = 0;
  /// Throws Error(kLaunch) when no SM can hold one block of the kernel.
  virtual LaunchReport launch(const LaunchRequest& request) = 0;
  /// What the launch under way has done so far; when none is, what the last one had done when it ended.
  virtual LaunchReport so_far() const { return {}; }
  /// Drops what is kept of earlier kernels: their code, what caches hold. Simulated time goes on.
  virtual void reset() = 0;
  /// Brings statistics that are charged late up to now; before they are read.
  virtual void settle() {}
  /// Simulated seconds since the machine was built.
  virtual double now() const = 0;

  /// What was recorded for run.json; whole after finish().
  virtual RecordedDetails details() const { return {}; }
  /// No launch follows: completes what is recorded and checks the accounts. Returns what the user should be told; empty
  /// when nothing. Throws Error(kIo) or Error(kInternal).
  virtual std::string finish() { return {}; }
};

/// What a machine is made from.
struct MachineRequest {
  std::string machine;                ///< preset or file; empty is the model's default
  std::vector<std::string> settings;  ///< "path=value", in order
  RecordingRequest recording{};
  std::vector<std::string> plugins{};  ///< shared libraries with mechanisms
};

/// Makes machines of one kind. Configured first, because the limits decide how large device memory is; built then.
/// The cycle model registers itself under "timing" (timing_machine.cpp) in Registry<MachineModel>.
class MachineModel {
 public:
  virtual ~MachineModel() = default;
  /// Throws Error(kConfiguration) for a wrong key or value.
  virtual void configure(const MachineRequest& request) = 0;
  virtual const DeviceLimits& limits() const = 0;
  /// The resolved configuration as JSON, for results.
  virtual std::string configuration() const = 0;
  /// What the machine counts and shows is registered in `services`, which outlives it.
  virtual std::unique_ptr<Machine> build(DeviceMemory& memory, isa::MemoryPort& port, Services& services) = 0;
};

}  // namespace heddle::gpu
