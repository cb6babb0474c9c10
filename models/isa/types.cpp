// SPDX-License-Identifier: Apache-2.0
#include "isa/types.h"

#include <cstddef>

namespace heddle::isa {
namespace {

constexpr std::string_view kOpcodeNames[] = {
#define X(name, spelling, ...) spelling,
    HEDDLE_OPCODES(X)
#undef X
};

constexpr std::string_view kTimingClassNames[] = {
#define X(name) #name,
    HEDDLE_TIMING_CLASSES(X)
#undef X
};

}  // namespace

std::string_view name_of(DataType type) { return kTypes[static_cast<std::size_t>(type)].name; }
std::string_view name_of(Opcode opcode) { return kOpcodeNames[static_cast<std::size_t>(opcode)]; }
std::string_view name_of(TimingClass timing_class) { return kTimingClassNames[static_cast<std::size_t>(timing_class)]; }

}  // namespace heddle::isa
