// SPDX-License-Identifier: Apache-2.0
// HBM2 (JEDEC JESD235A): one controller per 64-bit pseudo channel. Row and column commands have separate buses; a burst
// of four takes two cycles. An activate takes two cycles as well, and its timings count from the second: seen from the
// first, tRCD and tRAS end a cycle later, and tRP, tRFC and tRREFD may end in the second.
#include "memory/dram/dram_standard.h"
#include "memory/dram/jedec_timings.h"

namespace heddle::memory {
namespace {

class Hbm2 final : public DramStandard {
 public:
  /// Defaults: a stack of four 8 Gb dies at 2 Gb/s per pin, 1 GHz, as in gem5 (tRP, tRCD, tCL, tCWL, tRAS, tRRD, tFAW,
  /// tCCD, tWTR, tWR, tRTP, tRTW, tRFC, tREFI); tRC = tRAS + tRP; per-bank refresh of 160 ns, 8 ns apart, as in
  /// Ramulator 2; currents as in DRAMsim3, halved because its channel is two pseudo channels.
  struct Parameters : JedecTimings {
    static constexpr Features kFeatures{.two_command_buses = true, .activate_cycles = 2};
    Parameters() {
      tCL = 18, tWL = 7, burst_cycles = 2;
      tRCDRD = 12, tRCDWR = 6, tRP = 14, tRAS = 28, tRC = 42;
      tRRDS = 4, tRRDL = 6, tFAW = 16;
      tCCDS = 2, tCCDL = 3;
      tWTRS = 4, tWTRL = 9, tWR = 14, tRTP = 5, tRTW = 18;
      tREFI = 3900, tRFCab = 220, tRFCpb = 160, tRREFD = 8;
      currents = {1200, 32, 20, 27, 195, 250, 125, 1};
    }
    void describe(ParameterVisitor& v) { JedecTimings::describe(v, kFeatures); }
  };

  explicit Hbm2(const Parameters& parameters) : p_(parameters) {}
  DramDevice device() const override { return p_.device(Parameters::kFeatures); }

 private:
  Parameters p_;
};

HEDDLE_REGISTER(DramStandard, Hbm2, "hbm2", "HBM2 command timing, one pseudo channel", "JEDEC JESD235A");

}  // namespace
}  // namespace heddle::memory
