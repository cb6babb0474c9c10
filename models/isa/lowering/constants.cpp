// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/constants.h"

#include <cstring>

namespace heddle::isa {
namespace {

constexpr std::size_t kEntryAlignment = 64;  // width of the widest vector load

}  // namespace

Operand ConstantPool::add(DataType storage, std::uint64_t value) {
  const bool wide = storage == DataType::b64, predicate = storage == DataType::pred;
  if (predicate) {
    value = value != 0 ? 0xffff'ffffu : 0;  // all lanes
  } else if (storage == DataType::b16) {
    value &= 0xffff;
  } else if (!wide) {
    value &= 0xffff'ffff;
  }
  const auto [found, added] = places_[predicate ? 0
                                      : wide    ? 2
                                                : 1]
                                  .emplace(value, static_cast<std::uint32_t>(bytes_.size()));
  if (added) {
    const std::size_t cell = wide ? 8 : 4, cells = predicate ? 1 : kWordThreads;
    const std::size_t first = bytes_.size();
    bytes_.resize(first + (cell * cells + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment);
    for (std::size_t i = 0; i < cells; ++i) std::memcpy(bytes_.data() + first + i * cell, &value, cell);
  }
  return {found->second, Operand::Base::constants, false, storage};
}

}  // namespace heddle::isa
