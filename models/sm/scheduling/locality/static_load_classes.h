// SPDX-License-Identifier: Apache-2.0
// Classes of loads from a profile: loaded into the classification table when a kernel starts.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.6.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "core/kernel/call.h"
#include "core/kernel/module_state.h"
#include "sm/scheduling/locality/divergence_parameters.h"
#include "sm/scheduling/locality/kernel_profile.h"
#include "sm/scheduling/locality/load_class_call.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class StaticLoadClasses final : public sc_core::sc_module, private LoadClassCall {
 public:
  StaticLoadClasses(sc_core::sc_module_name name, SmSite& site, const DivergenceAwareParameters& parameters,
                    const std::string& charged_to);

  CallExport<LoadClassCall> call;

 private:
  void runs(const isa::Kernel& kernel, CodeAddress code) override;
  void trip_begins(const LoopTrip&) override {}
  void ended(ContextId) override {}
  unsigned lines(CodeAddress loop, unsigned threads) override;

  struct Loaded {
    const isa::Kernel* kernel = nullptr;
    std::string name;  ///< another kernel may have got the place of one that was unloaded
  };

  const DivergenceAwareParameters parameters_;
  std::shared_ptr<const KernelProfiles> profiles_;
  std::unordered_map<CodeAddress, Loaded> loaded_;
  std::unordered_map<CodeAddress, LoadGroups> of_loop_;  ///< loops with locality
  StatisticsGroup group_;
  Maximum most_loads_;
  ModuleState state_;
};

}  // namespace heddle::sm
