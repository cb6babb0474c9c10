// SPDX-License-Identifier: Apache-2.0
// Without Verilator, the names are registered, and choosing one reports why it is unavailable.
#include "core/config/mechanism.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/prefix_sum/prefix_sum_unit.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

static const char* const kWhy =
    "this build has no RTL blocks, because Verilator was not found when it was configured (or HEDDLE_WITH_RTL is off); "
    "install it and build again";

HEDDLE_REGISTER_ABSENT(PrefixSumUnit, PrefixSumRtl, "rtl", "rtl/prefix_sum_ks.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(PrefixSumUnit, PrefixSumBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(SubwarpPacker, PackerRtl, "rtl", "rtl/subwarp_pack.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(SubwarpPacker, PackerBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(OrderPolicy, TwoLevelRtl, "two_level_rotating_rtl", "rtl/two_level_round_robin.sv, Verilated",
                       "docs/guide-rtl-block.md", kWhy);

}  // namespace heddle::sm
