// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/static_load_classes.h"

#include <map>

#include "core/error.h"
#include "isa/image.h"

namespace heddle::sm {
namespace {

constexpr unsigned kTableEntries = 32;  // of the source; what does not fit is in memory

LoadGroups groups_of(const LoopProfile& loop) {
  std::map<std::uint32_t, bool> divergent;  // by repetition
  for (const LoadProfile& load : loop.loads) divergent[load.repetition] |= load.divergent;
  LoadGroups groups;
  for (const auto& [repetition, diverges] : divergent) ++(diverges ? groups.divergent : groups.converged);
  return groups;
}

}  // namespace

StaticLoadClasses::StaticLoadClasses(sc_core::sc_module_name module_name, SmSite& site,
                                     const DivergenceAwareParameters& parameters, const std::string& charged_to)
    : sc_module(module_name),
      call("call"),
      parameters_(parameters),
      group_(site.statistics, "load_classes"),
      most_loads_(group_, "most_loads", "most loads in loops of a kernel, as its profile lists them",
                  unit::kInstructions),
      state_(site.services, site.path(basename()), site.domain()) {
  call.bind(*this);
  if (!parameters_.profile.empty()) profiles_ = KernelProfiles::read(parameters_.profile);
  state_.charge_to(charged_to);
  state_.structure("table", "classes of loads in loops", kTableEntries,
                   {{"loop", 32, 1, 1, true}, {"divergent", 1, 1, 1}, {"repetition", 5, 1, 1}});
}

void StaticLoadClasses::runs(const isa::Kernel& kernel, CodeAddress code) {
  Loaded& loaded = loaded_[code];
  if (loaded.kernel == &kernel && loaded.name == kernel.name) return;
  loaded = {&kernel, kernel.name};
  std::erase_if(of_loop_,
                [&](const auto& loop) { return loop.first >= code && loop.first < code + kernel.ops.size(); });
  if (profiles_ == nullptr) {
    fail(
        ExitCode::configuration,
        "sm.divergence_aware.profile: scheduling by a profile needs one, as a file that `heddle profile-loops` writes: "
        "heddle profile-loops --loops FILE ./app, then --set sm.divergence_aware.profile=FILE");
  }
  const KernelProfile* const profile = profiles_->find(kernel);
  if (profile == nullptr) return;
  std::size_t loads = 0;
  for (const LoopProfile& loop : profile->loops) {
    loads += loop.loads.size();
    if (loop.locality) of_loop_[code + loop.pc] = groups_of(loop);
  }
  most_loads_.record(loads);
}

unsigned StaticLoadClasses::lines(CodeAddress loop, unsigned threads) {
  const auto found = of_loop_.find(loop);
  return found == of_loop_.end() ? 0 : found->second.lines(threads, parameters_.converged_lines);
}

}  // namespace heddle::sm
