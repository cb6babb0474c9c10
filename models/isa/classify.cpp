// SPDX-License-Identifier: Apache-2.0
#include "isa/classify.h"

#include <cstddef>

namespace heddle::isa {
namespace {

struct ClassRow {
  Unit unit;
  TimingClass of_int, of_f32, of_f64;
};
constexpr ClassRow kClasses[] = {
#define X(name, spelling, unit, i, f, d) {Unit::unit, TimingClass::i, TimingClass::f, TimingClass::d},
    HEDDLE_OPCODES(X)
#undef X
};

}  // namespace

void classify(MicroOp& op) {
  const ClassRow& row = kClasses[static_cast<std::size_t>(op.opcode)];
  const auto is_double = [](DataType type) { return type == DataType::f64; };
  const bool converts = op.opcode == Opcode::cvt || op.opcode == Opcode::set;
  op.unit = row.unit;
  if (is_double(op.type) || (converts && is_double(op.source_type))) {
    op.timing_class = row.of_f64;
  } else if (is_float(op.type) || (converts && is_float(op.source_type))) {
    op.timing_class = row.of_f32;
  } else {
    op.timing_class = row.of_int;
  }
  switch (op.timing_class) {
    case TimingClass::fp64_add:
    case TimingClass::fp64_max:
    case TimingClass::fp64_mul:
    case TimingClass::fp64_mad:
    case TimingClass::fp64_div:
      op.unit = Unit::fp64;
      break;
    default:
      break;
  }
}

}  // namespace heddle::isa
