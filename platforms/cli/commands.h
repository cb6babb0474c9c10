// SPDX-License-Identifier: Apache-2.0
// The subcommands of `heddle`. argv[0] is the subcommand's name; each returns the process exit status.
#pragma once

#include <span>
#include <string_view>

namespace heddle::cli {

struct Subcommand {
  std::string_view name;
  std::string_view sentence;
  int (*run)(int argc, char** argv);  ///< argv[0] is the subcommand's name; returns the process exit status
};
/// All subcommands, in the order of `heddle --help`.
std::span<const Subcommand> subcommands();

int annotate(int argc, char** argv);       ///< statistics per line and instruction of a run
int explain(int argc, char** argv);        ///< describes a parameter, mechanism or statistic
int machines(int argc, char** argv);       ///< the presets
int config(int argc, char** argv);         ///< a machine's resolved configuration
int best_limit(int argc, char** argv);     ///< the warp limit under which each kernel runs best
int compare(int argc, char** argv);        ///< what limits a run; differences between runs
int cost(int argc, char** argv);           ///< storage added by a machine's mechanisms
int draw(int argc, char** argv);           ///< a machine's modules and connections
int memtrace(int argc, char** argv);       ///< replays an address trace on a machine's memory side
int profile_loops(int argc, char** argv);  ///< runs a program and writes a profile of its loops
int replay_l1(int argc, char** argv);      ///< replays a trace of the L1 data caches
int sweep(int argc, char** argv);          ///< a study of many runs
int report(int argc, char** argv);         ///< a page that shows the results of runs
int top(int argc, char** argv);            ///< progress of runs
int schema(int argc, char** argv);         ///< the JSON Schema of machine descriptions
int reference(int argc, char** argv);      ///< the reference pages
int completion(int argc, char** argv);     ///< completion for a shell

}  // namespace heddle::cli
