// SPDX-License-Identifier: Apache-2.0
#include "runtime/device.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "core/config/registry.h"
#include "core/error.h"
#include "gpu/functional/functional_machine.h"
#include "isa/execute.h"
#include "runtime/host_pages.h"
#include "runtime/messages.h"
#include "runtime/progress.h"

namespace heddle::runtime {
namespace {

constexpr const char* kTimedModel = "timing";
constexpr std::uint64_t kOverflowBytes = std::uint64_t{256} << 30;  // reserved address space
constexpr unsigned kCheckThreads = 4;                               // the narrowest warp of any machine

std::unique_ptr<gpu::MachineModel> configured_model(const Options& options) {
  auto model = Registry<gpu::MachineModel>::instance().make(kTimedModel);
  if (model != nullptr) {
    model->configure({options.machine, options.settings, options.recording, options.plugins, options.threads,
                      options.thread_cycles});
  } else if (!options.machine.empty() || !options.settings.empty()) {
    fail(ExitCode::configuration, "this build has no timed machine, so --machine and --set have no effect");
  }
  return model;
}

/// Bytes the host can back: memory plus swap.
std::uint64_t host_memory_bytes() {
  struct sysinfo host {};
  if (sysinfo(&host) != 0) return 0;
  return (std::uint64_t{host.totalram} + host.totalswap) * host.mem_unit;
}

gpu::DeviceMemory::Parameters memory_parameters(const gpu::DeviceLimits& limits, bool low) {
  gpu::DeviceMemory::Parameters parameters;
  parameters.device_bytes = limits.memory_bytes;
  if (low) {
    // Above the link address of programs and below the sanitizers' shadow memory.
    parameters.base = 0x1000'0000;
    parameters.device_bytes = std::min<std::uint64_t>(parameters.device_bytes, std::uint64_t{1} << 30);
    parameters.host_bytes = std::uint64_t{1} << 28;
    return parameters;
  }
  if (limits.enforce_memory_bytes) return parameters;
  // The same address range on every host; how much of it is usable depends on the host.
  parameters.overflow_bytes = kOverflowBytes;
  const std::uint64_t host = host_memory_bytes();
  parameters.overflow_budget = host > limits.memory_bytes ? host - limits.memory_bytes : 0;
  return parameters;
}

std::string place_in_memory(const gpu::DeviceMemory& memory, std::uint64_t address) {
  return fmt::format("{:#x}, {}", address, memory.nearest(address));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Device::Device(const Options& options)
    : options_(options),
      model_(configured_model(options)),
      limits_(model_ != nullptr ? model_->limits() : gpu::DeviceLimits{}),
      memory_(memory_parameters(limits_, options.low_memory)),
      port_(memory_),
      host_(services_.statistics),
      races_(options.check_global, [this](std::uint64_t address) { return place_in_memory(memory_, address); }) {
  services_.results_folder = options.output;
  port_.on_cut([this] { cut_device_regions(); });
}

std::string Device::configuration() const { return model_ != nullptr ? model_->configuration() : std::string(); }

gpu::Machine& Device::machine_for(std::uint64_t launch) {
  if (model_ != nullptr && options_.timed(launch)) {
    if (timed_ == nullptr) {
      prefer_large_pages();
      timed_ = model_->build(memory_, port_, services_);
    }
    return *timed_;
  }
  if (functional_ == nullptr) {
    gpu::FunctionalMachine::Parameters parameters;
    parameters.limits = limits_;
    auto machine = std::make_unique<gpu::FunctionalMachine>(parameters, memory_, port_);
    if (options_.check) {
      machine->set_group_threads(kCheckThreads);
      machine->observe(&checkers_);
    }
    functional_ = std::move(machine);
  }
  return *functional_;
}

void Device::limit(gpu::LaunchRequest& request) const {
  const auto rest = [](std::uint64_t most, std::uint64_t done, const char* what) -> std::uint64_t {
    if (most == 0) return 0;
    if (done >= most) fail(ExitCode::limit, "the run executed {} {}, its limit is {}", done, what, most);
    return most - done;
  };
  request.max_thread_instructions = rest(options_.max_instructions, totals_.thread_instructions, "thread-instructions");
  request.max_cycles = rest(options_.max_cycles, totals_.cycles, "cycles");
}

void Device::launch(gpu::LaunchRequest request) {
  request.id = launches_.size() + 1;
  limit(request);
  gpu::Machine& machine = machine_for(request.id);
  LaunchRecord record;
  record.id = request.id;
  record.kernel = request.kernel->name;
  record.grid = request.grid;
  record.block = request.block;
  record.dynamic_shared_bytes = request.dynamic_shared_bytes;
  record.stream = request.stream;
  record.registers = request.kernel->registers;
  record.local_bytes = request.kernel->local_bytes;
  record.spilled_bytes = request.kernel->spilled_bytes;
  settle();
  const Statistics::IntervalId interval = services_.statistics.open();
  const auto start = std::chrono::steady_clock::now();
  std::exception_ptr error;
  running_ = &machine;
  counted_ = {};
  {
    const Progress progress(
        request, {options_.quiet, options_.live, options_.output, program_invocation_short_name, limits_.name},
        services_.statistics, [this] { settle(); });
    const isa::FloatControl float_control;
    try {
      record.report = machine.launch(request);
      record.complete = true;
    } catch (...) {
      record.report = machine.so_far();
      error = std::current_exception();
    }
  }
  running_ = nullptr;
  if (!record.report.timed) count_functional(record.report);
  for (const std::string& name : port_.regions().end()) close_region(name, true, record.id);
  count(record, seconds_since(start));
  settle();
  record.statistics = summarize(services_.statistics, services_.statistics.close(interval));
  launches_.push_back(std::move(record));
  if (error != nullptr) std::rethrow_exception(error);
}

void Device::count(const LaunchRecord& record, double wall_seconds) {
  const gpu::LaunchReport& report = record.report;
  ++totals_.launches;
  totals_.wall_seconds += wall_seconds;
  totals_.thread_instructions += report.thread_instructions;
  if (report.timed) {
    ++host_.timed;
    ++totals_.timed;
    totals_.cycles += report.cycles;
    totals_.simulated_seconds += report.end_seconds - report.start_seconds;
  } else {
    ++host_.untimed;
  }
}

void Device::count_functional(const gpu::LaunchReport& report) {
  host_.thread_instructions += report.thread_instructions - counted_.thread_instructions;
  host_.warp_instructions += report.warp_instructions - counted_.warp_instructions;
  counted_ = report;
}

double Device::now() const {
  return (functional_ != nullptr ? functional_->now() : 0) + (timed_ != nullptr ? timed_->now() : 0);
}

double Device::wall_seconds() const { return seconds_since(built_); }

void Device::reset() {
  if (functional_ != nullptr) functional_->reset();
  if (timed_ != nullptr) timed_->reset();
  port_.reset();
  memory_.release_all();
}

void Device::settle() {
  if (timed_ != nullptr) timed_->settle();
}

void Device::begin_region(const std::string& name) { open_region(name, false); }

bool Device::end_region(const std::string& name) { return close_region(name, false, launches_.size()); }

void Device::open_region(const std::string& name, bool on_device) {
  settle();
  regions_.push_back({name, on_device, launches_.size() + 1, 0, true, services_.statistics.open(), {}});
}

bool Device::close_region(const std::string& name, bool on_device, std::uint64_t last) {
  const auto found = std::find_if(regions_.rbegin(), regions_.rend(), [&](const Region& region) {
    return region.open && region.on_device == on_device && region.name == name;
  });
  if (found == regions_.rend()) return false;
  close_region(*found, last);
  return true;
}

void Device::close_region(Region& region, std::uint64_t last) {
  settle();
  region.open = false;
  region.last = last;
  region.sample = services_.statistics.close(region.interval);
  const auto before = std::find_if(regions_.begin(), regions_.end(), [&](const Region& other) {
    return &other != &region && !other.open && other.on_device == region.on_device && other.name == region.name;
  });
  if (before == regions_.end()) return;
  before->first = std::min(before->first, region.first);
  before->last = std::max(before->last, region.last);
  before->sample.add(region.sample);
  regions_.erase(regions_.begin() + (&region - regions_.data()));
}

void Device::cut_device_regions() {
  if (running_ == functional_.get()) count_functional(running_->so_far());
  const DeviceRegions::Changes changes = port_.regions().settle();
  for (const std::string& name : changes.closed) close_region(name, true, launches_.size() + 1);
  for (const std::string& name : changes.opened) open_region(name, true);
  for (const std::string& name : changes.unmatched) {
    say_note(fmt::format("more threads leave region '{}' in a kernel than entered it", name));
  }
}

std::string Device::finish() {
  for (std::size_t i = regions_.size(); i-- > 0;) {
    if (regions_[i].open) close_region(regions_[i], launches_.size());
  }
  return timed_ != nullptr ? timed_->finish() : std::string();
}

}  // namespace heddle::runtime
