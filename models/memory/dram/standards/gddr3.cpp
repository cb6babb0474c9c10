// SPDX-License-Identifier: Apache-2.0
// GDDR3: no bank groups, all-bank refresh only; a burst of four takes two cycles.
#include "memory/dram/dram_standard.h"
#include "memory/dram/jedec_timings.h"

namespace heddle::memory {
namespace {

class Gddr3 final : public DramStandard {
 public:
  /// Defaults: Qimonda HYB18H512321AF-14 (data sheet 1.73, tables 38 and 39), 700 MHz, two chips of 32 bits; tWL 4, one
  /// of the programmable values, tRCDWR = tRCDRD - (tWL + 1), tRTP half a burst; no tFAW is specified. Currents:
  /// HYB18H1G321AF-14 (data sheet 0.92, table 20).
  struct Parameters : JedecTimings {
    static constexpr Features kFeatures{.bank_groups = false, .refreshes_banks = false};
    Parameters() {
      tCL = 11, tWL = 4, burst_cycles = 2;
      tRCDRD = 11, tRCDWR = 6, tRP = 12, tRAS = 18, tRC = 30;
      tRRDS = 7;
      tCCDS = 2;
      tWTRS = 5, tWR = 8, tRTP = 2;
      tREFI = 2730, tRFCab = 37;
      currents = {1800, 300, 230, 310, 395, 415, 450, 2};
    }
    void describe(ParameterVisitor& v) { JedecTimings::describe(v, kFeatures); }
  };

  explicit Gddr3(const Parameters& parameters) : p_(parameters) {}
  DramDevice device() const override { return p_.device(Parameters::kFeatures); }

 private:
  Parameters p_;
};

HEDDLE_REGISTER(DramStandard, Gddr3, "gddr3", "GDDR3 command timing", "Qimonda HYB18H512321AF data sheet");

}  // namespace
}  // namespace heddle::memory
