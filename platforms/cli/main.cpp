// SPDX-License-Identifier: Apache-2.0
// The command `heddle`: dispatches on the first argument. Invoked under a name containing "nvcc" or "heddle-cc", it
// acts as the compiler driver, so that build systems can use it directly.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cc/driver.h"
#include "cli/commands.h"
#include "cli/run.h"
#include "core/error.h"
#include "core/names.h"
#include "source_commit.h"

namespace {

using heddle::cli::Subcommand;

constexpr Subcommand kSubcommands[] = {
    {"cc", "build a CUDA program for the model, with nvcc's command line", heddle::cc::main},
    {"run", "run a CUDA program on the model", heddle::cli::run},
    {"check", "find races and reliance on lock step in a CUDA program", heddle::cli::check},
    {"annotate", "list a run's kernels with statistics per line and instruction", heddle::cli::annotate},
    {"compare", "show what limits a run, or how runs differ and what causes the difference in cycles",
     heddle::cli::compare},
    {"sweep", "run a study: programs x machines x parameters; resumable, collected into one table", heddle::cli::sweep},
    {"best-limit", "find the number of warps with which each kernel of a CUDA program runs best",
     heddle::cli::best_limit},
    {"report", "write a page that shows the results of runs, alone or side by side", heddle::cli::report},
    {"top", "watch runs in progress", heddle::cli::top},
    {"memtrace", "replay an address trace on a machine's caches and memory", heddle::cli::memtrace},
    {"explain", "describe a parameter, mechanism or statistic, found by name, words or size", heddle::cli::explain},
    {"machines", "list the available machines", heddle::cli::machines},
    {"config", "print a machine with every value resolved, or the difference between two", heddle::cli::config},
    {"cost", "show the storage cost of a machine's mechanisms", heddle::cli::cost},
    {"draw", "draw a machine's modules and connections", heddle::cli::draw},
    {"schema", "print the JSON Schema of machine descriptions", heddle::cli::schema},
    {"reference",
     "write the reference pages of parameters, statistics, environment variables, commands or PTX, or manual pages",
     heddle::cli::reference},
    {"completion", "write the completion of this command line for bash, zsh or fish", heddle::cli::completion},
};

void print_help() {
  fmt::print(
      "usage: heddle SUBCOMMAND [arguments]\nA SystemC model of a SIMT GPU that runs unmodified CUDA programs.\n\n");
  for (const Subcommand& subcommand : kSubcommands) fmt::print("  {:<10} {}\n", subcommand.name, subcommand.sentence);
  fmt::print("\nheddle SUBCOMMAND --help describes each; heddle --version prints the version.\n");
}

int report_unknown(std::string_view name) {
  std::vector<std::string> known;
  for (const Subcommand& subcommand : kSubcommands) known.emplace_back(subcommand.name);
  const std::string hint = heddle::nearest_hint(name, known);
  fmt::print(stderr, "heddle: error: there is no subcommand '{}'{} See heddle --help\n", name,
             hint.empty() ? "." : hint);
  return static_cast<int>(heddle::ExitCode::usage);
}

}  // namespace

std::span<const Subcommand> heddle::cli::subcommands() { return kSubcommands; }

namespace {

int dispatch(int argc, char** argv) {
  const std::string_view called_as = argc > 0 ? argv[0] : "";
  const std::string_view name = called_as.substr(called_as.rfind('/') + 1);
  if (name.find("nvcc") != std::string_view::npos || name.find("heddle-cc") != std::string_view::npos) {
    return heddle::cc::main(argc, argv);
  }
  if (argc < 2) {
    print_help();
    return static_cast<int>(heddle::ExitCode::usage);
  }
  const std::string_view first = argv[1];
  if (first == "--help" || first == "-h" || first == "help") {
    print_help();
    return 0;
  }
  if (first == "--version" || first == "version") {
    fmt::print("heddle " HEDDLE_VERSION " (commit " HEDDLE_COMMIT ")\n");
    return 0;
  }
  // For hints that name a command, also those of a program that `heddle run` starts; the clone's script sets it before.
  setenv("HEDDLE_CALLED_AS", argv[0], 0);
  for (const Subcommand& subcommand : kSubcommands) {
    if (subcommand.name == first) return subcommand.run(argc - 1, argv + 1);
  }
  return report_unknown(first);
}

int report_failure(heddle::ExitCode code, std::string_view what) {
  fmt::print(stderr, "heddle: error: {}\n", what);
  return static_cast<int>(code);
}

/// On a full disk, buffered output may only be lost now.
int close_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return report_failure(heddle::ExitCode::io, fmt::format("standard output: cannot be written: {}",
                                                          errno != 0 ? std::strerror(errno) : "a write failed"));
}

}  // namespace

// Subcommands report their own errors; only unforeseen ones get here. They too end with a status from core/error.h.
int main(int argc, char** argv) {
  using heddle::ExitCode;
  try {
    return close_output(dispatch(argc, argv));
  } catch (const heddle::Error& error) {
    return report_failure(error.code(), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return report_failure(ExitCode::io, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    return report_failure(ExitCode::io, fmt::format("standard output: cannot be written: {}", error.code().message()));
  } catch (const std::bad_alloc&) {
    return report_failure(ExitCode::internal, "out of memory");
  } catch (const std::exception& error) {
    return report_failure(ExitCode::internal, error.what());
  }
}
