// SPDX-License-Identifier: Apache-2.0
// Evaluation of the database-search targets.
#pragma once

#include "targets.h"

namespace heddle::studies {

/// db.prefix.*
void add_prefix_targets(Evaluations& targets);
/// db.vec3.8.*, db.vec3.12.*, db.fts.six-to-one
void add_instruction_targets(Evaluations& targets);
/// db.fts.*, db.vec3.11.*
void add_scan_targets(Evaluations& targets);
/// db.idx.*, db.vec3.10.*, db.tt.*
void add_index_targets(Evaluations& targets);
/// db.sec7.2.*, db.fig7.2.*, db.ex3.9.*
void add_hold_targets(Evaluations& targets);

}  // namespace heddle::studies
