// SPDX-License-Identifier: Apache-2.0
#include "isa/types.h"

#include <array>
#include <cstddef>

namespace heddle::isa {
namespace {

struct TypeRow {
  std::string_view name;
  std::uint8_t bytes;
  bool floating, is_signed;
};

// In the order of DataType.
constexpr TypeRow kTypes[] = {
    {"none", 0, false, false}, {"pred", 0, false, false}, {"b8", 1, false, false},  {"u8", 1, false, false},
    {"s8", 1, false, true},    {"b16", 2, false, false},  {"u16", 2, false, false}, {"s16", 2, false, true},
    {"f16", 2, true, true},    {"f16x2", 4, true, true},  {"bf16", 2, true, true},  {"bf16x2", 4, true, true},
    {"b32", 4, false, false},  {"u32", 4, false, false},  {"s32", 4, false, true},  {"f32", 4, true, true},
    {"b64", 8, false, false},  {"u64", 8, false, false},  {"s64", 8, false, true},  {"f64", 8, true, true},
};
static_assert(std::size(kTypes) == static_cast<std::size_t>(DataType::f64) + 1);

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

const TypeRow& row(DataType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

unsigned size_of(DataType type) { return row(type).bytes; }
bool is_float(DataType type) { return row(type).floating; }
bool is_signed(DataType type) { return row(type).is_signed; }
std::string_view name_of(DataType type) { return row(type).name; }
std::string_view name_of(Opcode opcode) { return kOpcodeNames[static_cast<std::size_t>(opcode)]; }
std::string_view name_of(TimingClass timing_class) { return kTimingClassNames[static_cast<std::size_t>(timing_class)]; }

}  // namespace heddle::isa
