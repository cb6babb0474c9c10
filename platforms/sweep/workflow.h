// SPDX-License-Identifier: Apache-2.0
// The same study through Snakemake, on this machine or on Slurm.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace heddle::sweep {

struct WorkflowRequest {
  bool slurm = false;
  unsigned jobs = 0;               ///< runs at once; 0: as many as there are cores, or 100 jobs on Slurm
  std::filesystem::path sweep;     ///< folder of the Snakefile and of the Slurm profile
  std::filesystem::path folder;    ///< of results
  std::vector<std::string> extra;  ///< handed on to Snakemake
};

/// The command line of Snakemake for a study.
std::vector<std::string> workflow_command(const Plan& plan, const WorkflowRequest& request);

/// Becomes that command. Throws Error(kUsage) when there is no Snakemake.
[[noreturn]] void become_workflow(const Plan& plan, const WorkflowRequest& request);

}  // namespace heddle::sweep
