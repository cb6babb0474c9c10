// SPDX-License-Identifier: Apache-2.0
// What subcommands that run many programs share.
#pragma once

#include "sweep/local_runner.h"
#include "sweep/plan.h"

namespace heddle::cli {

/// The installed model. Throws Error(kIo) if it is incomplete.
sweep::Model installed_model();
/// Runs on this machine, as many at a time as there are cores. jobs: another number; 0: none given.
sweep::RunnerOptions runner_options(unsigned jobs);

}  // namespace heddle::cli
