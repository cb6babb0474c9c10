// SPDX-License-Identifier: Apache-2.0
// Compiles PTX text to kernels, for tests of the front end.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "isa/module.h"

namespace heddle::isa {

/// Places variables at fixed addresses: 0x1000 apart, from 0x10000, in the order of requests; or at given addresses.
class TestAddresses final : public SymbolResolver {
 public:
  std::map<std::string, std::uint64_t> places;
  std::uint64_t address(const Variable& variable) const override {
    const auto told = places.find(variable.name);
    if (told != places.end()) return told->second;
    return known_.emplace(variable.name, 0x10000 + 0x1000 * known_.size()).first->second;
  }

 private:
  mutable std::map<std::string, std::uint64_t> known_;
};

inline std::string module_text(const std::string& rest) {
  return ".version 6.4\n.target sm_70\n.address_size 64\n" + rest;
}

/// A module whose only kernel `k` has these parameters and this body; registers of every kind are declared.
inline std::string kernel_text(const std::string& body, const std::string& parameters = "") {
  return module_text(".visible .entry k(" + parameters +
                     ")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<40>;\n"
                     ".reg .b64 %d<40>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<20>;\n" +
                     body + "\n}\n");
}

inline std::shared_ptr<const Kernel> lower_text(const std::string& text, const std::string& kernel = "k",
                                                const LowerOptions& options = {}) {
  return Module::parse(text, "test.ptx")->lower(kernel, TestAddresses(), options);
}
inline std::shared_ptr<const Kernel> lower_body(const std::string& body, const std::string& parameters = "") {
  return lower_text(kernel_text(body, parameters));
}

/// The message of the Error(kPtx) that `run` throws; "" if it throws none.
template <typename Run>
std::string message_of(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::ptx);
    return error.what();
  }
  return "";
}
inline std::string body_message(const std::string& body, const std::string& parameters = "") {
  return message_of([&] { lower_body(body, parameters); });
}

/// Texts of the kernel's ops in the order in which they are laid out.
inline std::vector<std::string> texts_of(const Kernel& kernel) {
  std::vector<std::string> out;
  for (const MicroOp& op : kernel.ops) out.push_back(kernel.text(op));
  return out;
}

/// The bits that lane 0 of a constant operand reads.
inline std::uint64_t constant_of(const Kernel& kernel, const Operand& operand) {
  EXPECT_EQ(operand.base, Operand::Base::constants);
  std::uint64_t value = 0;
  const std::size_t bytes = operand.type == DataType::b64 ? 8 : 4;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint64_t>(kernel.constants[operand.offset + i]) << (8 * i);
  }
  return value;
}

}  // namespace heddle::isa
