// SPDX-License-Identifier: Apache-2.0
// The memory side of a machine: the caches of each SM, and behind them crossbar, L2 and DRAM.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device_memory.h"
#include "gpu/gpu_parameters.h"
#include "gpu/instruction_path.h"
#include "gpu/memory_side.h"
#include "memory/host_storage.h"

namespace heddle::gpu {

class CachedMemorySide final : public MemorySide {
 public:
  /// bytes: what foreign initiators read and write; the machine's own requests carry none.
  CachedMemorySide(ClockTree& clocks, ClockDomain& core, unsigned sms, const MachineParameters& parameters,
                   Services& services, DeviceMemory& bytes);

  void bind(sm::Sm& sm) override;
  bool idle() const override;
  void end_of_kernel() override;
  void settle() override { system_->settle(); }
  void reset() override;

  memory::MemorySystem& system() { return *system_; }

 private:
  struct OfSm {
    std::unique_ptr<memory::SmCaches> caches;
    std::unique_ptr<InstructionPath> instructions;
  };
  const SmClass& class_of(unsigned sm) const;

  const MachineParameters& parameters_;
  Services& services_;
  ClockDomain& core_;
  std::unique_ptr<ClockDomain> crossbar_clock_, l2_clock_, dram_clock_;
  std::unique_ptr<memory::MemorySystem> system_;
  std::unique_ptr<memory::HostStorage> storage_;
  std::vector<OfSm> sms_;
};

}  // namespace heddle::gpu
