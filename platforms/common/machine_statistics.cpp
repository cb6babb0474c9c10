// SPDX-License-Identifier: Apache-2.0
#include "common/machine_statistics.h"

#include "gpu/cached_memory_side.h"
#include "gpu/device_memory.h"
#include "memory/trace_player.h"
#include "runtime/host_statistics.h"

namespace heddle {
namespace {

struct BuiltMachine {
  explicit BuiltMachine(const MachineParameters& given)
      : parameters(given),
        gpu("gpu", parameters.gpu, services,
            [this](ClockTree& clocks, ClockDomain& core, unsigned sms) {
              return std::make_unique<gpu::CachedMemorySide>(clocks, core, sms, parameters, services, bytes);
            },
            {}) {}
  MachineParameters parameters;
  Services services;
  runtime::HostStatistics host{services.statistics};
  memory::TraceStatistics trace{services.statistics};
  gpu::DeviceMemory bytes{gpu::DeviceMemory::Parameters{}};
  gpu::Gpu gpu;
};

}  // namespace

std::shared_ptr<const Structures> machine_structures(const MachineChoice& choice) {
  const auto loaded = load_machine(choice);
  const auto built = std::make_shared<BuiltMachine>(loaded->parameters);
  return {built, &built->services.structures};
}

std::shared_ptr<const Statistics> machine_statistics(const MachineChoice& choice) {
  const auto loaded = load_machine(choice);
  const auto built = std::make_shared<BuiltMachine>(loaded->parameters);
  return {built, &built->services.statistics};
}

}  // namespace heddle
