// SPDX-License-Identifier: Apache-2.0
#include "common/machine_statistics.h"

#include <fmt/format.h>

#include <map>

#include "gpu/device_memory.h"
#include "gpu/gpu.h"
#include "gpu/gpu_parameters.h"
#include "memory/trace_player.h"
#include "runtime/host_statistics.h"

namespace heddle {
namespace {

struct BuiltMachine {
  explicit BuiltMachine(const MachineParameters& given)
      : parameters(given),
        gpu("gpu", parameters.gpu, services,
            [this](ClockTree& clocks, ClockDomain& core, unsigned sms) {
              return make(parameters.memory_side, gpu::MemorySideSite{clocks, core, sms, parameters, services, bytes});
            },
            {}) {}
  MachineParameters parameters;
  Services services;
  runtime::HostStatistics host{services.statistics};
  memory::TraceCounts trace{services.statistics};
  gpu::DeviceMemory bytes{gpu::DeviceMemory::Parameters{}};
  gpu::Gpu gpu;
};

/// Classes with the same name, which share their statistics, are distinguished by number.
std::vector<std::string> class_of_sm(const gpu::GpuParameters& parameters) {
  std::map<std::string, unsigned> named;
  for (const gpu::SmClass& one : parameters.sm_classes) ++named[one.name];
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < parameters.sm_classes.size(); ++i) {
    const gpu::SmClass& one = parameters.sm_classes[i];
    classes.insert(classes.end(), one.count, named[one.name] == 1 ? one.name : fmt::format("{} {}", one.name, i));
  }
  return classes;
}

}  // namespace

std::shared_ptr<const MachineStructures> machine_structures(const MachineChoice& choice) {
  struct Built {
    explicit Built(const MachineParameters& parameters)
        : machine(parameters), kept{machine.services.structures, class_of_sm(parameters.gpu)} {}
    BuiltMachine machine;
    MachineStructures kept;
  };
  const auto built = std::make_shared<Built>(load_machine(choice)->parameters);
  return {built, &built->kept};
}

std::shared_ptr<const Statistics> machine_statistics(const MachineChoice& choice) {
  const auto loaded = load_machine(choice);
  const auto built = std::make_shared<BuiltMachine>(loaded->parameters);
  return {built, &built->services.statistics};
}

}  // namespace heddle
