// SPDX-License-Identifier: Apache-2.0
// Runs a study through Snakemake, on this machine or on Slurm.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace heddle::sweep {

struct WorkflowRequest {
  bool slurm = false;
  unsigned jobs = 0;               ///< concurrent runs; 0: one per core, or 100 jobs on Slurm
  std::filesystem::path sweep;     ///< folder of the Snakefile and of the Slurm profile
  std::filesystem::path folder;    ///< of results
  std::vector<std::string> extra;  ///< passed to Snakemake
};

/// The command line of Snakemake for a study.
std::vector<std::string> workflow_command(const Plan& plan, const WorkflowRequest& request);

/// Replaces this process by that command. Throws Error(kUsage) when Snakemake is missing.
[[noreturn]] void become_workflow(const Plan& plan, const WorkflowRequest& request);

}  // namespace heddle::sweep
