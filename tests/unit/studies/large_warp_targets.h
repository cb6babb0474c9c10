// SPDX-License-Identifier: Apache-2.0
// Evaluation of the targets of large warps and two-level scheduling.
#pragma once

#include "machine_of.h"
#include "targets.h"

namespace heddle::studies {

// -- logic, without a machine
/// lw.fig4.5.*, lw.vec3.2.*, lw.sec4.2.*, lw.inv.*
void add_packer_targets(Evaluations& targets);
/// lw.fig4.6.*, lw.ex3.7.head-returns, lw.cost.2lev-*, lw.cost.timeout-counter
void add_schedule_targets(Evaluations& targets);
/// lw.fig2.2.*, lw.sec3.2.1.*
void add_path_targets(Evaluations& targets);
/// lw.cost.storage-*, lw.cost.rf-* but for the total
void add_cost_targets(Evaluations& targets);

// -- each on one machine, which is built at the first evaluation: once a process
/// lw.timing.*, lw.ex3.7.tail-bubbles, lw.cost.storage-total, lw.cost.packer-find-first
void add_large_warp_core_targets(Evaluations& targets);
/// lw.timing.barrel-refetch, lw.sec2.1.3.1.*
void add_barrel_core_targets(Evaluations& targets);
/// lw.sec4.3.*
void add_two_level_core_targets(Evaluations& targets);

}  // namespace heddle::studies
