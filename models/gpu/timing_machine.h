// SPDX-License-Identifier: Apache-2.0
// The cycle model as a Machine: configured from a preset, built once, one launch at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/gpu.h"
#include "gpu/machine_selection.h"

namespace heddle::gpu {

class TimingMachine final : public Machine {
 public:
  TimingMachine(const MachineParameters& parameters, const DeviceLimits& limits, DeviceMemory& memory,
                isa::MemoryPort& port, Services& services, const BuildOptions& options = {},
                const RecordingRequest& recording = {});
  ~TimingMachine() override;

  std::string_view name() const override { return "timing"; }
  const DeviceLimits& limits() const override { return limits_; }
  LaunchReport launch(const LaunchRequest& request) override;
  LaunchReport so_far() const override;
  /// launch() in steps, for callers inside the simulation: begin() begins a launch; whenever the clocks call attention,
  /// look() returns whether it has ended. Both throw as launch() does; the clocks have then halted if the machine is
  /// unusable.
  void begin(const LaunchRequest& request);
  bool look();
  /// A fault has ended a launch; the machine accepts no other.
  bool unusable() const { return faulted_ != nullptr; }
  /// Does not recover from a fault: the blocks of the failed launch are still resident.
  void reset() override;
  void settle() override { gpu_->settle(); }
  double now() const override;
  RecordedDetails details() const override { return recording_->details(); }
  std::string finish() override;

  Gpu& gpu() { return *gpu_; }

 private:
  std::shared_ptr<isa::LaunchState> prepare(const LaunchRequest& request);
  /// Runs `work` for the current launch; if it throws, records the state of the machine.
  template <typename Work>
  auto guarded(Work&& work);

  MachineParameters parameters_;
  DeviceLimits limits_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Recording> recording_;
  std::string thread_note_;                    ///< that fewer threads work than were asked for; or empty
  LaunchReport under_way_;                     ///< state at the start of the launch
  std::shared_ptr<const isa::Kernel> kernel_;  ///< of the last launch
  std::uint64_t warp_instructions_before_ = 0, thread_instructions_before_ = 0;
  /// Address of each kernel's instructions. Holds the kernel, so that its pointer is not reused by another.
  std::vector<std::pair<std::shared_ptr<const isa::Kernel>, std::uint64_t>> code_;
  unsigned instruction_bytes_ = 1;  ///< maximum over all SM classes
  static constexpr std::uint64_t kCodeBase = 0x3c00'0000'0000;
  std::uint64_t next_code_ = kCodeBase;
  bool failed_ = false;                         ///< a launch ended by an error
  std::shared_ptr<const isa::Kernel> faulted_;  ///< the kernel ended by a fault, kept because its blocks refer to it
};

}  // namespace heddle::gpu
