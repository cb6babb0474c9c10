// SPDX-License-Identifier: Apache-2.0
// Requirements that the mechanisms of an SM place on each other, known from the parameters before anything is built.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace heddle::sm {

struct GroupingTraits;
struct HazardTraits;
struct ResidencyTraits;
struct SmParameters;

/// A property of hazard tracking or of the pipeline that a mechanism can rely on.
enum class Feature : std::uint8_t {
  hazards_by_thread,   ///< hazards follow a thread from context to context
  register_waits,      ///< instructions wait for the registers they read, so a context may have several in flight
  threads_in_flight,   ///< the tracker reports threads whose last packet has not completed
  load_holds_context,  ///< a load blocks its own context until it completes, and nothing else in the SM
};
inline constexpr unsigned kFeatures = 4;

class Features {
 public:
  constexpr Features() = default;
  constexpr Features(std::initializer_list<Feature> features) {
    for (Feature feature : features) bits_ |= bit(feature);
  }
  constexpr bool has(Feature feature) const { return (bits_ & bit(feature)) != 0; }
  constexpr void add(Feature feature) { bits_ |= bit(feature); }

 private:
  static constexpr unsigned bit(Feature feature) { return 1u << static_cast<unsigned>(feature); }
  unsigned bits_ = 0;
};

/// Throws Error(kConfiguration) if the grouping or the pipeline shape needs a feature that neither the hazard tracker
/// nor the shape offers, or if the residency needs more than the grouping can do. The message names the mechanism and
/// the missing feature.
void check_needs(const SmParameters& parameters, const GroupingTraits& grouping, const HazardTraits& hazards,
                 const ResidencyTraits& residency);

/// Whether no instruction reads the register of a load before its value can have come, wherever its threads have gone.
bool reads_after_loads(const GroupingTraits& grouping, const HazardTraits& hazards);

}  // namespace heddle::sm
