// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/error.h"
#include "isa/describe.h"
#include "isa/semantics/memory_access.h"
#include "isa/semantics/special_registers.h"

namespace heddle::isa {
namespace {

const char* verb_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::ld:
      return "load";
    case Opcode::st:
      return "store";
    case Opcode::async_copy:
      return "asynchronous copy";
    case Opcode::mbarrier:
      return "mbarrier operation";
    case Opcode::cond_acc:
      return "conditional accumulate";
    default:
      return "atomic operation";
  }
}

const char* words_of(AccessFault fault) {
  switch (fault) {
    case AccessFault::misaligned:
      return "misaligned";
    case AccessFault::read_only:
      return "forbidden";
    default:
      return "out-of-bounds";
  }
}

const char* name_of_space(Space space) {
  switch (space) {
    case Space::global:
      return "global";
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::constant:
      return "constant";
    case Space::param:
      return "parameter";
    default:
      return "generic";
  }
}

std::string place_of(const MicroOp& op, const Kernel& kernel) {
  std::string place = fmt::format("{}:{}", kernel.ptx_name, op.ptx_line);
  if (const std::string source = describe_source(kernel, op); !source.empty()) place += fmt::format(" ({})", source);
  if (op.text < kernel.texts.size()) place += fmt::format(" '{}'", kernel.text(op));
  return place;
}

std::string limit_of(Space space, std::uint64_t address, const WarpState& warp, const MemoryPort& port) {
  const LaunchState& launch = *warp.block->launch;
  switch (space) {
    case Space::shared:
      return fmt::format("the block has {} bytes of shared memory", launch.shared_bytes);
    case Space::local:
      return fmt::format("a thread of this kernel has {} bytes of local memory", launch.kernel->local_bytes);
    case Space::param:
      return fmt::format("the kernel has {} bytes of parameters", launch.parameters.size());
    default:
      return port.nearest(address);
  }
}

}  // namespace

void memory_fault(AccessFault fault, const MicroOp& op, const WarpState& warp, const Addresses& addresses,
                  unsigned lane, const MemoryPort& port) {
  const LaunchState& launch = *warp.block->launch;
  Space space = addresses.space;
  std::uint64_t address = addresses.value[lane];
  if (space == Space::generic) {  // lanes differ: resolve this one's space
    const std::uint64_t window = address & kWindowMask;
    space = window == kSharedWindow ? Space::shared : (window == kLocalWindow ? Space::local : Space::global);
    if (space != Space::global) address -= window;
  }
  const Dim3 thread = thread_index(warp, lane);
  const Dim3 block = warp.block->index;
  const std::string why = fault == AccessFault::misaligned
                              ? fmt::format("the address must be a multiple of {}", addresses.bytes)
                              : limit_of(space, address, warp, port);
  throw MemoryFault(
      fault, fmt::format("{} {} {} of {} bytes at {:#x}: kernel {}, {}, thread ({},{},{}) of block ({},{},{}); {}",
                         words_of(fault), name_of_space(space), verb_of(op.opcode), addresses.bytes, address,
                         launch.kernel->name, place_of(op, *launch.kernel), thread.x, thread.y, thread.z, block.x,
                         block.y, block.z, why));
}

}  // namespace heddle::isa
