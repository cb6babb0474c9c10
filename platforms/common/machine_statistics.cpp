// SPDX-License-Identifier: Apache-2.0
#include "common/machine_statistics.h"

#include "gpu/gpu.h"

namespace heddle {
namespace {

/// Leaves the sockets of the SMs open: nothing runs.
class NoMemory final : public gpu::MemorySide {
 public:
  void bind(sm::Sm&) override {}
  bool idle() const override { return true; }
};

struct BuiltMachine {
  explicit BuiltMachine(const MachineDescription& description)
      : gpu("gpu", description.gpu, services, [](auto&&...) { return std::make_unique<NoMemory>(); }, {}) {}
  Services services;
  gpu::Gpu gpu;
};

}  // namespace

std::shared_ptr<const Statistics> machine_statistics(const MachineChoice& choice) {
  const auto loaded = load_machine(choice);
  const auto built = std::make_shared<BuiltMachine>(loaded->description);
  return {built, &built->services.statistics};
}

}  // namespace heddle
