// SPDX-License-Identifier: Apache-2.0
// The default memory side: the caches of each SM, then crossbar, L2 and DRAM.
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
  explicit CachedMemorySide(const MemorySideSite& site);

  void bind(sm::Sm& sm) override;
  Lookahead lookahead() const override { return hierarchy_.lookahead(); }
  bool idle() const override;
  bool idle(SmId sm) const override { return instructions_[sm]->outstanding() == 0 && hierarchy_.idle(sm); }
  void end_of_kernel() override { hierarchy_.end_of_kernel(); }
  void settle() override { hierarchy_.settle(); }
  void reset() override { hierarchy_.reset(); }

  MemoryHierarchy* hierarchy() override { return &hierarchy_; }
  memory::MemorySystem& system() { return hierarchy_.system(); }

 private:
  Services& services_;
  MemoryHierarchy hierarchy_;
  std::unique_ptr<memory::HostStorage> storage_;
  std::vector<std::unique_ptr<InstructionPath>> instructions_;  ///< by SM
  CheckedConnections connections_;
};

}  // namespace heddle::gpu
