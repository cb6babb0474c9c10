// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/special_registers.h"

#include <bit>

namespace heddle::isa {
namespace {

using Values = std::array<std::uint64_t, kWordThreads>;

/// Thread coordinates of all 32 lanes along one axis (0, 1, 2): one division, then increments.
void thread_coordinates(const WarpState& warp, unsigned axis, Values& values) {
  const Dim3& extent = warp.block->launch->block;
  Dim3 at = thread_index(warp, 0);
  for (unsigned lane = 0; lane < kWordThreads; ++lane) {
    values[lane] = axis == 0 ? at.x : (axis == 1 ? at.y : at.z);
    if (++at.x == extent.x) {
      at.x = 0;
      if (++at.y == extent.y) {
        at.y = 0;
        ++at.z;
      }
    }
  }
}

std::uint64_t lane_mask_register(SpecialRegister name, unsigned lane) {
  const std::uint32_t self = 1u << lane;
  switch (name) {
    case SpecialRegister::lanemask_eq:
      return self;
    case SpecialRegister::lanemask_lt:
      return self - 1;
    case SpecialRegister::lanemask_le:
      return self | (self - 1);
    case SpecialRegister::lanemask_gt:
      return ~(self | (self - 1));
    default:
      return ~(self - 1);  // lanemask_ge
  }
}

/// Registers with one value for the whole warp.
std::uint64_t uniform_register(SpecialRegister name, const WarpState& warp, const Environment& environment) {
  const BlockState& block = *warp.block;
  const LaunchState& launch = *block.launch;
  switch (name) {
    case SpecialRegister::ntid_x:
      return launch.block.x;
    case SpecialRegister::ntid_y:
      return launch.block.y;
    case SpecialRegister::ntid_z:
      return launch.block.z;
    case SpecialRegister::ctaid_x:
      return block.index.x;
    case SpecialRegister::ctaid_y:
      return block.index.y;
    case SpecialRegister::ctaid_z:
      return block.index.z;
    case SpecialRegister::nctaid_x:
      return launch.grid.x;
    case SpecialRegister::nctaid_y:
      return launch.grid.y;
    case SpecialRegister::nctaid_z:
      return launch.grid.z;
    case SpecialRegister::warpid:
      return warp.warp_slot;
    case SpecialRegister::nwarpid:
      return environment.warps_per_sm;
    case SpecialRegister::smid:
      return block.sm;
    case SpecialRegister::nsmid:
      return environment.sm_count;
    case SpecialRegister::gridid:
      return launch.id;
    case SpecialRegister::clock:
      return environment.clock & 0xffffffff;
    case SpecialRegister::clock_hi:
      return environment.clock >> 32;
    case SpecialRegister::clock64:
      return environment.clock;
    case SpecialRegister::globaltimer:
      return environment.nanoseconds;
    case SpecialRegister::globaltimer_lo:
      return environment.nanoseconds & 0xffffffff;
    case SpecialRegister::globaltimer_hi:
      return environment.nanoseconds >> 32;
    case SpecialRegister::dynamic_smem_size:
      return launch.dynamic_shared_bytes;
    case SpecialRegister::total_smem_size:
      return launch.shared_bytes;
    default:
      return 0;
  }
}

template <typename Cell>
void store(std::byte* place, const Values& values, std::uint32_t mask) {
  auto* to = reinterpret_cast<Cell*>(place);
  for (unsigned lane = 0; lane < kWordThreads; ++lane) {
    to[lane] = (mask >> lane & 1) != 0 ? static_cast<Cell>(values[lane]) : to[lane];
  }
}

}  // namespace

Dim3 thread_index(const WarpState& warp, unsigned lane) {
  const Dim3& extent = warp.block->launch->block;
  const std::uint32_t linear = warp.index * kWordThreads + lane;
  return {linear % extent.x, linear / extent.x % extent.y, linear / extent.x / extent.y};
}

void read_special_register(const MicroOp& op, WarpState& warp, std::uint32_t mask, const Environment& environment) {
  Values values;
  switch (op.special) {
    case SpecialRegister::tid_x:
      thread_coordinates(warp, 0, values);
      break;
    case SpecialRegister::tid_y:
      thread_coordinates(warp, 1, values);
      break;
    case SpecialRegister::tid_z:
      thread_coordinates(warp, 2, values);
      break;
    case SpecialRegister::laneid:
      for (unsigned lane = 0; lane < kWordThreads; ++lane) values[lane] = lane;
      break;
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt:
      for (unsigned lane = 0; lane < kWordThreads; ++lane) values[lane] = lane_mask_register(op.special, lane);
      break;
    default:
      values.fill(uniform_register(op.special, warp, environment));
      break;
  }
  std::byte* place = warp.registers + op.destinations[0].offset;
  if (size_of(op.destinations[0].type) == 8) {
    store<std::uint64_t>(place, values, mask);
  } else {
    store<std::uint32_t>(place, values, mask);
  }
}

}  // namespace heddle::isa
