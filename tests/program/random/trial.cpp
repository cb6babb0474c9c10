// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
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
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/kernel_profile.h"
#include "tb/device_port.h"
#include "tb/dram/checked_memory.h"

namespace heddle::random {

namespace {

constexpr std::uint64_t kInstructionLimit = 40'000'000;

/// One kernel, its launch and its memory.
class Trial {
 public:
  Trial(std::uint64_t seed, const TrialOptions& options, const gpu::DeviceLimits& limits, gpu::DeviceMemory& memory)
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

/// For file names and messages.
std::string name_of(const TrialOptions& options, std::uint64_t seed, const GeneratedMachine& machine) {
  std::string name = fmt::format("seed-{}", seed);
  if (options.every) name += "-" + machine.label;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return name;
}

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
TrialEnd run_seed(const TrialOptions& options, std::uint64_t seed, GeneratedMachine machine, std::string* counts) {
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
    return TrialEnd::refused;
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
    if (trial.too_big()) return TrialEnd::refused;
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
        return TrialEnd::refused;
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
    return TrialEnd::different;
  }
  if (profiled) std::filesystem::remove(profile);
  if (counts != nullptr && timing != nullptr) *counts += all_counters(services.statistics);
  return TrialEnd::same;
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
TrialEnd run_seed_on_threads(const TrialOptions& options, std::uint64_t seed, GeneratedMachine machine) {
  prepare_for_threads(machine, seed);
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) throw Error(ExitCode::internal, "no pipe could be made");
  const pid_t child = ::fork();
  if (child < 0) throw Error(ExitCode::internal, "no process could be started");
  std::string counts;
  if (child == 0) {
    const TrialEnd end = run_seed(options, seed, machine, &counts);
    for (std::size_t sent = 0; sent < counts.size();) {
      const ssize_t bytes = ::write(ends[1], counts.data() + sent, counts.size() - sent);
      if (bytes <= 0) break;
      sent += static_cast<std::size_t>(bytes);
    }
    std::_Exit(static_cast<int>(end));
  }
  ::close(ends[1]);
  machine.options.threads = options.threads;
  machine.options.thread_cycles = 1 + seed % kLongestWindow;
  const TrialEnd end = run_seed(options, seed, machine, &counts);
  const std::string on_one = read_all(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (end != TrialEnd::same || counts == on_one) return end;
  const auto differ = static_cast<std::size_t>(
      std::mismatch(counts.begin(), counts.end(), on_one.begin(), on_one.end()).first - counts.begin());
  const std::size_t line = counts.rfind('\n', differ) + 1;
  const auto line_of = [line](const std::string& text) { return text.substr(line, text.find('\n', line) - line); };
  std::fprintf(
      stderr, "FAILED seed %lu: \"%s\" on %u threads in rounds of up to %lu cycles, \"%s\" on one\n  %s\n  again: %s\n",
      seed, line_of(counts).c_str(), options.threads, machine.options.thread_cycles, line_of(on_one).c_str(),
      command_of(machine).c_str(), again(options, seed, machine).c_str());
  return TrialEnd::different;
}

}  // namespace

TrialEnd run_trial(const TrialOptions& options, std::uint64_t seed, const GeneratedMachine& machine) {
  return options.threads > 1 ? run_seed_on_threads(options, seed, machine) : run_seed(options, seed, machine, nullptr);
}

std::uint64_t kernel_seed(std::uint64_t seed, unsigned number) { return seed * kKernelsPerSeed + number; }

std::string command_of(const GeneratedMachine& machine) {
  std::string text = "--machine " + machine.machine;
  for (const std::string& setting : machine.settings) text += fmt::format(" --set '{}'", setting);
  text += fmt::format("  (reverse construction {}, permuted calls {}, gating {})", machine.options.reverse_construction,
                      machine.options.permute_calls, machine.options.gating);
  return text;
}

std::string again(const TrialOptions& options, std::uint64_t seed, const GeneratedMachine& machine) {
  std::string text = fmt::format("random_kernels --seeds {}", seed);
  if (options.every) text += fmt::format(" --every --only '{}'", machine.label);
  if (options.registers != 0) text += fmt::format(" --registers {}", options.registers);
  if (options.threads != 1) text += fmt::format(" --threads {}", options.threads);
  if (!options.machine.empty()) text += " --machine " + options.machine;
  for (const std::string& setting : options.settings) text += fmt::format(" --set '{}'", setting);
  return text;
}

}  // namespace heddle::random
