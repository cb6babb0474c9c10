// SPDX-License-Identifier: Apache-2.0
#include "runtime/device.h"

#include <algorithm>

#include "core/error.h"
#include "core/registry.h"
#include "gpu/functional_machine.h"
#include "isa/execute.h"

namespace heddle::runtime {
namespace {

constexpr const char* kTimedModel = "timing";

std::unique_ptr<gpu::MachineModel> configured_model(const Options& options) {
  auto model = Registry<gpu::MachineModel>::instance().make(kTimedModel);
  if (model != nullptr) {
    model->configure({options.machine, options.settings});
  } else if (!options.machine.empty() || !options.settings.empty()) {
    fail(ExitCode::kConfiguration, "this build holds no timed machine: --machine and --set have nothing to act on");
  }
  return model;
}

gpu::DeviceMemory::Parameters memory_parameters(const gpu::DeviceLimits& limits) {
  gpu::DeviceMemory::Parameters parameters;
  parameters.device_bytes = limits.memory_bytes;
  return parameters;
}

}  // namespace

Device::Device(const Options& options)
    : options_(options),
      model_(configured_model(options)),
      limits_(model_ != nullptr ? model_->limits() : gpu::DeviceLimits{}),
      memory_(memory_parameters(limits_)),
      port_(memory_) {}

std::string Device::configuration() const { return model_ != nullptr ? model_->configuration() : std::string(); }

gpu::Machine& Device::machine_for(std::uint64_t launch) {
  if (model_ != nullptr && options_.timed(launch)) {
    if (timed_ == nullptr) timed_ = model_->build(memory_, port_);
    return *timed_;
  }
  if (functional_ == nullptr) {
    gpu::FunctionalMachine::Parameters parameters;
    parameters.limits = limits_;
    functional_ = std::make_unique<gpu::FunctionalMachine>(parameters, memory_, port_);
  }
  return *functional_;
}

void Device::launch(gpu::LaunchRequest request) {
  request.id = launches_.size() + 1;
  LaunchRecord record;
  record.id = request.id;
  record.kernel = request.kernel->name;
  record.grid = request.grid;
  record.block = request.block;
  record.dynamic_shared_bytes = request.dynamic_shared_bytes;
  record.stream = request.stream;
  launches_.push_back(std::move(record));
  if (options_.max_instructions != 0) {
    if (thread_instructions_ >= options_.max_instructions) {
      fail(ExitCode::kLimit, "the run executed {} thread-instructions, its limit is {}", thread_instructions_,
           options_.max_instructions);
    }
    request.max_thread_instructions = options_.max_instructions - thread_instructions_;
  }
  if (options_.max_cycles != 0) {
    if (cycles_ >= options_.max_cycles) {
      fail(ExitCode::kLimit, "the run took {} cycles, its limit is {}", cycles_, options_.max_cycles);
    }
    request.max_cycles = options_.max_cycles - cycles_;
  }
  const isa::FloatControl float_control;
  LaunchRecord& last = launches_.back();
  last.report = machine_for(request.id).launch(request);
  last.complete = true;
  thread_instructions_ += last.report.thread_instructions;
  cycles_ += last.report.cycles;
}

double Device::now() const {
  return (functional_ != nullptr ? functional_->now() : 0) + (timed_ != nullptr ? timed_->now() : 0);
}

void Device::reset() {
  if (functional_ != nullptr) functional_->reset();
  if (timed_ != nullptr) timed_->reset();
  port_.reset();
  memory_.release_all();
}

void Device::begin_region(const std::string& name) { regions_.push_back({name, launches_.size() + 1, 0, true}); }

bool Device::end_region(const std::string& name) {
  const auto found = std::find_if(regions_.rbegin(), regions_.rend(),
                                  [&](const Region& region) { return region.open && region.name == name; });
  if (found == regions_.rend()) return false;
  found->open = false;
  found->last = launches_.size();
  return true;
}

}  // namespace heddle::runtime
