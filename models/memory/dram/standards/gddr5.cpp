// SPDX-License-Identifier: Apache-2.0
// GDDR5 (JEDEC JESD212): four beats per pin and command clock cycle; a burst of eight takes two cycles.
#include "memory/dram/dram_standard.h"
#include "memory/dram/jedec_timings.h"

namespace heddle::memory {
namespace {

class Gddr5 final : public DramStandard {
 public:
  /// Defaults: the part of docs/sources/gtx480.md's GTX 480, 924 MHz command clock. Refresh, which is not given there:
  /// SK hynix H5GQ1H24AFR (1 Gb, tREFI 3.9 us, tRFC 65 ns). tRFCpb, half of tRFC, and the currents are estimates from
  /// DRAMsim3's GDDR5 description, for two chips of 32 bits; tPPD as in Ramulator up to a command clock of 1 GHz.
  struct Parameters : JedecTimings {
    static constexpr Features kFeatures{.beats_per_cycle = 4, .activates_in_32 = true, .precharges_apart = true};
    Parameters() {
      tCL = 12, tWL = 4, burst_cycles = 2;
      tRCDRD = tRCDWR = tRP = 12, tRAS = 28, tRC = 40;
      tRRDS = tRRDL = 6, tPPD = 1;
      tCCDS = 2, tCCDL = 3;
      tWTRS = tWTRL = 5, tWR = 12, tRTP = 2;
      tREFI = 3604, tRFCab = 61, tRFCpb = 31, tRREFD = 6;
      currents = {1500, 75, 45, 55, 211, 198, 286, 2};
    }
    void describe(ParameterVisitor& v) { JedecTimings::describe(v, kFeatures); }
  };

  explicit Gddr5(const Parameters& parameters) : p_(parameters) {}
  DramDevice device() const override { return p_.device(Parameters::kFeatures); }

 private:
  Parameters p_;
};

HEDDLE_REGISTER(DramStandard, Gddr5, "gddr5", "GDDR5 command timing", "JEDEC JESD212");

}  // namespace
}  // namespace heddle::memory
