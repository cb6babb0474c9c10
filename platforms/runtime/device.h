// SPDX-License-Identifier: Apache-2.0
// The process's only device: memory, machines and the record of launches. Built on first use.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/services.h"
#include "core/statistics/run_json.h"
#include "gpu/checks/hazard_checker.h"
#include "gpu/checks/race_checker.h"
#include "gpu/device.h"
#include "gpu/device_memory.h"
#include "gpu/observer_list.h"
#include "runtime/device_port.h"
#include "runtime/host_statistics.h"
#include "runtime/options.h"

namespace heddle::runtime {

/// Totals over all launches so far.
struct LaunchTotals {
  std::uint64_t launches = 0, timed = 0;
  std::uint64_t thread_instructions = 0, cycles = 0;
  double simulated_seconds = 0;  ///< timed launches only
  double wall_seconds = 0;       ///< spent running kernels
};

/// One launch, as reported in results.
struct LaunchRecord {
  std::uint64_t id = 0;
  std::string kernel;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t stream = 0;
  std::uint32_t registers = 0, local_bytes = 0, spilled_bytes = 0;  ///< per thread
  gpu::LaunchReport report;
  bool complete = false;  ///< false: faulted or stopped
  StatisticsSummary statistics;
};

/// A region marked by the program: a range of launches or, if marked by kernels, of cycles within them. Beginning a
/// name again extends the same region; host and device regions are separate.
struct Region {
  std::string name;
  bool on_device = false;             ///< marked by a kernel
  std::uint64_t first = 0, last = 0;  ///< launch numbers; last < first: none
  bool open = false;
  Statistics::IntervalId interval = 0;  ///< while open
  StatisticsSample sample;              ///< once closed
};

class Device {
 public:
  /// Throws heddle::Error for a wrong option or configuration.
  explicit Device(const Options& options);

  const gpu::DeviceLimits& limits() const { return limits_; }
  gpu::DeviceMemory& memory() { return memory_; }
  DevicePort& port() { return port_; }
  const Options& options() const { return options_; }
  /// The machine's resolved configuration as JSON; empty when no timed machine is linked.
  std::string configuration() const;

  /// Runs one kernel to completion; fills in `request.id`. Throws heddle::Error like gpu::Machine::launch.
  void launch(gpu::LaunchRequest request);
  /// Total simulated seconds of all machines.
  double now() const;
  /// Seconds since the device was built, on the host's clock.
  double wall_seconds() const;
  /// Frees everything a program allocated and resets the machines in place.
  void reset();

  Services& services() { return services_; }
  HostStatistics& host_statistics() { return host_; }
  /// Whether a launch was to be timed.
  bool has_timed() const { return timed_ != nullptr; }
  /// Recorded details of timed launches; complete after finish().
  gpu::RecordedDetails details() const { return timed_ != nullptr ? timed_->details() : gpu::RecordedDetails{}; }
  /// Call after the last launch: closes regions and completes recordings. Returns a message for the user.
  std::string finish();

  const LaunchTotals& totals() const { return totals_; }
  /// Findings of `heddle check` so far.
  const std::vector<gpu::Hazard>& hazards() const { return hazards_.hazards(); }
  const std::vector<gpu::Race>& races() const { return races_.races(); }
  const std::vector<LaunchRecord>& launches() const { return launches_; }
  const std::vector<Region>& regions() const { return regions_; }
  void begin_region(const std::string& name);
  /// False when no region of this name is open.
  bool end_region(const std::string& name);

 private:
  gpu::Machine& machine_for(std::uint64_t launch);
  /// Sets the remainder of the run's limits. Throws Error(kLimit) when they are exhausted.
  void limit(gpu::LaunchRequest& request) const;
  void count(const LaunchRecord& record, double wall_seconds);
  /// Counts the work of a functional launch since the last call.
  void count_functional(const gpu::LaunchReport& report);
  void settle();
  void open_region(const std::string& name, bool on_device);
  /// Closes the region most recently opened under this name; `last`: its last launch. False when none is open.
  bool close_region(const std::string& name, bool on_device, std::uint64_t last);
  void close_region(Region& region, std::uint64_t last);
  /// Opens and closes regions that kernels entered or left.
  void cut_device_regions();

  Options options_;
  std::unique_ptr<gpu::MachineModel> model_;  ///< null when no timed machine is linked
  gpu::DeviceLimits limits_;
  gpu::DeviceMemory memory_;
  DevicePort port_;
  Services services_;
  HostStatistics host_;
  gpu::HazardChecker hazards_;
  gpu::RaceChecker races_;
  gpu::ObserverList checkers_{{&hazards_, &races_}};
  std::unique_ptr<gpu::Machine> functional_, timed_;  ///< built on first use
  LaunchTotals totals_;
  const gpu::Machine* running_ = nullptr;  ///< machine with a launch in progress
  gpu::LaunchReport counted_;              ///< part of the current functional launch already counted in host_
  std::vector<LaunchRecord> launches_;
  std::vector<Region> regions_;
  std::chrono::steady_clock::time_point built_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::runtime
