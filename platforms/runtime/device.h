// SPDX-License-Identifier: Apache-2.0
// The one device of the process: memory, machines, and the record of what they did. Built at first use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/device_memory.h"
#include "runtime/device_port.h"
#include "runtime/options.h"

namespace heddle::runtime {

/// One launch, as results tell of it.
struct LaunchRecord {
  std::uint64_t id = 0;
  std::string kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t stream = 0;
  gpu::LaunchReport report;
  bool complete = false;  ///< false: it faulted or was stopped
};

/// A stretch of launches the program marked.
struct Region {
  std::string name;
  std::uint64_t first = 0, last = 0;  ///< launch numbers; last < first: none
  bool open = false;
};

class Device {
 public:
  /// Throws heddle::Error for a wrong option or configuration.
  explicit Device(const Options& options);

  const gpu::DeviceLimits& limits() const { return limits_; }
  gpu::DeviceMemory& memory() { return memory_; }
  DevicePort& port() { return port_; }
  const Options& options() const { return options_; }
  /// The machine's resolved configuration as JSON; empty when only functional machines are linked.
  std::string configuration() const;

  /// Runs one kernel to its end; `request.id` is filled in here. Throws heddle::Error as gpu::Machine::launch.
  void launch(gpu::LaunchRequest request);
  /// Simulated seconds over all machines.
  double now() const;
  /// Frees everything a program allocated and resets the machines in place.
  void reset();

  const std::vector<LaunchRecord>& launches() const { return launches_; }
  const std::vector<Region>& regions() const { return regions_; }
  void begin_region(const std::string& name);
  bool end_region(const std::string& name);

 private:
  gpu::Machine& machine_for(std::uint64_t launch);

  Options options_;
  std::unique_ptr<gpu::MachineModel> model_;  ///< null when no timed machine is linked
  gpu::DeviceLimits limits_;
  gpu::DeviceMemory memory_;
  DevicePort port_;
  std::unique_ptr<gpu::Machine> functional_, timed_;  ///< built when first needed
  std::vector<LaunchRecord> launches_;
  std::vector<Region> regions_;
  std::uint64_t thread_instructions_ = 0, cycles_ = 0;
};

}  // namespace heddle::runtime
