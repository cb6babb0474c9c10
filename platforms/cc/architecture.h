// SPDX-License-Identifier: Apache-2.0
// Selects the architecture for device code.
#pragma once

#include <string>
#include <vector>

namespace heddle::cc {

/// Number of "sm_70", "compute_70", "lto_70", "sm_90a" or plain "70". Zero for "native", "all", "all-major": the
/// driver's choice. Fails (kUsage) on anything else.
int architecture_number(const std::string& name);

/// The virtual architectures of a -gencode value: "arch=compute_70,code=[sm_70,compute_70]". Fails (kUsage) without
/// arch=.
int gencode_architecture(const std::string& value);

struct Architecture {
  int number = 70;   ///< 70, 72, 75, 80 or 86: those supported by clang 14
  std::string note;  ///< why it differs from the request; empty otherwise
  std::string name() const { return "sm_" + std::to_string(number); }
  std::string ptx_feature() const;  ///< "+ptx64": PTX ISA version the architecture is compiled with
};

/// Chooses one of the requested architectures, since device code is embedded once: the lowest (the modelled device
/// reports compute capability 7.0), raised to 70 or lowered to the newest that clang 14 knows.
Architecture choose_architecture(const std::vector<int>& asked);

}  // namespace heddle::cc
