// SPDX-License-Identifier: Apache-2.0
#include "sm/needs.h"

#include <array>
#include <string>

#include "core/error.h"
#include "sm/residency/residency.h"
#include "sm/sm_parameters.h"

namespace heddle::sm {

namespace {

struct FeatureText {
  const char *key, *needs;
};
/// By Feature.
constexpr std::array<FeatureText, kFeatures> kTexts = {{
    {"sm.hazards", "hazards by thread (full_masks, one_in_flight)"},
    {"sm.hazards", "waits by register (scoreboard, full_masks)"},
    {"sm.hazards", "to know which threads are in flight (in_flight_bits)"},
    {"sm.shape",
     "contexts that wait for their loads but block nothing else (barrel or one_in_flight without refetch, hazards "
     "one_in_flight)"},
}};

}  // namespace

void check_needs(const SmParameters& p, const GroupingTraits& grouping, const HazardTraits& hazards,
                 const ResidencyTraits& residency) {
  const bool overlaps = p.shape == PipelineShape::buffered || p.refetch != 0;
  Features offered = hazards.offers;
  if (!overlaps && !hazards.offers.has(Feature::register_waits)) offered.add(Feature::load_holds_context);

  const auto require = [&](Feature feature, const std::string& who) {
    if (offered.has(feature)) return;
    const FeatureText& text = kTexts[static_cast<std::size_t>(feature)];
    fail(ExitCode::configuration, "{}: {} needs {}; hazards are {}", text.key, who, text.needs, p.hazards.name());
  };
  for (unsigned i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (grouping.needs.has(feature)) require(feature, p.grouping.name());
  }
  // If a context has several instructions in flight, a thread that moves can track its hazards only by register.
  if (overlaps && grouping.needs.has(Feature::hazards_by_thread)) {
    require(Feature::register_waits,
            p.grouping.name() + ", where a context has several instructions in flight (sm.shape, sm.refetch),");
  }
  if (p.refetch != 0) require(Feature::register_waits, "sm.refetch");
  if (residency.by_granule && (!grouping.places_granules || grouping.granule % isa::kWordThreads != 0)) {
    fail(ExitCode::configuration,
         "sm.residency.policy: {} starts and ends warps one by one, which needs a grouping that keeps the threads of a "
         "warp in its own contexts, in warps of at least {} threads; {} does not",
         p.residency.policy.name(), isa::kWordThreads, p.grouping.name());
  }
}

bool reads_after_loads(const GroupingTraits& grouping, const HazardTraits& hazards) {
  // One instruction in flight is one of a context, and its threads may be in another one when the next issues.
  return hazards.offers.has(Feature::register_waits) || !grouping.needs.has(Feature::hazards_by_thread);
}

}  // namespace heddle::sm
