// SPDX-License-Identifier: Apache-2.0
// A kernel's pool of immediates: each distinct value once, replicated over the lanes of a word.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "isa/micro_op.h"

namespace heddle::isa {

class ConstantPool {
 public:
  /// An operand that reads `value` in every lane. storage: pred (0 or 1), b16, b32 or b64; upper bits are truncated.
  Operand add(DataType storage, std::uint64_t value);
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_[3];  // by predicates, 4-byte and 8-byte cells
};

}  // namespace heddle::isa
