// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing_machine.h"

#include <dlfcn.h>

#include <algorithm>

#include "core/config/configuration.h"
#include "core/config/plugin.h"
#include "core/config/registry.h"
#include "core/error.h"
#include "gpu/device_memory.h"
#include "gpu/memory_hierarchy.h"

namespace heddle::gpu {

namespace {

/// The machine model registered as "timing".
class TimingModel final : public MachineModel {
 public:
  void configure(const MachineRequest& request) override {
    configuration_ = std::make_unique<Configuration>(parameters_);
    load_machine(parameters_, *configuration_, request);
    limits_ = limits_of(parameters_, configuration_->name());
    // Resolve now: results are written at process exit, when the mechanism tables may already be destroyed.
    resolved_ = configuration_->resolved();
    recording_ = request.recording;
    threads_ = request.threads;
    thread_cycles_ = request.thread_cycles;
  }
  const DeviceLimits& limits() const override { return limits_; }
  std::string configuration() const override { return resolved_; }
  std::unique_ptr<Machine> build(DeviceMemory& memory, isa::MemoryPort& port, Services& services) override {
    return std::make_unique<TimingMachine>(parameters_, limits_, memory, port, services,
                                           BuildOptions{.threads = threads_, .thread_cycles = thread_cycles_},
                                           recording_);
  }

 private:
  MachineParameters parameters_;
  std::unique_ptr<Configuration> configuration_;
  std::string resolved_;
  RecordingRequest recording_;
  unsigned threads_ = 1, thread_cycles_ = BuildOptions{}.thread_cycles;
  DeviceLimits limits_;
};

[[maybe_unused]] const bool registered = Registry<MachineModel>::instance().add(
    "timing", [] { return std::unique_ptr<MachineModel>(std::make_unique<TimingModel>()); });

}  // namespace

const std::map<std::string, std::string>& parameter_aliases() {
  static const std::map<std::string, std::string> aliases = {{"sm", "gpu.sm_classes.*.sm"},
                                                             {"caches", "gpu.sm_classes.*.caches"}};
  return aliases;
}

void load_machine(MachineParameters&, Configuration& configuration, const MachineRequest& request) {
  load_plugins(request.plugins);
  // Presets are found relative to this code, which may be in the runtime library.
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&load_machine), &here);
  configuration.search(preset_directories(here.dli_fname != nullptr ? here.dli_fname : ""));
  for (const auto& [shorthand, target] : parameter_aliases()) configuration.alias(shorthand, target);
  configuration.load_machine(request.machine.empty() ? kDefaultMachine : request.machine);
  for (const std::string& setting : request.settings) configuration.set(setting);
  configuration.lock();
}

namespace {

/// The memory bus as CUDA describes it.
struct MemoryBus {
  std::uint64_t hertz;  ///< half the transfer rate of a data line
  std::uint32_t bits;
};

MemoryBus bus_of(const MachineParameters& parameters) {
  const memory::MemorySystemParameters& memory = parameters.memory;
  const auto known = memory::MemoryBandwidths::instance().make(memory.main_memory.name(), memory);
  const memory::MemoryBandwidth passes = known ? *known : memory::MemoryBandwidth{2, 32, 1};
  const std::uint64_t bits = memory.map.controllers * passes.bytes * 8 / (passes.cycles * passes.transfers);
  return {parameters.gpu.clocks.memory * 1000 * passes.transfers / 2,
          static_cast<std::uint32_t>(std::max<std::uint64_t>(bits, 1))};
}

isa::CodePasses code_passes_of(const std::vector<SmClass>& classes) {
  isa::CodePasses passes;
  for (const SmClass& sms : classes) {
    const sm::GroupingTraits traits = traits_of(sms.sm.grouping, sm::grouping_shape(sms.sm));
    if (traits.code_pass != nullptr) passes.push_back(traits.code_pass);
  }
  return passes;
}

}  // namespace

DeviceLimits limits_of(const MachineParameters& parameters, const std::string& name) {
  DeviceLimits limits;
  const sm::SmParameters& sm = parameters.gpu.sm_classes.front().sm;
  limits.name = "Heddle " + name;
  limits.sm_count = 0;
  for (const SmClass& sms : parameters.gpu.sm_classes) limits.sm_count += sms.count;
  limits.max_threads_per_sm = sm.residency.threads;
  limits.max_threads_per_block = std::min(1024u, sm.residency.threads);
  limits.thread_allocation_unit = traits_of(sm.grouping, sm::grouping_shape(sm)).granule;
  limits.code_passes = code_passes_of(parameters.gpu.sm_classes);
  limits.max_blocks_per_sm = sm.residency.blocks;
  limits.max_warps_per_sm = std::max(1u, sm.residency.threads / isa::kWordThreads);
  limits.registers_per_sm = sm.residency.registers;
  limits.register_allocation_unit = sm.residency.register_unit;
  limits.shared_bytes_per_sm = limits.shared_bytes_per_block = sm.residency.shared_bytes;
  limits.shared_allocation_unit = sm.residency.shared_unit;
  limits.memory_bytes = parameters.memory_bytes;
  limits.enforce_memory_bytes = parameters.enforce_memory_bytes;
  limits.core_hertz = parameters.gpu.clocks.core * 1000;
  limits.spill_registers = parameters.spill_registers;
  limits.code_order = parameters.code_order;
  const MemoryBus bus = bus_of(parameters);
  limits.memory_hertz = bus.hertz;
  limits.memory_bus_bits = bus.bits;
  const memory::MemorySystemParameters& memory = parameters.memory;
  const std::uint64_t slice = std::uint64_t{memory.l2.tags.sets} * memory.l2.tags.ways * memory.l2.tags.line_bytes;
  limits.l2_bytes = memory.has_l2 ? slice * memory.map.slices * memory.map.controllers : 0;
  return limits;
}

TimingMachine::TimingMachine(const MachineParameters& parameters, const DeviceLimits& limits, DeviceMemory& memory,
                             isa::MemoryPort& port, Services& services, const BuildOptions& options,
                             const RecordingRequest& recording)
    : parameters_(parameters), limits_(limits) {
  for (const SmClass& sms : parameters_.gpu.sm_classes)
    instruction_bytes_ = std::max(instruction_bytes_, sms.sm.fetch.instruction_bytes);
  BuildOptions seeded = options;
  seeded.seed = parameters_.seed;
  // Recorders of what SMs do hear of it in the order of the SMs.
  if (seeded.threads > 1 && (recording.of_instructions() || !recording.vcd.empty())) {
    seeded.threads = 1;
    thread_note_ = "one thread simulated the machine, because what its SMs did was recorded";
  }
  // Commands of all channels go to one file.
  const bool memory_in_parts = seeded.threads > 1 && recording.commands.empty();
  MemoryHierarchy* hierarchy = nullptr;
  gpu_ = std::make_unique<Gpu>(
      "gpu", parameters_.gpu, services,
      [&](ClockTree& clocks, ClockDomain& core, unsigned sms) {
        auto side = make(parameters_.memory_side,
                         MemorySideSite{clocks, core, sms, parameters_, services, memory, memory_in_parts});
        if (!side)
          fail(ExitCode::configuration, "memory_side: no kind is called \"{}\"", parameters_.memory_side.name());
        hierarchy = side->hierarchy();
        return side;
      },
      seeded);
  const auto [begin, end] = memory.device_range();
  gpu_->attach(port, {begin, end});
  services.statistics.check_classes();
  std::vector<sm::Sm*> sms;
  for (const auto& one : gpu_->sms()) sms.push_back(one.get());
  const auto l1d = [hierarchy](SmId number) {
    return hierarchy != nullptr ? hierarchy->caches(number).cache(memory::SmCacheKind::l1d) : nullptr;
  };
  recording_ = std::make_unique<Recording>(
      recording,
      RecordedMachine{gpu_->clocks(), gpu_->core_clock(), services,
                      hierarchy != nullptr ? &hierarchy->system() : nullptr,
                      hierarchy != nullptr ? hierarchy->dram_clock() : gpu_->core_clock(), limits_.name, std::move(sms),
                      l1d, &parameters_.gpu.sm_classes.front().caches.l1d.cache, [this] { gpu_->settle(); }});
}

TimingMachine::~TimingMachine() = default;

std::string TimingMachine::finish() {
  gpu_->settle();
  gpu_->check_accounts();
  recording_->finish(failed_);
  const std::string note = recording_->note();
  return note.empty() || thread_note_.empty() ? thread_note_ + note : thread_note_ + "; " + note;
}

double TimingMachine::now() const {
  return static_cast<double>(gpu_->present()) / (static_cast<double>(parameters_.gpu.clocks.core) * 1e3);
}

void TimingMachine::reset() {
  if (faulted_ != nullptr) return;
  gpu_->reset();
  code_.clear();
  next_code_ = kCodeBase;
}

template <typename Work>
auto TimingMachine::guarded(Work&& work) {
  const auto faulted = [this] {
    failed_ = true;
    faulted_ = kernel_;
    gpu_->clocks().halt();
  };
  try {
    return work();
  } catch (const Error& error) {
    failed_ = true;
    // A rejected launch leaves no state behind.
    if (error.code() != ExitCode::launch) faulted();
    throw;
  } catch (...) {
    faulted();
    throw;
  }
}

LaunchReport TimingMachine::launch(const LaunchRequest& request) {
  const auto launch = prepare(request);
  guarded([&] { gpu_->run(launch, {request.max_cycles, request.max_thread_instructions}); });
  recording_->launch_ends();
  return so_far();
}

void TimingMachine::begin(const LaunchRequest& request) {
  const auto launch = prepare(request);
  guarded([&] { gpu_->begin(launch, {request.max_cycles, request.max_thread_instructions}); });
}

bool TimingMachine::look() {
  const bool ended = guarded([&] { return gpu_->look(); });
  if (ended) recording_->launch_ends();
  return ended;
}

std::shared_ptr<isa::LaunchState> TimingMachine::prepare(const LaunchRequest& request) {
  under_way_ = {};
  under_way_.timed = true;
  under_way_.start_seconds = now();
  under_way_.first_cycle = gpu_->present();
  warp_instructions_before_ = gpu_->warp_instructions();
  thread_instructions_before_ = gpu_->thread_instructions();
  if (faulted_ != nullptr) {
    throw UnusableMachine(fmt::format(
        "kernel {}: an earlier launch, of kernel {}, ended with a fault, after which the timing model accepts no "
        "further launch, even after cudaDeviceReset: run the program again, or with --functional",
        request.kernel->name, faulted_->name));
  }
  auto launch = std::make_shared<isa::LaunchState>();
  launch->kernel = request.kernel.get();
  launch->grid = request.grid;
  launch->block = request.block;
  launch->id = request.id;
  launch->dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch->shared_bytes = request.kernel->static_shared_bytes + request.dynamic_shared_bytes;
  launch->parameters = request.parameters;
  auto code =
      std::find_if(code_.begin(), code_.end(), [&](const auto& entry) { return entry.first == request.kernel; });
  if (code == code_.end()) {
    code_.emplace_back(request.kernel, next_code_);
    code = std::prev(code_.end());
    // Kernels are placed consecutively, each on lines of its own.
    next_code_ += (request.kernel->ops.size() * instruction_bytes_ + 1023) / 1024 * 1024;
  }
  launch->code_address = code->second;
  kernel_ = request.kernel;
  recording_->launch_begins(request.id, request.kernel);
  return launch;
}

LaunchReport TimingMachine::so_far() const {
  LaunchReport report = under_way_;
  report.cycles = gpu_->present() - report.first_cycle;
  report.end_seconds = now();
  report.warp_instructions = gpu_->warp_instructions() - warp_instructions_before_;
  report.thread_instructions = gpu_->thread_instructions() - thread_instructions_before_;
  return report;
}

}  // namespace heddle::gpu
