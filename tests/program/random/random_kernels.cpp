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
// the options of `heddle run` for the machine. The protocol and hazard checkers are on.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>

#include "core/config/configuration.h"
#include "core/error.h"
#include "gpu/device_memory.h"
#include "gpu/functional/functional_machine.h"
#include "gpu/occupancy.h"
#include "gpu/timing_machine.h"
#include "isa/analysis/loop_extents.h"
#include "isa/module.h"
#include "kernel_frame.h"
#include "kernel_generator.h"
#include "machine_generator.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/kernel_profile.h"
#include "tb/device_port.h"
#include "tb/dram/checked_memory.h"

namespace {

using namespace heddle;
using namespace heddle::random;

constexpr int kSame = 0, kDifferent = 1, kRefused = 2;  // exit statuses of a seed's process
constexpr unsigned kSecondsPerSeed = 60;                // of processor time, however busy the host is
constexpr unsigned kKernelsPerSeed = 2;
constexpr unsigned kLeastSamePercent = 80;  // of the seeds, that were not refused
constexpr std::uint64_t kInstructionLimit = 40'000'000;

struct Options {
  std::uint64_t first = 1, last = 200;
  unsigned jobs = 2, size = 30;
  std::uint64_t max_cycles = 60'000'000;  ///< of a kernel: nothing that ends takes as many
  unsigned threads = 1;                   ///< of the host
  std::uint32_t registers = 0;            ///< a thread may have on the timed machine; 0: any number
  std::filesystem::path keep = std::filesystem::temp_directory_path();
  bool every = false;                 ///< machines, instead of a random one
  std::string only;                   ///< beginning of the labels of those that are wanted
  std::string machine;                ///< instead of a random one
  std::vector<std::string> settings;  ///< in addition
};

/// One kernel, its launch and its memory.
class Trial {
 public:
  Trial(std::uint64_t seed, const Options& options, const gpu::DeviceLimits& limits, gpu::DeviceMemory& memory)
      : random_(seed ^ 0x1a2b3c4d), generated_(generate_kernel(seed, options.size)), memory_(memory) {
    const auto module = isa::Module::parse(generated_.ptx, "random.ptx");
    kernel_ = timed_kernel_ = module->lower("k", tb::NoSymbols());
    if (options.registers != 0 || !limits.code_passes.empty()) {
      isa::LowerOptions lowering{.passes = limits.code_passes};
      if (options.registers != 0) lowering.spill_limit = [&](const isa::Kernel&) { return options.registers; };
      timed_kernel_ = module->lower("k", tb::NoSymbols(), lowering);
    }
    choose_shape(limits);
    const std::uint64_t threads = request_.grid.volume() * request_.block.volume();
    inputs_ = allocate(4 * kInputWords);
    results_ = allocate(threads * kResultBytes);
    scratch_ = allocate(threads * kScratchBytes);
    sums_ = allocate(4 * kSums);
    request_.max_thread_instructions = kInstructionLimit;
    request_.max_cycles = options.max_cycles;
    request_.dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes(request_.block.volume()));
    for (const Range& range : {inputs_, results_, scratch_, sums_}) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&range.address);
      request_.parameters.insert(request_.parameters.end(), bytes, bytes + 8);
    }
    for (unsigned i = 0; i < kInputWords; ++i) input_words_.push_back(static_cast<std::uint32_t>(random_()));
  }

  /// Whether no machine of these limits can hold one block.
  bool too_big() const { return too_big_; }

  /// A profile of the kernel's loops with random classes.
  sm::KernelProfiles random_profile() {
    sm::KernelProfile profile{timed_kernel_->name, {}, {}};
    const isa::LoopExtents loops(*timed_kernel_);
    for (const isa::LoopExtent& loop : loops.all()) {
      sm::LoopProfile& of = profile.loops.emplace_back();
      of.pc = loop.begin;
      of.locality = below(4) != 0;
      for (std::uint32_t pc = loop.begin; pc <= loop.end; ++pc) {
        if (loops.innermost(pc) == &loop && sm::is_gated_load(timed_kernel_->ops[pc]))
          of.loads.push_back({pc, 0, below(2) != 0, below(4)});
      }
    }
    return sm::KernelProfiles({std::move(profile)});
  }

  struct Outcome {
    std::vector<std::byte> results, scratch, sums;
    std::uint64_t thread_instructions = 0, cycles = 0;
  };
  Outcome run(gpu::Machine& machine, std::uint64_t id, bool timed) {
    request_.kernel = timed ? timed_kernel_ : kernel_;
    std::memcpy(at(inputs_), input_words_.data(), 4 * kInputWords);
    std::memset(at(results_), 0, results_.bytes);
    std::memset(at(scratch_), 0, scratch_.bytes);
    for (unsigned i = 0; i < kSums; ++i) {
      const std::uint32_t first = first_sum(i);
      std::memcpy(at(sums_) + 4 * i, &first, 4);
    }
    request_.id = id;
    const gpu::LaunchReport report = machine.launch(request_);
    return {copy(results_), copy(scratch_), copy(sums_), report.thread_instructions, report.cycles};
  }

  /// The first difference; empty if there is none.
  std::string difference(const Outcome& got, const Outcome& wanted) const {
    if (const std::string text = difference(got.results, wanted.results, kResultBytes, "results"); !text.empty())
      return text;
    if (const std::string text = difference(got.scratch, wanted.scratch, kScratchBytes, "scratch"); !text.empty())
      return text;
    if (const std::string text = difference(got.sums, wanted.sums, 4, "sums"); !text.empty()) return text;
    if (generated_.fixed_count && timed_kernel_->spilled_values == 0 &&
        got.thread_instructions != wanted.thread_instructions) {
      return fmt::format("{} thread-instructions instead of {}", got.thread_instructions, wanted.thread_instructions);
    }
    return "";
  }

  const std::string& ptx() const { return generated_.ptx; }
  std::string shape() const {
    const auto text = [](const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); };
    return fmt::format("grid {}, block {}, {} bytes of shared memory, {} registers ({} when timed)",
                       text(request_.grid), text(request_.block), request_.dynamic_shared_bytes, kernel_->registers,
                       timed_kernel_->registers);
  }

 private:
  struct Range {
    std::uint64_t address = 0, bytes = 0;
  };

  static std::uint64_t shared_bytes(std::uint64_t threads) { return 4 * kSharedSums + kSharedThreadBytes * threads; }
  static std::byte* at(const Range& range) { return reinterpret_cast<std::byte*>(range.address); }
  static std::vector<std::byte> copy(const Range& range) { return {at(range), at(range) + range.bytes}; }
  Range allocate(std::uint64_t bytes) { return {memory_.allocate(bytes, gpu::AllocationKind::device), bytes}; }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void choose_shape(const gpu::DeviceLimits& limits) {
    std::uint32_t threads = 1 + below(3) * 32 + (below(2) != 0 ? 31 + 32 * below(8) : below(200));
    threads = std::min(threads, limits.max_threads_per_block);
    const auto fits = [&] {
      const gpu::BlockNeeds needs{threads, kernel_->registers, static_cast<std::uint32_t>(shared_bytes(threads))};
      return gpu::occupancy(limits, needs).blocks_per_sm > 0;
    };
    while (threads > 1 && !fits()) threads = (threads + 1) / 2;
    too_big_ = !fits();
    request_.block = {threads, 1, 1};
    if (below(3) == 0 && threads % 4 == 0) {
      request_.block = below(2) != 0 ? Dim3{threads / 4, 4, 1} : Dim3{threads / 4, 2, 2};
    }
    const std::uint32_t blocks = 1 + below(std::max(1u, std::min(12u, 1500u / threads)));
    request_.grid = blocks % 2 == 0 ? Dim3{blocks / 2, 2, 1} : Dim3{blocks, 1, 1};
  }

  std::string difference(const std::vector<std::byte>& got, const std::vector<std::byte>& wanted, std::size_t each,
                         const char* what) const {
    const auto differ =
        static_cast<std::size_t>(std::mismatch(got.begin(), got.end(), wanted.begin()).first - got.begin());
    if (differ == got.size()) return "";
    std::size_t places = 0;
    for (std::size_t i = 0; i < got.size(); i += each) places += std::memcmp(&got[i], &wanted[i], each) != 0 ? 1 : 0;
    std::uint32_t a = 0, b = 0;
    std::memcpy(&a, &got[differ / 4 * 4], 4);
    std::memcpy(&b, &wanted[differ / 4 * 4], 4);
    return fmt::format("{}: {} of {} differ, the first is {} at byte {}: 0x{:08x} instead of 0x{:08x}", what, places,
                       got.size() / each, differ / each, differ % each, a, b);
  }

  std::mt19937_64 random_;
  GeneratedKernel generated_;
  gpu::DeviceMemory& memory_;
  std::shared_ptr<const isa::Kernel> kernel_, timed_kernel_;
  gpu::LaunchRequest request_;
  Range inputs_, results_, scratch_, sums_;
  std::vector<std::uint32_t> input_words_;
  bool too_big_ = false;
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

/// For file names and messages.
std::string name_of(const Options& options, std::uint64_t seed, const GeneratedMachine& machine) {
  std::string name = fmt::format("seed-{}", seed);
  if (options.every) name += "-" + machine.label;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return name;
}

std::string again(const Options& options, std::uint64_t seed, const GeneratedMachine& machine) {
  std::string text = fmt::format("random_kernels --seeds {}", seed);
  if (options.every) text += fmt::format(" --every --only '{}'", machine.label);
  if (options.registers != 0) text += fmt::format(" --registers {}", options.registers);
  if (options.threads != 1) text += fmt::format(" --threads {}", options.threads);
  if (!options.machine.empty()) text += " --machine " + options.machine;
  for (const std::string& setting : options.settings) text += fmt::format(" --set '{}'", setting);
  return text;
}

std::string command_of(const GeneratedMachine& machine) {
  std::string text = "--machine " + machine.machine;
  for (const std::string& setting : machine.settings) text += fmt::format(" --set '{}'", setting);
  text += fmt::format("  (reverse construction {}, permuted calls {}, gating {})", machine.options.reverse_construction,
                      machine.options.permute_calls, machine.options.gating);
  return text;
}

std::uint64_t kernel_seed(std::uint64_t seed, unsigned number) { return seed * kKernelsPerSeed + number; }

/// Violations in the DRAM commands found by the independent command checker; empty: none, and the file is deleted.
std::string judged(const std::string& file, const gpu::MachineParameters& parameters) {
  tb::CommandChecker checker(tb::checked_memory(parameters.memory.controller.dram));
  std::ifstream trace(file);
  checker.take(trace);
  if (checker.fault_count() == 0) {
    std::filesystem::remove(file);
    return {};
  }
  return fmt::format("{} commands to memory are illegal: {}; see {}", checker.fault_count(), checker.faults().front(),
                     file);
}

/// Whether the machine schedules by a profile of loops and none was given.
bool wants_profile(const GeneratedMachine& machine) {
  bool profiled = machine.machine == "daws-profiled";
  for (const std::string& setting : machine.settings) {
    if (setting.starts_with("sm.divergence_aware.classes=")) profiled = setting.ends_with("=profiled");
    if (setting.starts_with("sm.divergence_aware.profile=")) return false;
  }
  return profiled;
}

std::string all_counters(const Statistics& statistics) {
  std::string text;
  for (const StatisticsOwner* owner : statistics.owners()) {
    for (const StatisticDeclaration& statistic : owner->declarations()) {
      for (std::size_t i = statistic.first; i < statistic.first + statistic.count; ++i)
        text += fmt::format("{}.{} {}\n", owner->name(), statistic.name, owner->data()[i]);
    }
  }
  return text;
}

/// Runs in the seed's own process. counts: gets the cycles of the kernels and all counters; null: nobody asks.
int run_seed(const Options& options, std::uint64_t seed, GeneratedMachine machine, std::string* counts) {
  const std::string name = name_of(options, seed, machine) + (counts == nullptr ? "" : fmt::format("-{}", getpid()));
  const std::filesystem::path profile = options.keep / (name + "-profile.json");
  const bool profiled = wants_profile(machine);
  const unsigned kernels = profiled ? 1 : kKernelsPerSeed;
  if (profiled) machine.settings.push_back(fmt::format("sm.divergence_aware.profile={}", profile.string()));
  gpu::MachineParameters parameters;
  Configuration configuration(parameters);
  try {
    gpu::load_machine(parameters, configuration, {machine.machine, machine.settings});
  } catch (const Error& error) {
    if (!options.every) std::fprintf(stderr, "seed %lu: not a machine: %s\n", seed, error.what());
    return kRefused;
  }
  const gpu::DeviceLimits limits = gpu::limits_of(parameters, configuration.name());
  gpu::DeviceMemory memory({gpu::DeviceMemory::kDefaultBase, 64 << 20, 1 << 20});
  tb::DevicePort port(memory);
  gpu::FunctionalMachine::Parameters functional_parameters;
  functional_parameters.limits = limits;
  gpu::FunctionalMachine functional(functional_parameters, memory, port);
  Services services;
  const bool has_dram = parameters.memory.main_memory.name() == "dram" && counts == nullptr;
  const std::string commands = options.keep / (name + "-commands.csv");
  std::unique_ptr<gpu::TimingMachine> timing;
  for (unsigned number = 0; number < kernels; ++number) {
    std::string problem, where = "functional mode";
    Trial trial(kernel_seed(seed, number), options, limits, memory);
    if (trial.too_big()) return kRefused;
    try {
      const Trial::Outcome wanted = trial.run(functional, number + 1, false);
      where = "timed machine";
      if (timing == nullptr) {
        gpu::RecordingRequest recording;
        if (has_dram) recording.commands = commands;
        if (profiled) std::ofstream(profile) << trial.random_profile().text();
        timing = std::make_unique<gpu::TimingMachine>(parameters, limits, memory, port, services, machine.options,
                                                      recording);
      }
      const Trial::Outcome outcome = trial.run(*timing, number + 1, true);
      if (counts != nullptr) *counts += fmt::format("kernel {}: cycles {}\n", number + 1, outcome.cycles);
      problem = trial.difference(outcome, wanted);
      timing->settle();
      timing->gpu().check_accounts();
      if (problem.empty() && has_dram && number + 1 == kernels) {
        timing->finish();
        problem = judged(commands, parameters);
      }
    } catch (const Error& error) {
      if (error.code() == ExitCode::configuration) {
        if (!options.every) std::fprintf(stderr, "seed %lu: not a machine: %s\n", seed, error.what());
        return kRefused;
      }
      problem = where + ": " + error.what();
      if (error.code() == ExitCode::limit && timing != nullptr) problem += "\n" + timing->gpu().state_dump();
    }
    if (problem.empty()) continue;
    const std::filesystem::path file = options.keep / fmt::format("{}-{}.ptx", name, number + 1);
    std::ofstream out(file);
    out << "// seed " << seed << ", kernel " << number + 1 << ", " << trial.shape() << "\n// " << command_of(machine)
        << "\n"
        << trial.ptx();
    out.close();
    std::fprintf(stderr, "FAILED seed %lu, kernel %u: %s\n  %s\n  %s\n  %s\n  again: %s\n", seed, number + 1,
                 problem.c_str(), command_of(machine).c_str(), trial.shape().c_str(), file.c_str(),
                 again(options, seed, machine).c_str());
    return kDifferent;
  }
  if (profiled) std::filesystem::remove(profile);
  if (counts != nullptr && timing != nullptr) *counts += all_counters(services.statistics);
  return kSame;
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t bytes = ::read(file, part.data(), part.size());
    if (bytes <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

/// Several SMs, and what rounds of several cycles need: an L2, and one clock for it, the crossbar and the SMs.
void prepare_for_threads(GeneratedMachine& machine, std::uint64_t seed) {
  std::string clock = "700000";
  const std::string core = "gpu.clocks.core=";
  for (const std::string& setting : machine.settings) {
    if (setting.starts_with(core)) clock = setting.substr(core.size());
  }
  for (const char* const of : {"core", "interconnect", "l2"})
    machine.settings.push_back(fmt::format("gpu.clocks.{}={}", of, clock));
  for (const char* const part : {"l2", "crossbar"}) machine.settings.push_back(fmt::format("memory.has_{}=true", part));
  machine.settings.push_back(fmt::format("memory.l2.lookup_latency={}", 1 + seed % 50));
  machine.settings.push_back(fmt::format("gpu.sm_classes.0.count={}", 2 + seed % 4));
  // Without gating, modules go on counting for a while after the end of a kernel. Parts permute their calls each on its
  // own; that the order does not matter is for the order tests.
  machine.options.gating = true;
  machine.options.permute_calls = 0;
}

/// run_seed() on several threads, and in another process on one, with the same counts.
int run_seed_on_threads(const Options& options, std::uint64_t seed, GeneratedMachine machine) {
  prepare_for_threads(machine, seed);
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) throw Error(ExitCode::internal, "no pipe could be made");
  const pid_t child = ::fork();
  if (child < 0) throw Error(ExitCode::internal, "no process could be started");
  std::string counts;
  if (child == 0) {
    const int status = run_seed(options, seed, machine, &counts);
    for (std::size_t sent = 0; sent < counts.size();) {
      const ssize_t bytes = ::write(ends[1], counts.data() + sent, counts.size() - sent);
      if (bytes <= 0) break;
      sent += static_cast<std::size_t>(bytes);
    }
    std::_Exit(status);
  }
  ::close(ends[1]);
  machine.options.threads = options.threads;
  machine.options.thread_cycles = 1 + seed % kLongestWindow;
  const int status = run_seed(options, seed, machine, &counts);
  const std::string on_one = read_all(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (status != kSame || counts == on_one) return status;
  const auto differ = static_cast<std::size_t>(
      std::mismatch(counts.begin(), counts.end(), on_one.begin(), on_one.end()).first - counts.begin());
  const std::size_t line = counts.rfind('\n', differ) + 1;
  const auto line_of = [line](const std::string& text) { return text.substr(line, text.find('\n', line) - line); };
  std::fprintf(
      stderr, "FAILED seed %lu: \"%s\" on %u threads in rounds of up to %lu cycles, \"%s\" on one\n  %s\n  again: %s\n",
      seed, line_of(counts).c_str(), options.threads, machine.options.thread_cycles, line_of(on_one).c_str(),
      command_of(machine).c_str(), again(options, seed, machine).c_str());
  return kDifferent;
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
      int status = kDifferent;
      try {
        status = options_.threads > 1 ? run_seed_on_threads(options_, seed, machine)
                                      : run_seed(options_, seed, machine, nullptr);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "FAILED seed %lu: %s\n  again: %s\n", seed, error.what(),
                     again(options_, seed, machine).c_str());
      }
      std::fflush(nullptr);
      std::_Exit(status);
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
    if (WIFEXITED(status) && WEXITSTATUS(status) == kSame) {
      ++counts.same;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == kRefused) {
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
