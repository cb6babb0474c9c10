// SPDX-License-Identifier: Apache-2.0
// A Verilated object with its own context, so that blocks share no state.
#pragma once

#include <verilated.h>

#if VM_COVERAGE
#include <verilated_cov.h>

#include <atomic>
#include <cstdlib>
#include <string>
#endif

namespace heddle::rtl {

/// Model: the Verilated class.
template <typename Model>
class VerilatedBlock {
 public:
  VerilatedBlock() : model_(&alone(context_)) {}
  ~VerilatedBlock() {
    model_.final();
#if VM_COVERAGE
    // Coverage data, one file per object, in the folder given by the coverage test.
    static std::atomic<int> number = 0;
    if (const char* folder = std::getenv("HEDDLE_RTL_COVERAGE"))
      context_.coveragep()->write(
          (std::string(folder) + "/" + model_.modelName() + "." + std::to_string(number++) + ".dat").c_str());
#endif
  }
  VerilatedBlock(const VerilatedBlock&) = delete;
  VerilatedBlock& operator=(const VerilatedBlock&) = delete;

  Model& operator*() { return model_; }
  Model* operator->() { return &model_; }

 private:
  /// Without the threads that Verilator would start for each context: a block is evaluated by whoever calls it.
  static VerilatedContext& alone(VerilatedContext& context) {
    context.threads(1);
    return context;
  }

  VerilatedContext context_;
  Model model_;
};

}  // namespace heddle::rtl
