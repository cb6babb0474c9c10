// SPDX-License-Identifier: Apache-2.0
// GDDR6 (JEDEC JESD250D): two 16-bit channels per chip, each with its own controller here; a burst of sixteen, eight
// beats per command clock cycle.
#include "memory/dram/dram_standard.h"
#include "memory/dram/jedec_timings.h"

namespace heddle::memory {
namespace {

class Gddr6 final : public DramStandard {
 public:
  /// Defaults: an 8 Gb part at 14 Gb/s and 1.35 V, 1750 MHz command clock, as described by Ramulator 2, with burst and
  /// tCCD in cycles of that clock. Currents are not given; nor is tPPD, which is taken from Ramulator's GDDR5 at this
  /// clock. The revision is D, May 2023: the description refers to its table 19 (addressing) and figure 3 (states). The
  /// standard leaves these timings to the vendor in all revisions, except refresh: 16,384 commands in 32 ms.
  struct Parameters : JedecTimings {
    static constexpr Features kFeatures{.beats_per_cycle = 8, .precharges_apart = true};
    Parameters() {
      tCL = 24, tWL = 6, burst_cycles = 2;
      tRCDRD = 26, tRCDWR = 16, tRP = 26, tRAS = 53, tRC = 79;
      tRRDS = tRRDL = 7, tFAW = 28, tPPD = 2;
      tCCDS = 2, tCCDL = 3;
      tWTRS = 9, tWTRL = 11, tWR = 26, tRTP = 4;
      tREFI = 3333, tRFCab = 210, tRFCpb = 105, tRREFD = 14;
    }
    void describe(ParameterVisitor& v) { JedecTimings::describe(v, kFeatures); }
  };

  explicit Gddr6(const Parameters& parameters) : p_(parameters) {}
  DramDevice device() const override { return p_.device(Parameters::kFeatures); }

 private:
  Parameters p_;
};

HEDDLE_REGISTER(DramStandard, Gddr6, "gddr6", "GDDR6 command timing", "JEDEC JESD250D");

}  // namespace
}  // namespace heddle::memory
