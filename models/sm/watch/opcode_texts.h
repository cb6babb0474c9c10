// SPDX-License-Identifier: Apache-2.0
// Text table for signals that hold an opcode.
#pragma once

#include <string>

#include "core/trace/probe.h"
#include "isa/types.h"

namespace heddle::sm {

/// Opcode names by number.
inline const TextTable& opcode_texts() {
  static const TextTable kTexts = [] {
    TextTable names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(isa::Opcode::count); ++i)
      names.emplace_back(isa::name_of(static_cast<isa::Opcode>(i)));
    return names;
  }();
  return kTexts;
}

}  // namespace heddle::sm
