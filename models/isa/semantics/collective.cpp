// SPDX-License-Identifier: Apache-2.0
// Collectives over threads of an ISA warp: vote, shfl, match, redux, elect, activemask. `mask` holds the participating
// threads, whatever member mask the program named.
#include <bit>

#include "core/error.h"
#include "isa/execute.h"
#include "isa/operands.h"
#include "isa/semantics/lane_selection.h"

namespace heddle::isa {
namespace {

using Bases = std::array<std::byte*, 2>;

Bases bases_of(const WarpState& warp) {
  return {warp.registers, const_cast<std::byte*>(warp.block->launch->kernel->constants.data())};
}

std::uint32_t predicate(const Operand& operand, const Bases& bases) {
  const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(operand_place(operand, bases.data()));
  return operand.negate ? ~value : value;
}

void set_predicate(const Operand& operand, const Bases& bases, std::uint32_t value, std::uint32_t mask) {
  auto* cell = reinterpret_cast<std::uint32_t*>(operand_place(operand, bases.data()));
  *cell = (*cell & ~mask) | (value & mask);
}

std::uint64_t cell(const Operand& operand, const Bases& bases, unsigned lane) {
  const std::byte* place = operand_place(operand, bases.data());
  if (size_of(operand.type) == 8) return reinterpret_cast<const std::uint64_t*>(place)[lane];
  return reinterpret_cast<const std::uint32_t*>(place)[lane];
}

void set_cell(const Operand& operand, const Bases& bases, unsigned lane, std::uint64_t value) {
  std::byte* place = operand_place(operand, bases.data());
  if (size_of(operand.type) == 8) {
    reinterpret_cast<std::uint64_t*>(place)[lane] = value;
  } else {
    reinterpret_cast<std::uint32_t*>(place)[lane] = static_cast<std::uint32_t>(value);
  }
}

void vote(const MicroOp& op, const Bases& bases, std::uint32_t mask) {
  const std::uint32_t holds = predicate(op.sources[0], bases) & mask;
  switch (op.vote_mode) {
    case VoteMode::ballot:
      for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, holds); });
      return;
    case VoteMode::all:
      set_predicate(op.destinations[0], bases, holds == mask ? ~0u : 0, mask);
      return;
    case VoteMode::any:
      set_predicate(op.destinations[0], bases, holds != 0 ? ~0u : 0, mask);
      return;
    default:
      set_predicate(op.destinations[0], bases, holds == mask || holds == 0 ? ~0u : 0, mask);
      return;
  }
}

/// The lane a shuffle reads and whether it is in range. c: bits 4..0 the clamp, bits 12..8 the mask of the segment.
struct ShuffleSource {
  unsigned lane;
  bool in_range;
};
ShuffleSource shuffle_source(ShflMode mode, unsigned lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 0x1f, clamp = c & 0x1f, segment = c >> 8 & 0x1f;
  const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
  const std::uint32_t lowest = lane & segment;
  const auto from_lane = static_cast<std::int32_t>(lane);
  std::int32_t from = 0;
  bool in_range = false;
  switch (mode) {
    case ShflMode::up:
      from = from_lane - static_cast<std::int32_t>(distance);
      in_range = from >= static_cast<std::int32_t>(highest);
      break;
    case ShflMode::down:
      from = from_lane + static_cast<std::int32_t>(distance);
      in_range = from <= static_cast<std::int32_t>(highest);
      break;
    case ShflMode::bfly:
      from = static_cast<std::int32_t>(lane ^ distance);
      in_range = from <= static_cast<std::int32_t>(highest);
      break;
    default:
      from = static_cast<std::int32_t>(lowest | (distance & ~segment));
      in_range = from <= static_cast<std::int32_t>(highest);
      break;
  }
  return {in_range ? static_cast<unsigned>(from) : lane, in_range};
}

void shuffle(const MicroOp& op, const Bases& bases, std::uint32_t mask) {
  std::array<std::uint64_t, kWordThreads>
      values;  // read before any lane writes: source and destination may be the same register
  for (unsigned lane = 0; lane < kWordThreads; ++lane) values[lane] = cell(op.sources[0], bases, lane);
  std::array<std::uint64_t, kWordThreads> result = values;
  std::uint32_t in_range = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const auto b = static_cast<std::uint32_t>(cell(op.sources[1], bases, lane));
    const auto c = static_cast<std::uint32_t>(cell(op.sources[2], bases, lane));
    const ShuffleSource from = shuffle_source(op.shfl_mode, lane, b, c);
    result[lane] = values[from.lane];
    if (from.in_range) in_range |= 1u << lane;
  });
  if (op.destinations[0].present()) {
    for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, result[lane]); });
  }
  if (op.destination_count > 1 && op.destinations[1].present())
    set_predicate(op.destinations[1], bases, in_range, mask);
}

void match(const MicroOp& op, const Bases& bases, std::uint32_t mask) {
  std::array<std::uint64_t, kWordThreads> values;
  for (unsigned lane = 0; lane < kWordThreads; ++lane) values[lane] = cell(op.sources[0], bases, lane);
  const auto equal_to = [&](std::uint64_t value) {
    std::uint32_t equal = 0;
    for_each_lane(mask, [&](unsigned lane) { equal |= values[lane] == value ? 1u << lane : 0; });
    return equal;
  };
  if (op.match_mode == MatchMode::any) {
    std::array<std::uint32_t, kWordThreads> peers;
    for_each_lane(mask, [&](unsigned lane) { peers[lane] = equal_to(values[lane]); });
    for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, peers[lane]); });
    return;
  }
  const bool all = equal_to(values[static_cast<unsigned>(std::countr_zero(mask))]) == mask;
  for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, all ? mask : 0); });
  if (op.destination_count > 1 && op.destinations[1].present())
    set_predicate(op.destinations[1], bases, all ? ~0u : 0, mask);
}

std::uint32_t reduce(AtomOp operation, bool is_signed_type, std::uint32_t a, std::uint32_t b) {
  const bool less = is_signed_type ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  switch (operation) {
    case AtomOp::add:
      return a + b;
    case AtomOp::min:
      return less ? a : b;
    case AtomOp::max:
      return less ? b : a;
    case AtomOp::and_:
      return a & b;
    case AtomOp::or_:
      return a | b;
    default:
      return a ^ b;
  }
}

/// A number wins over a NaN unless NaN propagation is requested; -0 is less than +0.
std::uint32_t reduce_float(const MicroOp& op, std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff;
  const bool nan_a = (a & ~kSign) > kInfinity, nan_b = (b & ~kSign) > kInfinity;
  if ((nan_a && nan_b) || (op.propagate_nan && (nan_a || nan_b))) return kNan;
  if (nan_a || nan_b) return nan_a ? b : a;
  const auto order = [](std::uint32_t bits) {
    const auto magnitude = static_cast<std::int64_t>(bits & ~kSign);
    return (bits & kSign) != 0 ? -magnitude - 1 : magnitude;
  };
  return (op.atom_op == AtomOp::max) == (order(a) > order(b)) ? a : b;
}

void redux_float(const MicroOp& op, const Bases& bases, std::uint32_t mask) {
  std::uint32_t total = 0;
  bool first = true;
  for_each_lane(mask, [&](unsigned lane) {
    auto value = static_cast<std::uint32_t>(cell(op.sources[0], bases, lane));
    if (op.magnitude) value &= 0x7fffffff;
    // The first value is reduced with itself, so that a lone NaN becomes the canonical NaN.
    total = reduce_float(op, first ? value : total, value);
    first = false;
  });
  for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, total); });
}

/// Elects the lowest participating thread.
void elect(const MicroOp& op, const Bases& bases, std::uint32_t mask) {
  const auto leader = static_cast<unsigned>(std::countr_zero(mask));
  if (op.destinations[0].present())
    for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, leader); });
  if (op.destination_count > 1 && op.destinations[1].present())
    set_predicate(op.destinations[1], bases, 1u << leader, mask);
}

void redux(const MicroOp& op, const Bases& bases, std::uint32_t mask) {
  if (op.type == DataType::f32) return redux_float(op, bases, mask);
  std::uint32_t rest = mask;
  auto total = static_cast<std::uint32_t>(cell(op.sources[0], bases, static_cast<unsigned>(std::countr_zero(rest))));
  for_each_lane(rest & (rest - 1), [&](unsigned lane) {
    total = reduce(op.atom_op, op.type == DataType::s32, total,
                   static_cast<std::uint32_t>(cell(op.sources[0], bases, lane)));
  });
  for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, total); });
}

}  // namespace

void execute_collective(const MicroOp& op, WarpState& warp, std::uint32_t mask) {
  if (mask == 0) return;
  const Bases bases = bases_of(warp);
  switch (op.opcode) {
    case Opcode::vote:
      vote(op, bases, mask);
      return;
    case Opcode::shfl:
      shuffle(op, bases, mask);
      return;
    case Opcode::match:
      match(op, bases, mask);
      return;
    case Opcode::redux:
      redux(op, bases, mask);
      return;
    case Opcode::elect:
      elect(op, bases, mask);
      return;
    case Opcode::activemask:
      for_each_lane(mask, [&](unsigned lane) { set_cell(op.destinations[0], bases, lane, mask); });
      return;
    default:
      fail(ExitCode::internal, "{} is not a collective operation", name_of(op.opcode));
  }
}

}  // namespace heddle::isa
