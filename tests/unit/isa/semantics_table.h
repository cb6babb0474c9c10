// SPDX-License-Identifier: Apache-2.0
// A table of instruction rows, each with an expectation in host arithmetic that shares no code with the lane
// operations, run on every instruction-set level of this host.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/execute.h"

namespace heddle::isa::table {

/// Source values of one lane, as bits of their types; predicates are 0 or 1.
using Inputs = std::array<std::uint64_t, 4>;

/// Value classes of an input in addition to its type's own.
enum class Draw { values, shift_amount, divisor_friendly };

struct Source {
  DataType type;
  Draw draw = Draw::values;
  DataType storage = DataType::none;  ///< none: that of the type
  bool negate = false;                ///< predicates
};

/// The expected result of a lane: bits of the destination's type (predicates: 0 or 1).
struct Expected {
  std::uint64_t first = 0, second = 0;
};

struct Row {
  std::string name;
  MicroOp op;  ///< opcode, types and modifiers; operands are filled in by the table
  std::vector<Source> sources;
  DataType result = DataType::none;
  DataType result_storage = DataType::none;  ///< none: that of the type
  DataType second_result = DataType::none;   ///< predicate next to the result, or none
  std::function<Expected(const Inputs&)> expect;
  /// For approximations, instead of `expect`: empty if `got` is acceptable, else the error.
  std::function<std::string(const Inputs&, std::uint64_t got)> judge;
  unsigned random_tuples = 600;
  bool all_pairs = true;  ///< of corner values, for two sources
};

/// Runs a row on all levels: every pair of corner values (mixes, for other counts of sources) and random values, with
/// full, partial and empty masks, and with the destination in a source's register.
void check(const Row& row);

/// Levels supported by this host; the others are printed once.
const std::vector<const char*>& host_levels();

/// Corner values of a type as bits.
const std::vector<std::uint64_t>& corners(DataType type);

/// Bits of `value` kept to the width of a type, extended as a register cell of `cell_bytes` holds them.
std::uint64_t as_cell(std::uint64_t value, DataType type, unsigned cell_bytes);

std::int64_t sign_extended(std::uint64_t bits, unsigned width);
inline unsigned width_of(DataType type) { return 8 * size_of(type); }

/// A deterministic generator (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::isa::table
