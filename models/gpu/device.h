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
#include "isa/lowering/code_pass.h"

namespace heddle {
struct Services;
}

namespace heddle::gpu {

class DeviceMemory;

/// Resources and identity of a machine, used by residency, occupancy queries and device properties. The defaults are a
/// Fermi-class machine (GTX480: 15 SMs, 700 MHz, 1.5 GB; `docs/sources/gtx480.md`).
struct DeviceLimits {
  std::string name = "Heddle";
  std::uint32_t sm_count = 15;
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t max_block_dim[3] = {1024, 1024, 64};
  std::uint32_t max_grid_dim[3] = {0x7fffffff, 65535, 65535};
  std::uint32_t max_blocks_per_sm = 8;
  std::uint32_t max_warps_per_sm = 48;  ///< ISA warps of 32 threads
  std::uint32_t max_threads_per_sm = 1536;
  std::uint32_t thread_allocation_unit = 32;  ///< threads of a block are rounded up to it
  std::uint32_t registers_per_sm = 32768;     ///< of 32 bits
  std::uint32_t max_registers_per_thread = 255;
  std::uint32_t register_allocation_unit = 64;  ///< registers of a warp are rounded up to it
  std::uint32_t shared_bytes_per_sm = 48 * 1024;
  std::uint32_t shared_bytes_per_block = 48 * 1024;
  std::uint32_t shared_allocation_unit = 128;  ///< bytes
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;
  std::uint64_t l2_bytes = 768 * 1024;
  std::uint64_t core_hertz = 700'000'000;
  std::uint64_t memory_hertz = 1'848'000'000;  ///< half the transfer rate of a data line, as CUDA's memoryClockRate
  std::uint32_t memory_bus_bits = 384;
  /// Reported compute capability: that of the instruction set (`heddle cc` compiles for sm_70).
  std::uint32_t capability_major = 7, capability_minor = 0;
  bool enforce_memory_bytes = false;                            ///< fail allocations beyond memory_bytes
  isa::CodeOrder code_order = isa::CodeOrder::thread_frontier;  ///< of the kernels that it runs
  isa::CodePasses code_passes;                                  ///< of the kernels that it runs
  bool spill_registers = true;  ///< spill to local memory to respect a kernel's register limit
};

/// One kernel launch. The caller has checked grid and block against DeviceLimits.
struct LaunchRequest {
  std::shared_ptr<const isa::Kernel> kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;          ///< kernel->parameter_bytes bytes
  std::uint64_t stream = 0;                   ///< 0 is the default stream
  std::uint64_t id = 0;                       ///< 1, 2, ... in launch order across the run
  std::uint64_t max_thread_instructions = 0;  ///< beyond them the launch fails with Error(kLimit); 0: no limit
  std::uint64_t max_cycles = 0;               ///< likewise; ignored by an untimed machine
};

/// Results of a launch.
struct LaunchReport {
  bool timed = false;                     ///< cycles and times are valid
  std::uint64_t thread_instructions = 0;  ///< summed over active threads, including those guarded off
  std::uint64_t warp_instructions = 0;    ///< functional: per ISA warp; timing: per context, once for all its packets
  std::uint64_t first_cycle = 0;          ///< core clock
  std::uint64_t cycles = 0;               ///< core clock; 0 if not timed
  double start_seconds = 0;               ///< simulated time
  double end_seconds = 0;
};

/// Thrown by a launch on a machine that a fault left unusable.
class UnusableMachine : public Error {
 public:
  explicit UnusableMachine(const std::string& message) : Error(ExitCode::launch, message) {}
};

/// A machine that runs kernels to completion, one at a time, on the process's device memory. Callers serialize calls
/// with a lock. A kernel fault is a heddle::Error (kMemoryFault, kNoProgress, kLimit); device memory then holds what
/// was written so far, and the machine accepts no launch until reset(). A machine that cannot be reset after a fault
/// throws UnusableMachine from then on.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::string_view name() const = 0;
  virtual const DeviceLimits& limits() const = 0;
  /// Throws Error(kLaunch) if no SM can hold a block of the kernel.
  virtual LaunchReport launch(const LaunchRequest& request) = 0;
  /// Progress of the current launch or, if there is none, the final state of the last one.
  virtual LaunchReport so_far() const { return {}; }
  /// Drops the state of earlier kernels: their code and cache contents. Simulated time continues.
  virtual void reset() = 0;
  /// Brings lazily updated statistics up to date, before they are read.
  virtual void settle() {}
  /// Simulated seconds since the machine was built.
  virtual double now() const = 0;

  /// Data recorded for run.json; complete after finish().
  virtual RecordedDetails details() const { return {}; }
  /// Called after the last launch: completes recordings and checks cycle accounting. Returns a note for the user, or an
  /// empty string. Throws Error(kIo) or Error(kInternal).
  virtual std::string finish() { return {}; }
};

/// Construction arguments of a machine.
struct MachineRequest {
  std::string machine;                ///< preset or file; empty is the model's default
  std::vector<std::string> settings;  ///< "path=value", in order
  RecordingRequest recording{};
  std::vector<std::string> plugins{};  ///< shared libraries with mechanisms
  unsigned threads = 1;                ///< as in BuildOptions
  unsigned thread_cycles = 16;         ///< as in BuildOptions
};

/// Builds machines of one kind. Configuration comes before construction, because the limits determine the size of
/// device memory. The cycle model registers itself as "timing" (timing_machine.cpp) in Registry<MachineModel>.
class MachineModel {
 public:
  virtual ~MachineModel() = default;
  /// Throws Error(kConfiguration) for a wrong key or value.
  virtual void configure(const MachineRequest& request) = 0;
  virtual const DeviceLimits& limits() const = 0;
  /// The resolved configuration as JSON, for results.
  virtual std::string configuration() const = 0;
  /// The machine registers statistics and signals in `services`, which must outlive it.
  virtual std::unique_ptr<Machine> build(DeviceMemory& memory, isa::MemoryPort& port, Services& services) = 0;
};

}  // namespace heddle::gpu
