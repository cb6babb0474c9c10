// SPDX-License-Identifier: Apache-2.0
// A Verilated object with a context of its own, so that blocks share nothing.
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
  VerilatedBlock() : model_(&context_) {}
  ~VerilatedBlock() {
    model_.final();
#if VM_COVERAGE
    // What was reached, a file an object, in the folder that the test of coverage names.
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
  VerilatedContext context_;
  Model model_;
};

}  // namespace heddle::rtl
