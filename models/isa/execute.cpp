// SPDX-License-Identifier: Apache-2.0
#include "isa/execute.h"

#include <cpuid.h>
#include <xmmintrin.h>

#include <bit>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "isa/semantics/lane_operations.h"
#include "isa/semantics/lane_selection.h"
#include "isa/semantics/special_registers.h"

namespace heddle::isa {
namespace {

/// All exceptions masked, round to nearest, subnormals honoured.
constexpr unsigned kLaneControl = 0x1f80;

std::uint32_t predicate_of(const Operand& operand, const WarpState& warp) {
  const std::byte* base = operand.base == Operand::Base::frame ? warp.registers : warp.constants;
  std::uint32_t value;
  std::memcpy(&value, base + operand.offset, sizeof value);
  return operand.negate ? ~value : value;
}

/// cvta and isspacep on the parameter window, which is known only at run time: a generic parameter address is the host
/// address of the launch's parameter block.
void execute_parameter_address(const MicroOp& op, std::byte* const* bases, std::uint32_t mask,
                               const LaunchState& launch) {
  const auto start = reinterpret_cast<std::uint64_t>(launch.parameters.data());
  const auto* from = reinterpret_cast<const std::uint64_t*>(operand_place(op.sources[0], bases));
  if (op.opcode == Opcode::isspacep) {
    std::uint32_t inside = 0;
    // No parameter block lies within the 32-bit address range.
    const bool narrow = size_of(op.sources[0].type) == 4;
    for (unsigned i = 0; !narrow && i < kWordThreads; ++i)
      inside |= from[i] - start < launch.parameters.size() ? 1u << i : 0;
    auto* to = reinterpret_cast<std::uint32_t*>(operand_place(op.destinations[0], bases));
    *to = (*to & ~mask) | (inside & mask);
    return;
  }
  auto* to = reinterpret_cast<std::uint64_t*>(operand_place(op.destinations[0], bases));
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    to[lane] = op.to_space ? from[lane] - start : from[lane] + start;
  }
}

/// Queries CPUID directly: clang 14's __builtin_cpu_supports does not know lzcnt.
bool host_has_lzcnt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x8000'0001u, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}

}  // namespace

const LaneOperations* selected_lane_operations = nullptr;

const LaneOperations& select_best_lane_operations() {
  select_lane_operations("auto");
  return *selected_lane_operations;
}

bool host_supports(std::string_view level) {
  if (level == "baseline") return true;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && host_has_lzcnt();
  if (level == "avx2") return avx2;
  return level == "avx512" && avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

void select_lane_operations(const char* name) {
  const std::string_view wanted = name;
  const LaneOperations* best = nullptr;
#define X(level) \
  if ((wanted == #level || wanted == "auto") && host_supports(#level)) best = &level::kLaneOperations;
  HEDDLE_LANE_LEVELS(X)
#undef X
  if (best != nullptr) {
    selected_lane_operations = best;
    return;
  }
#define X(level)        \
  if (wanted == #level) \
    fail(ExitCode::usage, "lane operations '{}': this processor lacks the instructions; use 'auto'", name);
  HEDDLE_LANE_LEVELS(X)
#undef X
  fail(ExitCode::usage, "lane operations '{}' are unknown; legal are auto, baseline, avx2, avx512", name);
}

LaneFunction lane_function(const MicroOp& op) { return lane_operations().find(op); }

FloatControl::FloatControl() : saved_(_mm_getcsr()) { _mm_setcsr(kLaneControl); }
FloatControl::~FloatControl() { _mm_setcsr(saved_); }

std::uint32_t guarded(const MicroOp& op, const WarpState& warp, std::uint32_t mask) {
  return op.guard.present() ? mask & predicate_of(op.guard, warp) : mask;
}

void execute_lanes(const MicroOp& op, WarpState& warp, std::uint32_t mask, const Environment& environment) {
  std::byte* const bases[2] = {warp.registers, const_cast<std::byte*>(warp.constants)};
  if (op.lane_function != nullptr) {
    op.lane_function(op, bases, mask);
    return;
  }
  const LaunchState& launch = *warp.block->launch;
  if (op.opcode == Opcode::special) {
    read_special_register(op, warp, mask, environment);
  } else if (op.opcode == Opcode::cvta || op.opcode == Opcode::isspacep) {
    execute_parameter_address(op, bases, mask, launch);
  } else {
    fail(ExitCode::internal, "{}:{}: '{}' in kernel {} has no lane operation", launch.kernel->ptx_name, op.ptx_line,
         launch.kernel->texts.empty() ? name_of(op.opcode) : std::string_view(launch.kernel->text(op)),
         launch.kernel->name);
  }
}

BranchOutcome resolve_branch(const MicroOp& op, const WarpState& warp, std::uint32_t mask) {
  return {guarded(op, warp, mask)};
}

std::uint32_t resolve_indirect(const MicroOp& op, const WarpState& warp, unsigned lane) {
  const Kernel& kernel = *warp.block->launch->kernel;
  std::byte* const bases[2] = {warp.registers, const_cast<std::byte*>(warp.constants)};
  const auto index = reinterpret_cast<const std::uint32_t*>(operand_place(op.sources[0], bases))[lane];
  const std::vector<std::uint32_t>& targets = kernel.target_lists.at(op.target_list);
  if (index >= targets.size()) {
    fail(ExitCode::memory_fault, "{}:{}: indirect branch in kernel {} with index {}, but the list has {} targets",
         kernel.ptx_name, op.ptx_line, kernel.name, index, targets.size());
  }
  return targets[index];
}

}  // namespace heddle::isa
