// SPDX-License-Identifier: Apache-2.0
// The step of dependency matrices as RTL, and in lockstep with the model.
#include "DependencyStep12.h"
#include "DependencyStep6.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/dependency_step_rtl.h"

namespace heddle::rtl {

namespace {

/// 12 bits per matrix, three hexadecimal digits, easier to read than 9.
PortValue matrices(const sm::StepShape& shape, const std::string& name,
                   const std::array<sm::DependencyMatrix, sm::kMaxDependencyEntries>& entries) {
  PortValue port{name, 12 * shape.entries, std::vector<std::uint64_t>((12 * shape.entries + 63) / 64)};
  for (unsigned i = 0; i < shape.entries; ++i) {
    const unsigned first = 12 * i, inside = first % 64;
    port.words[first / 64] |= std::uint64_t{entries[i]} << inside;
    if (inside > 64 - 12) port.words[first / 64 + 1] |= std::uint64_t{entries[i]} >> (64 - inside);
  }
  return port;
}

}  // namespace

std::vector<PortValue> DependencyStepPorts::inputs(const sm::StepShape& shape, const sm::StepRequest& request) {
  return {{"step", 9, {request.step}}, matrices(shape, "entries", request.entries)};
}

std::vector<PortValue> DependencyStepPorts::outputs(const sm::StepShape& shape, const sm::StepAnswer& answer) {
  return {matrices(shape, "stepped", answer.entries)};
}

namespace {

class RtlDependencyStep final : public sm::DependencyStep {
 public:
  RtlDependencyStep(const sm::StepShape& shape, const sm::BlockSite& site) {
    if (shape.entries == 6) {
      unit_ = std::make_unique<DependencyStepRtl<DependencyStep6, 6>>(site);
    } else if (shape.entries == 12) {
      unit_ = std::make_unique<DependencyStepRtl<DependencyStep12, 12>>(site);
    } else {
      fail(ExitCode::configuration, "sm.blocks.dependency_step: there is RTL for 6 or 12 entries, this machine has {}",
           shape.entries);
    }
  }
  sm::StepAnswer step(const sm::StepRequest& request) override { return unit_->step(request); }

 private:
  std::unique_ptr<sm::DependencyStep> unit_;
};

class LockstepDependencyStep final : public DependencyStepLockstep {
 public:
  LockstepDependencyStep(const sm::StepShape& shape, const sm::BlockSite& site)
      : DependencyStepLockstep(shape, site, make(Mechanism<sm::DependencyStep>("model"), shape, site),
                               make(Mechanism<sm::DependencyStep>("rtl"), shape, site)) {}
};

}  // namespace

using sm::DependencyStep;
HEDDLE_REGISTER(DependencyStep, RtlDependencyStep, "rtl", "rtl/dependency_step.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(DependencyStep, LockstepDependencyStep, "lockstep",
                "model and RTL; the run ends at their first difference", "docs/rtl.md");

}  // namespace heddle::rtl
