// SPDX-License-Identifier: Apache-2.0
// Timings common to JEDEC's graphics memories and HBM, and the constraints derived from them. Each standard adds its
// values and extensions in a file under standards/.
#pragma once

#include <string>

#include "core/config/parameters.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// All in cycles of the command clock. A timing of 0 imposes no constraint.
struct JedecTimings {
  /// Features of a standard; an absent one yields neither parameters nor constraints.
  struct Features {
    unsigned beats_per_cycle = 2;
    bool bank_groups = true;
    bool refreshes_banks = true;
    bool activates_in_32 = false;    ///< has a window of 32 activates (t32AW)
    bool precharges_apart = false;   ///< has a minimum distance between precharges (tPPD)
    bool two_command_buses = false;  ///< row and column commands have separate pins
    unsigned activate_cycles = 1;    ///< an activate occupies the command bus; the last one opens the row
  };

  unsigned tCL = 1, tWL = 1, burst_cycles = 1;
  unsigned tRCDRD = 0, tRCDWR = 0, tRP = 0, tRAS = 0, tRC = 0;
  unsigned tRRDS = 0, tRRDL = 0, tFAW = 0, t32AW = 0, tPPD = 0;
  unsigned tCCDS = 1, tCCDL = 1;
  unsigned tWTRS = 0, tWTRL = 0, tWR = 0, tRTP = 0, tRTW = 0, tRTRS = 1;
  unsigned tREFI = 0, tRFCab = 0, tRFCpb = 0, tRREFD = 0;
  std::string activate_to_refresh = "tRREFD";
  DramCurrents currents;

  void describe(ParameterVisitor& v, const Features& features);
  void check(ParameterChecks& checks) const;
  DramDevice device(const Features& features) const;
};

}  // namespace heddle::memory
