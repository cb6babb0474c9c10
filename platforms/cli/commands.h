// SPDX-License-Identifier: Apache-2.0
// Subcommands that say what a machine is made of, and what runs on it did. argv[0] is the subcommand's name; they
// return the process exit status.
#pragma once

#include <span>
#include <string_view>

namespace heddle::cli {

struct Subcommand {
  std::string_view name;
  std::string_view sentence;
  int (*run)(int argc, char** argv);  ///< argv[0] is the subcommand's name; returns the process exit status
};
/// All of them, in the order in which `heddle --help` lists them.
std::span<const Subcommand> subcommands();

int annotate(int argc, char** argv);   ///< what every line and instruction of a run did
int explain(int argc, char** argv);    ///< what a parameter, mechanism or statistic is
int machines(int argc, char** argv);   ///< the presets
int config(int argc, char** argv);     ///< a machine's resolved configuration
int compare(int argc, char** argv);    ///< what several runs differ in
int cost(int argc, char** argv);       ///< the storage that a machine's mechanisms add
int memtrace(int argc, char** argv);   ///< replays an address trace on a machine's memory side
int sweep(int argc, char** argv);      ///< a study of many runs
int report(int argc, char** argv);     ///< a page that shows what runs did
int top(int argc, char** argv);        ///< how far runs are
int schema(int argc, char** argv);     ///< the JSON Schema of machine descriptions
int reference(int argc, char** argv);  ///< the reference pages

}  // namespace heddle::cli
