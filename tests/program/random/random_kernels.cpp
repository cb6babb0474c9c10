// SPDX-License-Identifier: Apache-2.0
// Random kernels on random machines against the functional machine: the same bytes, the same number of instructions,
// every issue slot accounted for, no hang.
//
//   random_kernels [--seeds A-B] [--every] [--only LABEL] [--jobs N] [--size N] [--max-cycles N] [--registers N]
//                  [--keep FOLDER] [--machine M] [--set PATH=VALUE]... [--threads N]
//   random_kernels --show SEED
//
// A seed's kernels run on one random machine. With --every they run on every preset as published and on a machine of
// every grouping in every shape of the pipeline; --only takes those whose label begins with LABEL ("preset small",
// "variable_warps", "variable_warps, barrel").
//
// With --registers, threads of the timed machine have at most N registers, and other values are spilled to local
// memory; the functional machine runs the kernel without spilling.
//
// With --threads, N threads of the host simulate the timed machine, as many cycles in a round as the seed says, and a
// second process does on one thread: cycles and all counters must be the same. Commands to DRAM are not recorded then,
// as they would take one thread.
//
// A machine that schedules by a profile of loops gets a random one, and runs the first kernel of the seed only.
//
// Every seed runs in a separate process, because SystemC elaborates once. Failures are written to FOLDER: the PTX, and
// the options of `heddle run` for the machine. The protocol and hazard checkers are on, and several threads work in
// windows of cycles wherever they can.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "core/error.h"
#include "kernel_generator.h"
#include "machine_generator.h"
#include "trial.h"

namespace {

using namespace heddle;
using namespace heddle::random;

constexpr unsigned kSecondsPerSeed = 60;    // of processor time, however busy the host is
constexpr unsigned kLeastSamePercent = 80;  // of the seeds, that were not refused

struct Options : TrialOptions {
  std::uint64_t first = 1, last = 200;
  unsigned jobs = 2;
  std::string only;  ///< beginning of the labels of those machines that are wanted
};

/// The machines that a seed's kernels run on.
std::vector<GeneratedMachine> machines_of(const Options& options, std::uint64_t seed) {
  std::vector<GeneratedMachine> machines = options.every ? every_machine(seed) : std::vector{generate_machine(seed)};
  if (!options.machine.empty()) machines = {GeneratedMachine{options.machine, options.machine, {}, {}}};
  std::erase_if(machines, [&](const GeneratedMachine& m) { return !m.label.starts_with(options.only); });
  for (GeneratedMachine& machine : machines)
    machine.settings.insert(machine.settings.end(), options.settings.begin(), options.settings.end());
  return machines;
}

struct Counts {
  std::uint64_t same = 0, refused = 0, failed = 0;
};

struct Running {
  std::uint64_t seed;
  GeneratedMachine machine;
};

/// Running processes, and the outcome of finished ones by machine label.
class Runs {
 public:
  explicit Runs(const Options& options) : options_(options) {}
  ~Runs() = default;
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  void start(std::uint64_t seed, GeneratedMachine machine) {
    while (running_.size() >= options_.jobs) take_one();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw Error(ExitCode::internal, "no process could be started");
    if (child == 0) {
      const rlimit limit{kSecondsPerSeed, kSecondsPerSeed};
      ::setrlimit(RLIMIT_CPU, &limit);
      TrialEnd end = TrialEnd::different;
      try {
        end = run_trial(options_, seed, machine);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "FAILED seed %lu: %s\n  again: %s\n", seed, error.what(),
                     again(options_, seed, machine).c_str());
      }
      std::fflush(nullptr);
      std::_Exit(static_cast<int>(end));
    }
    running_.emplace(child, Running{seed, std::move(machine)});
  }
  void wait() {
    while (!running_.empty()) take_one();
  }
  const std::map<std::string, Counts>& counts() const { return counts_; }

 private:
  void take_one() {
    int status = 0;
    const pid_t done = ::waitpid(-1, &status, 0);
    const auto found = running_.find(done);
    if (found == running_.end()) return;
    const Running run = std::move(found->second);
    running_.erase(found);
    Counts& counts = counts_[run.machine.label];
    const auto ended_with = [status](TrialEnd end) {
      return WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(end);
    };
    if (ended_with(TrialEnd::same)) {
      ++counts.same;
    } else if (ended_with(TrialEnd::refused)) {
      ++counts.refused;
    } else {
      ++counts.failed;
      if (WIFEXITED(status)) return;
      const int signal = WTERMSIG(status);
      std::fprintf(stderr, "FAILED seed %lu: %s\n  %s\n  again: %s\n", run.seed,
                   signal == SIGXCPU || signal == SIGKILL ? "no end" : strsignal(signal),
                   command_of(run.machine).c_str(), again(options_, run.seed, run.machine).c_str());
    }
  }
  const Options& options_;
  std::map<pid_t, Running> running_;
  std::map<std::string, Counts> counts_;
};

Options parse(int argc, char** argv, bool& show) {
  Options options;
  const auto usage = [&]() -> void {
    std::fprintf(stderr,
                 "usage: %s [--seeds A-B] [--every] [--only LABEL] [--jobs N] [--size N] [--max-cycles N] "
                 "[--registers N] [--keep FOLDER] [--machine M] [--set PATH=VALUE]... [--threads N] [--show SEED]\n",
                 argv[0]);
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--every") {
      options.every = true;
      continue;
    }
    if (i + 1 == argc) usage();
    const std::string value = argv[++i];
    if (name == "--seeds" || name == "--show") {
      show = name == "--show";
      const auto dash = value.find('-');
      options.first = std::strtoull(value.c_str(), nullptr, 10);
      options.last = dash == std::string::npos ? options.first : std::strtoull(value.c_str() + dash + 1, nullptr, 10);
    } else if (name == "--jobs") {
      options.jobs = std::max(1u, static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10)));
    } else if (name == "--size") {
      options.size = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--max-cycles") {
      options.max_cycles = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--registers") {
      options.registers = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--threads") {
      options.threads = std::max(1u, static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10)));
    } else if (name == "--keep") {
      options.keep = value;
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--machine") {
      options.machine = value;
    } else if (name == "--set") {
      options.settings.push_back(value);
    } else {
      usage();
    }
  }
  return options;
}

/// Prints the summary of all seeds. Returns the exit status.
int conclude(const Options& options, const std::map<std::string, Counts>& by_label) {
  Counts all;
  std::map<std::string, std::uint64_t> compared;  ///< by preset, or by grouping over all shapes
  for (const auto& [label, counts] : by_label) {
    all.same += counts.same;
    all.refused += counts.refused;
    all.failed += counts.failed;
    compared[label.substr(0, label.find(','))] += counts.same + counts.failed;
    if (options.every) {
      std::printf("%6lu same, %6lu refused, %6lu failed: %s\n", counts.same, counts.refused, counts.failed,
                  label.c_str());
    }
  }
  std::printf("%lu seeds gave what functional mode gives, %lu machines were refused, %lu failed\n", all.same,
              all.refused, all.failed);
  bool enough = !by_label.empty();
  if (options.every) {
    for (const auto& [label, count] : compared) {
      if (count != 0) continue;
      std::fprintf(stderr, "FAILED: no machine of %s was compared\n", label.c_str());
      enough = false;
    }
  } else if (all.same * 100 < (all.same + all.refused) * kLeastSamePercent) {
    std::fprintf(
        stderr,
        "FAILED: fewer than %u %% of the machines were compared; the generator draws too many that are refused\n",
        kLeastSamePercent);
    enough = false;
  }
  return all.failed == 0 && all.same > 0 && enough ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("HEDDLE_PRESETS", HEDDLE_PRESET_FOLDER, 0);
  ::setenv("HEDDLE_CHECK_PROTOCOL", "1", 0);
  ::setenv("HEDDLE_CHECK_TRACKERS", "1", 0);
  ::setenv("HEDDLE_CHECK_WINDOWS", "1", 0);
  bool show = false;
  const Options options = parse(argc, argv, show);
  if (show) {
    for (unsigned number = 0; number < kKernelsPerSeed; ++number) {
      for (const GeneratedMachine& machine : machines_of(options, options.first))
        std::printf("// %s\n", command_of(machine).c_str());
      std::printf("%s\n", generate_kernel(kernel_seed(options.first, number), options.size).ptx.c_str());
    }
    return 0;
  }
  Runs runs(options);
  for (std::uint64_t seed = options.first; seed <= options.last; ++seed) {
    for (GeneratedMachine& machine : machines_of(options, seed)) runs.start(seed, std::move(machine));
  }
  runs.wait();
  return conclude(options, runs.counts());
}
