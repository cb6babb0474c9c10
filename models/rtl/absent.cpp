// SPDX-License-Identifier: Apache-2.0
// Without Verilator, the names are registered, and choosing one reports why it is unavailable.
#include "core/config/mechanism.h"
#include "sm/grouping/ganging/gang_issue_table.h"
#include "sm/grouping/ganging/pc_coalescer.h"
#include "sm/grouping/interweaving/context_sorter.h"
#include "sm/grouping/interweaving/secondary_lookup.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/grouping/resizing/mask_merge.h"
#include "sm/grouping/resizing/partner_synch.h"
#include "sm/hazards/dependency_step.h"
#include "sm/prefix_sum/prefix_sum_unit.h"
#include "sm/scheduling/locality/score_cutoff.h"
#include "sm/scheduling/locality/victim_set.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

static const char* const kWhy =
    "this build has no RTL blocks, because Verilator was not found when it was configured (or HEDDLE_WITH_RTL is off); "
    "install it and build again";

HEDDLE_REGISTER_ABSENT(PrefixSumUnit, PrefixSumRtl, "rtl", "rtl/prefix_sum_ks.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(PrefixSumUnit, PrefixSumBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(SubwarpPacker, PackerRtl, "rtl", "rtl/subwarp_pack.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(SubwarpPacker, PackerBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(ContextSorter, ContextSorterRtl, "rtl", "rtl/context_sort.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(ContextSorter, ContextSorterBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(DependencyStep, DependencyStepRtl, "rtl", "rtl/dependency_step.sv, Verilated", "docs/rtl.md",
                       kWhy);
HEDDLE_REGISTER_ABSENT(DependencyStep, DependencyStepBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(SecondaryLookup, SecondaryLookupRtl, "rtl", "rtl/secondary_lookup.sv, Verilated", "docs/rtl.md",
                       kWhy);
HEDDLE_REGISTER_ABSENT(SecondaryLookup, SecondaryLookupBoth, "lockstep", "model and RTL, compared", "docs/rtl.md",
                       kWhy);
HEDDLE_REGISTER_ABSENT(PcCoalescer, PcCoalescerRtl, "rtl", "rtl/pc_coalescer.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(PcCoalescer, PcCoalescerBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(GangIssueTable, GangTableRtl, "rtl", "rtl/gang_table.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(GangIssueTable, GangTableBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(PartnerSynch, PartnerSynchRtl, "rtl", "rtl/partner_synch.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(PartnerSynch, PartnerSynchBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(MaskMerge, MaskMergeRtl, "rtl", "rtl/mask_merge.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(MaskMerge, MaskMergeBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(VictimLookup, VictimLookupRtl, "rtl", "rtl/victim_lookup.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(VictimLookup, VictimLookupBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(ScoreCutoff, ScoreCutoffRtl, "rtl", "rtl/score_cutoff.sv, Verilated", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(ScoreCutoff, ScoreCutoffBoth, "lockstep", "model and RTL, compared", "docs/rtl.md", kWhy);
HEDDLE_REGISTER_ABSENT(OrderPolicy, TwoLevelRtl, "two_level_rotating_rtl", "rtl/two_level_round_robin.sv, Verilated",
                       "docs/guide-rtl-block.md", kWhy);

}  // namespace heddle::sm
