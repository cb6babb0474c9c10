// SPDX-License-Identifier: Apache-2.0
#include "isa/loop_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "isa/analysis/register_visits.h"
#include "isa/describe.h"
#include "isa/operands.h"

namespace heddle::isa {
namespace {

std::uint32_t bytes_of(const Operand& operand) {
  if (operand.type == DataType::pred) return 4;
  return (size_of(operand.type) > 4 ? 2 : 1) * kRegisterUnitBytes;
}

/// Whether an operation only computes register values from its sources.
bool only_computes(const MicroOp& op) { return op.lane_function != nullptr || op.opcode == Opcode::special; }

}  // namespace

void LoopWatch::reads(const MicroOp& op, const Addresses& addresses) {
  if ((op.opcode != Opcode::ld && op.opcode != Opcode::atom) || addresses.mask == 0) return;
  if (addresses.space == Space::param || addresses.space == Space::constant || addresses.space == Space::local) return;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max(), highest = 0;
  const bool mixed = addresses.space == Space::generic;
  bool shared = addresses.space == Space::shared;
  for_each_lane(addresses.mask, [&](unsigned lane) {
    if (mixed && (addresses.local_lanes >> lane & 1) != 0) return;
    shared = shared || (mixed && (addresses.shared_lanes >> lane & 1) != 0);
    lowest = std::min(lowest, addresses.value[lane]);
    highest = std::max(highest, addresses.value[lane]);
  });
  if (lowest > highest) return;
  const Space space = shared ? Space::shared : Space::global;
  if (space == Space::shared) {
    lowest &= ~kWindowMask;
    highest &= ~kWindowMask;
  }
  const auto known = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const ReadRange& range) { return range.op == &op && range.space == space; });
  if (known != ranges_.end()) {
    known->lowest = std::min(known->lowest, lowest);
    known->highest = std::max(known->highest, highest);
  } else if (ranges_.size() < kMostRanges) {
    ranges_.push_back({&op, space, lowest, highest});
  } else {
    more_ranges_ = true;
  }
}

bool LoopWatch::begin_state(const Kernel& kernel) {
  if (!grown_) return true;
  grown_ = false;
  find_relevant(kernel);
  seen_ = repeats_ = false;
  return false;
}

/// Backward slice: registers read by the branches, memory operations and cross-lane exchanges executed so far, and the
/// registers those were computed from.
void LoopWatch::find_relevant(const Kernel& kernel) {
  const std::uint32_t units = (kernel.predicate_offset + kRegisterUnitBytes - 1) / kRegisterUnitBytes;
  const auto place_of = [&](const Operand& operand) {
    return operand.type == DataType::pred ? units + (operand.offset - kernel.predicate_offset) / 4
                                          : operand.offset / kRegisterUnitBytes;
  };
  const auto width_of = [](const Operand& operand) {
    return operand.type == DataType::pred ? 1u : bytes_of(operand) / kRegisterUnitBytes;
  };
  std::vector<bool> counts(units + (kernel.frame_bytes - kernel.predicate_offset + 3) / 4 + 2);
  bool more = false;
  const auto add = [&](const Operand& operand) {
    for (std::uint32_t i = 0; i < width_of(operand); ++i) {
      if (counts[place_of(operand) + i]) continue;
      counts[place_of(operand) + i] = true;
      more = true;
    }
  };
  do {
    more = false;
    for (std::size_t word = 0; word < executed_.size(); ++word) {
      for (std::uint64_t rest = executed_[word]; rest != 0; rest &= rest - 1) {
        const std::size_t pc = word * 64 + static_cast<unsigned>(std::countr_zero(rest));
        if (pc >= kernel.ops.size()) continue;
        const MicroOp& op = kernel.ops[pc];
        bool wanted = !only_computes(op);
        for_each_write(op, [&](const Operand& operand) {
          for (std::uint32_t i = 0; i < width_of(operand); ++i) wanted = wanted || counts[place_of(operand) + i];
        });
        if (wanted) for_each_read(op, add);
      }
    }
  } while (more);
  relevant_.clear();
  for (std::uint32_t unit = 0; unit < counts.size(); ++unit) {
    if (!counts[unit]) continue;
    const bool predicate = unit >= units;
    const std::uint32_t offset = predicate ? kernel.predicate_offset + 4 * (unit - units) : unit * kRegisterUnitBytes;
    const std::uint32_t bytes = predicate ? 4 : kRegisterUnitBytes;
    if (!relevant_.empty() && relevant_.back().offset + relevant_.back().bytes == offset) {
      relevant_.back().bytes += bytes;
    } else {
      relevant_.push_back({offset, bytes});
    }
  }
}

void LoopWatch::add_registers(StateDigest& digest, const std::byte* registers) const {
  for (const Stretch& stretch : relevant_) digest.add(registers + stretch.offset, stretch.bytes);
}

bool LoopWatch::note_state(StateDigest digest, bool all_ran) {
  digest.add(local_);
  came_back_ = seen_ && digest.value() == reference_;
  if (came_back_ && all_ran) {
    repeats_ = true;
    return false;
  }
  if (seen_ && ++states_ < renew_) return false;
  renew_ = seen_ ? renew_ * 2 : 1;
  seen_ = true;
  states_ = 0;
  reference_ = digest.value();
  if (!repeats_) {
    ranges_.clear();
    more_ranges_ = false;
  }
  return true;
}

std::string LoopWatch::describe(const Kernel& kernel, const MemoryPort& port) const {
  std::string text =
      fmt::format("repeat {} to {}", describe_instruction(kernel, first_pc_), describe_instruction(kernel, last_pc_));
  const auto where = [&](const ReadRange& range, std::uint64_t address) {
    return range.space == Space::shared ? fmt::format("shared memory at {:#x}", address)
                                        : fmt::format("{:#x} ({})", address, port.nearest(address));
  };
  const char* before = ", reading ";
  for (const ReadRange& range : ranges_) {
    text += before + where(range, range.lowest);
    if (range.highest != range.lowest) text += " to " + where(range, range.highest);
    text += " by " + describe_instruction(kernel, range.op->pc);
    before = " and ";
  }
  if (more_ranges_) text += " and more";
  return text;
}

std::string describe_situations(std::vector<Situation> all) {
  // Many groups share a cause; print one line per cause.
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (auto& one : all) {
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& other) { return other.first == one.what; });
    if (line == lines.end()) line = lines.insert(lines.end(), {one.what, {}});
    line->second.push_back(std::move(one.who));
  }
  constexpr std::size_t kMostLines = 16, kMostGroups = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostLines, lines.size()); ++i) {
    const auto& [what, who] = lines[i];
    const auto shown = who.begin() + static_cast<std::ptrdiff_t>(std::min(kMostGroups, who.size()));
    text += fmt::format("\n  {}", fmt::join(who.begin(), shown, ", "));
    if (who.size() > kMostGroups) text += fmt::format(" and {} more groups", who.size() - kMostGroups);
    text += " " + what;
  }
  if (lines.size() > kMostLines) text += fmt::format("\n  and {} more kinds of waiting", lines.size() - kMostLines);
  return text;
}

}  // namespace heddle::isa
