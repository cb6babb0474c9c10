// SPDX-License-Identifier: Apache-2.0
// Which architecture device code is compiled for.
#pragma once

#include <string>
#include <vector>

namespace heddle::cc {

/// Number of "sm_70", "compute_70", "lto_70", "sm_90a" or plain "70". Zero for "native", "all", "all-major": whatever
/// the driver prefers. Fails (kUsage) on anything else.
int architecture_number(const std::string& name);

/// The virtual architectures of a -gencode value: "arch=compute_70,code=[sm_70,compute_70]". Fails (kUsage) when it
/// names no arch=.
int gencode_architecture(const std::string& value);

struct Architecture {
  int number = 70;   ///< 70, 72, 75, 80 or 86: what clang 14 compiles for
  std::string note;  ///< why it is not what was asked for; empty when it is
  std::string name() const { return "sm_" + std::to_string(number); }
  std::string ptx_feature() const;  ///< "+ptx64": PTX ISA version the architecture is compiled with
};

/// The one architecture to compile for, of those asked for: device code is embedded once, so the lowest of a list
/// (the modelled device reports compute capability 7.0), raised to 70 or lowered to the newest that clang 14 knows.
Architecture choose_architecture(const std::vector<int>& asked);

}  // namespace heddle::cc
