// SPDX-License-Identifier: Apache-2.0
#include "sm/hazards/dependency_step.h"

#include "sm/blocks/block_site.h"

namespace heddle::sm {

DependencyMatrix product(DependencyMatrix entry, DependencyMatrix step) {
  unsigned result = 0;
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned k = 0; k < 3; ++k) {
      if ((entry >> (3 * i + k) & 1) != 0) result |= (step >> 3 * k & 7u) << 3 * i;
    }
  }
  return static_cast<DependencyMatrix>(result);
}

namespace {

class DependencyStepModel final : public DependencyStep {
 public:
  DependencyStepModel(const StepShape& shape, const BlockSite&) : shape_(shape) {}
  StepAnswer step(const StepRequest& request) override {
    StepAnswer answer;
    for (unsigned i = 0; i < shape_.entries; ++i) answer.entries[i] = product(request.entries[i], request.step);
    return answer;
  }

 private:
  StepShape shape_;
};

HEDDLE_REGISTER(DependencyStep, DependencyStepModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
