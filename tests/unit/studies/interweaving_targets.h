// SPDX-License-Identifier: Apache-2.0
// Evaluation of the targets of branch and warp interweaving.
#pragma once

#include "machine_of.h"
#include "targets.h"

namespace heddle::studies {

// -- logic, without a machine
/// bwi.v1.*, bwi.fig2.*, bwi.v2.*, bwi.v3.*, bwi.v4.*, bwi.inv.sync-comparator
void add_split_targets(Evaluations& targets);
/// bwi.v5.*, bwi.v6.*, bwi.v8.*, the other bwi.inv.*, bwi.cost.sorter-comparators
void add_block_targets(Evaluations& targets);
/// bwi.v7.*, and what a shuffle costs but for storage
void add_shuffle_targets(Evaluations& targets);
/// What follows from the parameters of the presets: bwi.tab2.* but for distances, bwi.peak.groups-sum, bwi.v10.* but
/// for transactions, and counts of the datapath
void add_parameter_targets(Evaluations& targets);

/// What follows from declared structures, on machines that do not run: bwi.tab3.*, bwi.tab4.*, bwi.bits.*
void add_component_targets(Evaluations& targets);

// -- each on one machine, which is built at the first evaluation: once a process
/// bwi.peak.*, bwi.waves.*, bwi.v9.*, bwi.tab2.dependent-issue-*, transactions of bwi.v10.*
void add_interweaving_baseline_targets(Evaluations& targets);
void add_interweaving_frontiers_targets(Evaluations& targets);
void add_branch_interweaving_targets(Evaluations& targets);
void add_warp_interweaving_targets(Evaluations& targets);

}  // namespace heddle::studies
