// SPDX-License-Identifier: Apache-2.0
#include "logged_core.h"

#include <algorithm>

namespace heddle::studies {

std::size_t Log::packets() const {
  std::size_t count = 0;
  for (const Sample& sample : samples) count += sample.issues.size();
  return count;
}

std::vector<Cycle> Log::packets_of(std::uint32_t pc) const {
  std::vector<Cycle> cycles;
  for (const Sample& sample : samples) {
    for (const Issue& issue : sample.issues) {
      if (issue.pc == pc) cycles.push_back(sample.cycle);
    }
  }
  return cycles;
}

std::vector<std::uint32_t> Log::counters_of(isa::Opcode opcode) const {
  std::vector<std::uint32_t> counters;
  for (std::uint32_t pc = 0; pc < kernel->ops.size(); ++pc) {
    if (kernel->ops[pc].opcode == opcode) counters.push_back(pc);
  }
  return counters;
}

LoggedCore::LoggedCore(const gpu::GpuParameters& parameters) {
  parameters_ = parameters;
  build();
  for (ProbeGroup* group : services_.probes.groups()) {
    if (group->path() == "sm0.issue") issue_ = group;
  }
  in_flight_ = structure("sm0.hazards.busy");
  for (unsigned slot = 0; slot < sm().schedulers; ++slot) {
    const std::string name = "slot" + std::to_string(slot);
    slots_.push_back({signal(name + "_pc"), signal(name + "_threads")});
  }
  pipeline_ = signal("pipeline");
  sample_probes(gpu_->core_clock(), services_.probes);
  Probes::enable(*issue_, true);
  services_.probes.attach(this);
}

Log LoggedCore::log(const std::string& body, unsigned threads, const std::vector<std::uint32_t>& memory) {
  const std::string text = kernel(".param .u64 p",
                                  ".reg .b32 %r<32>; .reg .pred %p<8>; .reg .b64 %rd<8>; .reg .f32 %f<32>;\n"
                                  "ld.param.u64 %rd1, [p];\n"
                                  "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;\n"
                                  "setp.lt.u32 %p1, %r1, 5000;\n" +
                                      body + "\nret;");
  log_ = {};
  run(text, {1}, {threads}, {address(memory.data())});
  log_.kernel = kernels_.back();
  return log_;
}

double LoggedCore::bytes_added_by(const std::string& mechanism) const {
  std::uint64_t bits = 0;
  for (const Structure* structure : services_.structures.all())
    bits += !structure->view() && structure->mechanism() == mechanism ? structure->bits() : 0;
  return static_cast<double>(bits) / 8;
}

const Structure* LoggedCore::structure(const std::string& name) const {
  for (const Structure* structure : services_.structures.all()) {
    if (structure->name() == name) return structure;
  }
  return nullptr;
}

ProbeGroup::SignalId LoggedCore::signal(const std::string& name) const {
  const auto& signals = issue_->signals();
  const auto found = std::find_if(signals.begin(), signals.end(), [&](auto& signal) { return signal.name == name; });
  EXPECT_NE(found, signals.end()) << name;
  return static_cast<ProbeGroup::SignalId>(found - signals.begin());
}

void LoggedCore::sample(const ProbeCycle& at) {
  Sample sample{.cycle = at.cycle};
  for (const Slot& slot : slots_) {
    std::uint64_t pc = 0, threads = 0;
    if (!Probes::fired(*issue_, slot.pc, pc)) continue;
    Probes::fired(*issue_, slot.threads, threads);
    sample.issues.push_back({static_cast<std::uint32_t>(pc), threads});
  }
  std::uint64_t contexts[ContextSet::kBits / 64] = {};
  issue_->signals()[pipeline_].read(contexts);
  sample.in_pipeline = (contexts[0] & 1) != 0;
  if (in_flight_ != nullptr) sample.in_flight = in_flight_->reader()(0, 0);
  log_.samples.push_back(sample);
}

}  // namespace heddle::studies
