// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/waveform_parts.h"

#include <algorithm>

#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "gpu/recording/recording.h"
#include "memory/memory_system.h"
#include "sm/sm.h"

namespace heddle::gpu {
namespace {

/// What the clock calls for an SM: its gate, and the caches in it.
std::vector<const Clocked*> called_for(const sm::Sm& sm) {
  std::vector<const Clocked*> called = {&sm.gate()};
  std::vector<const sc_core::sc_object*> objects = {&sm};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (const auto* clocked = dynamic_cast<const Clocked*>(objects[i])) called.push_back(clocked);
    const std::vector<sc_core::sc_object*>& children = objects[i]->get_child_objects();
    objects.insert(objects.end(), children.begin(), children.end());
  }
  return called;
}

}  // namespace

WaveformParts::WaveformParts(const RecordedMachine& machine) {
  const std::vector<ProbeGroup*> groups = machine.services.probes.groups();
  for (ClockDomain* domain : machine.clocks.domains()) {
    std::vector<Part> parts;
    for (sm::Sm* sm : machine.sms) {
      if (&sm->clock() == domain) parts.push_back({sm->statistics().name(), called_for(*sm)});
    }
    static const std::vector<sc_core::sc_object*> kNone;
    for (const sc_core::sc_object* object : machine.memory != nullptr ? machine.memory->get_child_objects() : kNone) {
      const auto* clocked = dynamic_cast<const Clocked*>(object);
      const std::string scope = object->basename();
      const bool counts = std::any_of(groups.begin(), groups.end(), [&](const ProbeGroup* group) {
        return group->domain() == domain->name() && group->path().starts_with(scope + ".");
      });
      if (clocked != nullptr && counts) parts.push_back({scope, {clocked}});
    }
    if (!parts.empty()) add(*domain, parts);
  }
}

void WaveformParts::add(ClockDomain& domain, const std::vector<Part>& parts) {
  std::vector<std::vector<const Clocked*>> modules;
  for (const Part& part : parts) modules.push_back(part.modules);
  activities_.push_back(std::make_unique<ModuleActivity>(domain, std::move(modules)));
  for (std::size_t i = 0; i < parts.size(); ++i) parts_.push_back({parts[i].scope, &activities_.back()->cycles(i)});
}

}  // namespace heddle::gpu
