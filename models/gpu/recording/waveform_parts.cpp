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

/// The modules of an SM that show something: the stages that its gate calls, and what its clock calls.
struct ModulesOfSm {
  std::vector<const Stage*> stages;
  std::vector<const Clocked*> clocked;
  std::vector<std::string> clocked_names;
};

ModulesOfSm modules_of(const sm::Sm& sm) {
  ModulesOfSm modules;
  std::vector<const sc_core::sc_object*> objects = {&sm};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (const auto* stage = dynamic_cast<const Stage*>(objects[i])) modules.stages.push_back(stage);
    if (const auto* clocked = dynamic_cast<const Clocked*>(objects[i])) {
      modules.clocked.push_back(clocked);
      modules.clocked_names.emplace_back(objects[i]->basename());
    }
    const std::vector<sc_core::sc_object*>& children = objects[i]->get_child_objects();
    objects.insert(objects.end(), children.begin(), children.end());
  }
  return modules;
}

}  // namespace

WaveformParts::WaveformParts(const RecordedMachine& machine) {
  for (ClockDomain* domain : machine.clocks.domains()) {
    std::vector<sm::Sm*> sms;
    std::copy_if(machine.sms.begin(), machine.sms.end(), std::back_inserter(sms),
                 [domain](sm::Sm* sm) { return &sm->clock() == domain; });
    if (!sms.empty()) add_sms(*domain, sms);
    if (machine.memory != nullptr) add_memory(*domain, machine);
  }
}

void WaveformParts::add_sms(ClockDomain& domain, const std::vector<sm::Sm*>& sms) {
  std::vector<ModulesOfSm> modules;
  std::vector<StageActivity::Part> parts;
  for (const sm::Sm* sm : sms) {
    modules.push_back(modules_of(*sm));
    parts.push_back({&sm->gate(), modules.back().clocked});
  }
  of_sms_.push_back(std::make_unique<StageActivity>(domain, std::move(parts)));
  const StageActivity& activity = *of_sms_.back();
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const std::string& name = sms[i]->statistics().name();
    parts_.push_back({name, &activity.cycles(i)});
    for (const Stage* stage : modules[i].stages)
      parts_.push_back({name + "." + stage->basename(), &activity.of_stage(i, stage->stage_number())});
    for (std::size_t k = 0; k < modules[i].clocked.size(); ++k)
      parts_.push_back({name + "." + modules[i].clocked_names[k], &activity.of_other(i, k)});
  }
}

void WaveformParts::add_memory(ClockDomain& domain, const RecordedMachine& machine) {
  const std::vector<ProbeGroup*> groups = machine.services.probes.groups();
  std::vector<std::string> scopes;
  std::vector<std::vector<const Clocked*>> modules;
  for (const sc_core::sc_object* object : machine.memory->get_child_objects()) {
    const auto* clocked = dynamic_cast<const Clocked*>(object);
    const std::string scope = object->basename();
    const bool counts = std::any_of(groups.begin(), groups.end(), [&](const ProbeGroup* group) {
      return group->domain() == domain.name() && group->path().starts_with(scope + ".");
    });
    if (clocked == nullptr || !counts) continue;
    scopes.push_back(scope);
    modules.push_back({clocked});
  }
  if (modules.empty()) return;
  of_memory_.push_back(std::make_unique<ModuleActivity>(domain, std::move(modules)));
  for (std::size_t i = 0; i < scopes.size(); ++i) parts_.push_back({scopes[i], &of_memory_.back()->cycles(i)});
}

}  // namespace heddle::gpu
