// SPDX-License-Identifier: Apache-2.0
// Lets libFuzzer drive a target (clang, HEDDLE_FUZZ).
#include <cstddef>
#include <cstdint>

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::fuzz::try_text(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
