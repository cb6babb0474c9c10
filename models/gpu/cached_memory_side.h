// SPDX-License-Identifier: Apache-2.0
// The memory side of a machine: the caches of each SM, and behind them crossbar, L2 and DRAM.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device_memory.h"
#include "gpu/instruction_path.h"
#include "gpu/memory_hierarchy.h"
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
  void end_of_kernel() override { hierarchy_.end_of_kernel(); }
  void settle() override { hierarchy_.system().settle(); }
  void reset() override { hierarchy_.reset(); }

  MemoryHierarchy& hierarchy() { return hierarchy_; }
  memory::MemorySystem& system() { return hierarchy_.system(); }

 private:
  Services& services_;
  ClockDomain& core_;
  MemoryHierarchy hierarchy_;
  std::unique_ptr<memory::HostStorage> storage_;
  std::vector<std::unique_ptr<InstructionPath>> instructions_;  ///< by SM
  CheckedConnections connections_;
};

}  // namespace heddle::gpu
