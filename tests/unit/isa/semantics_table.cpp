// SPDX-License-Identifier: Apache-2.0
#include "semantics_table.h"

#include <cstdio>
#include <cstring>
#include <map>

#include "core/error.h"
#include "isa/semantics/lane_selection.h"

namespace heddle::isa::table {
namespace {

constexpr unsigned kPredicateUnit = 24, kUnits = 26;
constexpr std::uint64_t kUntouched = 0xa5a5a5a5a5a5a5a5;
constexpr std::array<std::uint32_t, 5> kMasks = {0xffffffff, 0x0000ffff, 0x9249a5c3, 0x80000001, 0};

struct Frame {
  alignas(64) std::array<std::byte, kUnits * kRegisterUnitBytes> bytes;

  std::uint64_t cell(const Operand& operand, unsigned lane) const {
    if (operand.type == DataType::pred) {
      std::uint32_t mask;
      std::memcpy(&mask, &bytes[operand.offset], 4);
      return mask >> lane & 1;
    }
    const unsigned width = size_of(operand.type) == 8 ? 8 : 4;
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[operand.offset + lane * width], width);
    return value;
  }
  void set(const Operand& operand, unsigned lane, std::uint64_t value) {
    if (operand.type == DataType::pred) {
      std::uint32_t mask;
      std::memcpy(&mask, &bytes[operand.offset], 4);
      mask = (mask & ~(1u << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
      std::memcpy(&bytes[operand.offset], &mask, 4);
      return;
    }
    const unsigned width = size_of(operand.type) == 8 ? 8 : 4;
    std::memcpy(&bytes[operand.offset + lane * width], &value, width);
  }
};

DataType storage_of(DataType type) {
  if (type == DataType::pred) return type;
  return size_of(type) == 8 ? DataType::b64 : (size_of(type) == 4 ? DataType::b32 : DataType::b16);
}
unsigned cell_bytes(DataType storage) { return size_of(storage) == 8 ? 8 : 4; }

Operand place(unsigned slot, DataType storage, bool negate = false) {
  Operand operand;
  operand.base = Operand::Base::frame;
  operand.type = storage;
  operand.negate = negate;
  operand.offset =
      storage == DataType::pred ? kPredicateUnit * kRegisterUnitBytes + 4 * slot : 2 * slot * kRegisterUnitBytes;
  return operand;
}

DataType source_storage(const Source& source) {
  return source.storage == DataType::none ? storage_of(source.type) : source.storage;
}

/// The operation with operands: destinations in slots 0 and 1, sources from slot 2 on. alias: the destination lies in
/// the register of the first source.
MicroOp with_operands(const Row& row, bool alias) {
  MicroOp op = row.op;
  op.destinations = {};
  op.sources = {};
  op.source_count = static_cast<std::uint8_t>(row.sources.size());
  for (unsigned s = 0; s < row.sources.size(); ++s) {
    op.sources[s] = place(2 + s, source_storage(row.sources[s]), row.sources[s].negate);
  }
  const DataType storage = row.result_storage == DataType::none ? storage_of(row.result) : row.result_storage;
  op.destinations[0] = place(alias ? 2 : 0, storage);
  op.destination_count = 1;
  if (row.second_result != DataType::none)
    op.destinations[op.destination_count++] = place(1, storage_of(row.second_result));
  return op;
}

bool can_alias(const Row& row) {
  if (row.sources.empty() || row.result == DataType::pred) return false;
  const DataType storage = row.result_storage == DataType::none ? storage_of(row.result) : row.result_storage;
  const DataType source = source_storage(row.sources[0]);
  return source != DataType::pred && cell_bytes(storage) == cell_bytes(source);
}

std::uint64_t random_value(Random& random, const Source& source) {
  if (source.type == DataType::pred) return random.next() & 1;
  if (source.draw == Draw::shift_amount) {
    static constexpr std::uint64_t kAmounts[] = {0,  1,  7,  8,  15,  16,  17,  31,        32,
                                                 33, 63, 64, 65, 255, 256, 264, 0xffffffff};
    const std::uint64_t pick = random.below(2 * std::size(kAmounts));
    return pick < std::size(kAmounts) ? kAmounts[pick] : random.below(70);
  }
  if (source.draw == Draw::divisor_friendly && random.below(2) == 0) return random.below(64);
  const auto& list = corners(source.type);
  const std::uint64_t raw = random.next();
  switch (random.below(4)) {
    case 0:
      return list[random.below(list.size())];
    case 1:
      return raw;
    case 2: {  // near a corner
      const std::uint64_t near = list[random.below(list.size())] + raw % 5 - 2;
      return width_of(source.type) == 64 ? near : near & ((std::uint64_t{1} << width_of(source.type)) - 1);
    }
    default:  // floating point: exponents close together, so that operands interact; integers: few bits
      if (source.type == DataType::f32) return (raw & 0x807fffff) | (118 + random.below(20)) << 23;
      if (source.type == DataType::f64) return (raw & 0x800fffffffffffff) | (1013 + random.below(20)) << 52;
      if (source.type == DataType::f16) return (raw & 0x83ff) | (10 + random.below(12)) << 10;
      if (source.type == DataType::bf16) return (raw & 0x807f) | (122 + random.below(12)) << 7;
      return raw >> random.below(64);
  }
}

std::uint64_t low_bits(std::uint64_t value, DataType type) {
  return width_of(type) == 64 || type == DataType::pred ? value : value & ((std::uint64_t{1} << width_of(type)) - 1);
}

std::vector<Inputs> make_inputs(const Row& row) {
  std::vector<Inputs> tuples;
  Random random(std::hash<std::string>{}(row.name));
  const bool pairs = row.all_pairs && row.sources.size() == 2 && row.sources[1].type != DataType::pred &&
                     row.sources[1].draw == Draw::values;
  if (row.sources.size() == 1 || pairs) {
    for (const std::uint64_t a : corners(row.sources[0].type)) {
      if (!pairs) {
        tuples.push_back({a});
        continue;
      }
      for (const std::uint64_t b : corners(row.sources[1].type)) tuples.push_back({a, b});
    }
  }
  const unsigned count = row.random_tuples + (row.sources.size() > 2 ? 1500 : 0);
  for (unsigned i = 0; i < count; ++i) {
    Inputs inputs{};
    for (unsigned s = 0; s < row.sources.size(); ++s)
      inputs[s] = low_bits(random_value(random, row.sources[s]), row.sources[s].type);
    tuples.push_back(inputs);
  }
  while (tuples.size() % kWordThreads != 0) tuples.push_back(tuples[random.below(tuples.size())]);
  return tuples;
}

std::string describe(const Row& row, const char* level, const Inputs& inputs) {
  std::string text = row.name + " at level " + level + " of";
  for (unsigned s = 0; s < row.sources.size(); ++s) text += fmt::format(" {:#x}", inputs[s]);
  return text;
}

/// Bits of a register above the value must not matter.
std::uint64_t dirty_cell(std::uint64_t value, DataType type, unsigned bytes) {
  if (8 * bytes == width_of(type)) return value;
  return value | (kUntouched << width_of(type) & (bytes == 8 ? ~std::uint64_t{0} : 0xffffffff));
}

class Runner {
 public:
  Runner(const Row& row, const char* level) : row_(row), level_(level) {
    select_lane_operations(level);
    op_ = with_operands(row, false);
    function_ = lane_function(op_);
    if (can_alias(row)) alias_ = with_operands(row, true);
  }
  bool exists() const { return function_ != nullptr; }

  /// Runs one word; false after the first difference, which is reported.
  bool run(const Inputs* inputs, const Expected* expected, std::uint32_t mask, bool alias) {
    const MicroOp& op = alias ? *alias_ : op_;
    Frame before;
    before.bytes.fill(std::byte{0xa5});
    for (unsigned s = 0; s < row_.sources.size(); ++s) {
      const Operand& operand = op.sources[s];
      for (unsigned lane = 0; lane < kWordThreads; ++lane) {
        std::uint64_t value = inputs[lane][s];
        if (operand.type == DataType::pred) {
          value ^= operand.negate ? 1 : 0;
        } else {
          value = dirty_cell(value, row_.sources[s].type, cell_bytes(operand.type));
        }
        before.set(operand, lane, value);
      }
    }
    Frame after = before;
    std::byte* const bases[2] = {after.bytes.data(), after.bytes.data()};
    function_(op, bases, mask);
    for (unsigned lane = 0; lane < kWordThreads; ++lane) {
      if (!good(op, before, after, inputs[lane], expected == nullptr ? nullptr : &expected[lane], mask, lane))
        return false;
    }
    return untouched_elsewhere(op, before, after);
  }

  std::uint64_t result(const Inputs* inputs, unsigned lane) {
    Frame frame;
    for (unsigned s = 0; s < row_.sources.size(); ++s) {
      for (unsigned i = 0; i < kWordThreads; ++i) frame.set(op_.sources[s], i, inputs[i][s]);
    }
    std::byte* const bases[2] = {frame.bytes.data(), frame.bytes.data()};
    function_(op_, bases, ~0u);
    return frame.cell(op_.destinations[0], lane);
  }

 private:
  bool good(const MicroOp& op, const Frame& before, const Frame& after, const Inputs& inputs, const Expected* expected,
            std::uint32_t mask, unsigned lane) {
    for (unsigned d = 0; d < op.destination_count; ++d) {
      const Operand& operand = op.destinations[d];
      const std::uint64_t got = after.cell(operand, lane);
      if ((mask >> lane & 1) == 0) {
        if (got != before.cell(operand, lane)) {
          ADD_FAILURE() << describe(row_, level_, inputs) << ": lane " << lane << " outside mask " << std::hex << mask
                        << " changed";
          return false;
        }
        continue;
      }
      if (row_.judge) {
        const std::string wrong = row_.judge(inputs, got);
        if (wrong.empty()) continue;
        ADD_FAILURE() << describe(row_, level_, inputs) << fmt::format(" gives {:#x}: {}", got, wrong);
        return false;
      }
      const DataType type = d == 0 ? row_.result : row_.second_result;
      const std::uint64_t bits = d == 0 ? expected->first : expected->second;
      const std::uint64_t wanted = type == DataType::pred ? bits : as_cell(bits, type, cell_bytes(operand.type));
      if (got != wanted) {
        ADD_FAILURE() << describe(row_, level_, inputs)
                      << fmt::format(" gives {:#x} in destination {}, expected {:#x}; lane {}, mask {:#x}", got, d,
                                     wanted, lane, mask);
        return false;
      }
    }
    return true;
  }

  bool untouched_elsewhere(const MicroOp& op, const Frame& before, Frame after) {
    for (unsigned d = 0; d < op.destination_count; ++d) {
      for (unsigned lane = 0; lane < kWordThreads; ++lane)
        after.set(op.destinations[d], lane, before.cell(op.destinations[d], lane));
    }
    if (after.bytes == before.bytes) return true;
    ADD_FAILURE() << row_.name << " at level " << level_ << " writes outside its destination";
    return false;
  }

  const Row& row_;
  const char* level_;
  MicroOp op_;
  std::optional<MicroOp> alias_;
  LaneFunction function_ = nullptr;
};

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::int64_t sign_extended(std::uint64_t bits, unsigned width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

std::uint64_t as_cell(std::uint64_t value, DataType type, unsigned bytes) {
  const unsigned width = width_of(type);
  std::uint64_t cell = width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
  if (type == DataType::s8 || type == DataType::s16 || type == DataType::s32) {
    cell = static_cast<std::uint64_t>(sign_extended(cell, width));
  }
  return bytes == 8 ? cell : cell & 0xffffffff;
}

const std::vector<const char*>& host_levels() {
  static const std::vector<const char*> levels = [] {
    std::vector<const char*> found;
    for (const char* level : {"baseline", "avx2", "avx512"}) {
      if (host_supports(level)) {
        found.push_back(level);
      } else {
        std::printf("skipped: this processor has no %s\n", level);
      }
    }
    return found;
  }();
  return levels;
}

void check(const Row& row) {
  std::vector<Runner> runners;
  for (const char* level : host_levels()) runners.emplace_back(row, level);
  for (const Runner& runner : runners) ASSERT_TRUE(runner.exists()) << row.name << " has no lane function";
  const std::vector<Inputs> tuples = make_inputs(row);
  std::array<Expected, kWordThreads> expected;
  for (std::size_t first = 0; first < tuples.size(); first += kWordThreads) {
    const Inputs* inputs = &tuples[first];
    for (unsigned lane = 0; row.expect && lane < kWordThreads; ++lane) expected[lane] = row.expect(inputs[lane]);
    const bool vary = first < 8 * kWordThreads;  // masks and places on the first words, values on all
    for (std::size_t r = 0; r < runners.size(); ++r) {
      for (const std::uint32_t mask : kMasks) {
        if (!runners[r].run(inputs, row.expect ? expected.data() : nullptr, mask, false)) return;
        if (!vary) break;
      }
      if (vary && can_alias(row)) {
        for (const std::uint32_t mask : {kMasks[0], kMasks[2]}) {
          if (!runners[r].run(inputs, row.expect ? expected.data() : nullptr, mask, true)) return;
        }
      }
      // Approximations have no exact expectation, but must be identical on every level.
      for (unsigned lane = 0; row.judge && r > 0 && lane < kWordThreads; ++lane) {
        ASSERT_EQ(runners[r].result(inputs, lane), runners[0].result(inputs, lane))
            << describe(row, host_levels()[r], inputs[lane]) << " differs from baseline";
      }
    }
  }
}

}  // namespace heddle::isa::table
