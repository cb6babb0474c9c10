// SPDX-License-Identifier: Apache-2.0
#include "sweep/workflow.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "cli/program_file.h"
#include "core/error.h"

namespace heddle::sweep {

std::vector<std::string> workflow_command(const Plan& plan, const WorkflowRequest& request) {
  std::vector<std::string> command = {"snakemake",   "--snakefile",           (request.sweep / "Snakefile").string(),
                                      "--directory", request.folder.string(), "--keep-going"};
  // Keys cover everything a run depends on, so existing results are valid whatever the age of the files.
  command.insert(command.end(), {"--rerun-triggers", "mtime"});
  if (request.slurm) {
    command.insert(command.end(), {"--profile", (request.sweep / "slurm").string()});
    command.insert(command.end(), {"--jobs", std::to_string(request.jobs != 0 ? request.jobs : 100)});
  } else {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    command.insert(command.end(), {"--cores", std::to_string(request.jobs != 0 ? request.jobs : cores)});
  }
  command.insert(command.end(), {"--config", "study=" + plan.study().file.string(), "out=" + request.folder.string(),
                                 "heddle=" + plan.model().program.string()});
  command.insert(command.end(), request.extra.begin(), request.extra.end());
  return command;
}

void become_workflow(const Plan& plan, const WorkflowRequest& request) {
  const std::vector<std::string> command = workflow_command(plan, request);
  const std::string program = cli::find_program(command[0]);
  if (program.empty()) fail(ExitCode::usage, "snakemake is not installed: apt-get install snakemake");
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  fail(ExitCode::usage, "{}: cannot be started: {}", program, std::strerror(errno));
}

}  // namespace heddle::sweep
