// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_port.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "isa/fault.h"
#include "isa/operands.h"

namespace heddle::runtime {
namespace {

using isa::for_each_lane;
using isa::OperandBases;
using isa::value_of;

/// Whether a call's address is 32 bits wide, as in a module with .address_size 32.
bool is_narrow(const isa::Operand& operand) { return isa::size_of(operand.type) == 4; }

/// A generic address argument of the call.
std::uint64_t address_of(const isa::MicroOp& op, unsigned source, const OperandBases& bases, unsigned lane) {
  const isa::Operand& operand = op.sources[source];
  const std::uint64_t value = value_of(operand, bases, lane);
  return is_narrow(operand) ? isa::widen_generic(static_cast<std::uint32_t>(value)) : value;
}

struct ThreadPosition {
  Dim3 block, thread;
};

ThreadPosition place_of(const isa::WarpState& warp, unsigned lane) {
  const Dim3& size = warp.block->launch->block;
  const std::uint32_t thread = warp.index * isa::kWordThreads + lane;
  return {warp.block->index, {thread % size.x, thread / size.x % size.y, thread / size.x / size.y}};
}

std::string where(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane) {
  const isa::Kernel& kernel = *warp.block->launch->kernel;
  const ThreadPosition place = place_of(warp, lane);
  return fmt::format("{}:{}: kernel '{}', block ({},{},{}), thread ({},{},{})", kernel.ptx_name, op.ptx_line,
                     kernel.name, place.block.x, place.block.y, place.block.z, place.thread.x, place.thread.y,
                     place.thread.z);
}

}  // namespace

std::string DevicePort::nearest(std::uint64_t address) const {
  std::string text = memory_.nearest(address);
  if (!memory_.astray(address)) return text;
  for (const std::string& reason : {on_astray_(), heap_refusal_}) {
    if (!reason.empty()) text += "; " + reason;
  }
  return text;
}

void DevicePort::texels(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask,
                        std::vector<isa::Addresses>& texels) {
  const std::size_t before = texels.size();
  isa::for_each_lane(mask, [&](unsigned lane) {
    gpu::Taps taps;
    std::uint32_t bytes = 0;
    const unsigned count = textures_.taps_of(op, warp, lane, taps, bytes);
    for (unsigned t = 0; t < count; ++t) {
      if (taps[t].address == 0) continue;
      while (texels.size() <= before + t) {
        texels.emplace_back();
        texels.back().space = isa::Space::texture;
      }
      isa::Addresses& addresses = texels[before + t];
      addresses.value[lane] = taps[t].address;
      addresses.mask |= 1u << lane;
      addresses.bytes = bytes;
    }
  });
}

void DevicePort::texture(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) {
  textures_.fetch(op, warp, mask, memory_);
}

void DevicePort::system_call(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) {
  switch (op.system_call) {
    case isa::SystemCall::vprintf:
      return call_printf(op, warp, mask);
    case isa::SystemCall::malloc:
      return call_malloc(op, warp, mask);
    case isa::SystemCall::free:
      return call_free(op, warp, mask);
    case isa::SystemCall::assertfail:
      return call_assert(op, warp, mask);
    case isa::SystemCall::region_begin:
      return call_region(op, warp, mask, 1);
    case isa::SystemCall::region_end:
      return call_region(op, warp, mask, -1);
    case isa::SystemCall::none:
      break;
  }
  fail(ExitCode::internal, "unknown system call in kernel '{}'", warp.block->launch->kernel->name);
}

/// A reader of generic addresses for one thread.
DeviceReader DevicePort::reader(const isa::WarpState& warp, unsigned lane) const {
  return [this, &warp, lane](std::uint64_t address, void* to, std::size_t bytes) {
    const std::uint64_t window = address & isa::kWindowMask, offset = address & ~isa::kWindowMask;
    const isa::LaunchState& launch = *warp.block->launch;
    const std::byte* from = reinterpret_cast<const std::byte*>(address);
    if (window == isa::kLocalWindow) {
      if (offset + bytes > launch.kernel->local_bytes) return false;
      from = warp.local + std::size_t{lane} * launch.kernel->local_bytes + offset;
    } else if (window == isa::kSharedWindow) {
      if (offset + bytes > launch.shared_bytes) return false;
      from = warp.block->shared + offset;
    } else if (!memory_.accessible(address, address + bytes)) {
      return false;
    }
    std::memcpy(to, from, bytes);
    return true;
  };
}

void DevicePort::call_printf(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) {
  const OperandBases bases(warp);
  for_each_lane(mask, [&](unsigned lane) {
    const DeviceReader read = reader(warp, lane);
    std::string format;
    int result = -1;
    if (read_device_text(address_of(op, 0, bases, lane), read, format)) {
      const unsigned pointer_bytes = is_narrow(op.sources[1]) ? 4 : 8;
      printf_.add(format_kernel_output(format, address_of(op, 1, bases, lane), read, result, pointer_bytes));
    }
    set_value(op.destinations[0], bases, lane, static_cast<std::uint32_t>(result));
  });
}

void DevicePort::call_malloc(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) {
  const OperandBases bases(warp);
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t bytes = value_of(op.sources[0], bases, lane);
    std::uint64_t address = 0;
    if (bytes != 0 && bytes <= heap_limit_ - heap_used_) {
      address = memory_.allocate(bytes, gpu::AllocationKind::heap);
      if (is_narrow(op.sources[0]) && address >> 32 != 0) {
        memory_.release(address);
        address = 0;
      }
      if (address != 0) heap_used_ += bytes;
    }
    if (address == 0 && bytes != 0 && heap_refusal_.empty()) {
      heap_refusal_ = fmt::format(
          "malloc() of {} bytes in kernel '{}' returned null earlier, with {} of the heap's {} bytes in use", bytes,
          warp.block->launch->kernel->name, heap_used_, heap_limit_);
    }
    set_value(op.destinations[0], bases, lane, address);
  });
}

void DevicePort::call_free(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) {
  const OperandBases bases(warp);
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t address = address_of(op, 0, bases, lane);
    if (address == 0) return;
    const auto block = memory_.find(address);
    if (!block || block->kind != gpu::AllocationKind::heap || block->address != address) {
      fail(ExitCode::memory_fault, "{}: free() of {:#x}, which malloc() in a kernel did not return: {}",
           where(op, warp, lane), address, memory_.nearest(address));
    }
    heap_used_ -= block->bytes;
    memory_.release(address);
  });
}

void DevicePort::call_assert(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) {
  const OperandBases bases(warp);
  std::fflush(stdout);
  for_each_lane(mask, [&](unsigned lane) {
    const DeviceReader read = reader(warp, lane);
    std::string expression, file, function;
    read_device_text(address_of(op, 0, bases, lane), read, expression);
    read_device_text(address_of(op, 1, bases, lane), read, file);
    read_device_text(address_of(op, 3, bases, lane), read, function);
    const ThreadPosition place = place_of(warp, lane);
    // CUDA's format for a failed assertion.
    fmt::print(stderr, "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", file,
               value_of(op.sources[2], bases, lane), function, place.block.x, place.block.y, place.block.z,
               place.thread.x, place.thread.y, place.thread.z, expression);
  });
  throw isa::KernelFault(isa::FaultKind::assertion,
                         fmt::format("an assertion failed in kernel '{}'", warp.block->launch->kernel->name));
}

void DevicePort::call_region(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, int sign) {
  const OperandBases bases(warp);
  while (mask != 0) {
    // Threads usually name a region by the same address; only in local memory can it refer to different texts.
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t address = address_of(op, 0, bases, first);
    std::uint32_t same = 1u << first;
    if ((address & isa::kWindowMask) != isa::kLocalWindow) {
      for_each_lane(mask,
                    [&](unsigned lane) { same |= std::uint32_t{address_of(op, 0, bases, lane) == address} << lane; });
    }
    mask &= ~same;
    std::string name;
    if (!read_device_text(address, reader(warp, first), name) || name.empty()) {
      fail(ExitCode::memory_fault, "{}: {}() of {:#x}, which is not a readable name: {}", where(op, warp, first),
           sign > 0 ? "heddle_region_begin" : "heddle_region_end", address, memory_.nearest(address));
    }
    regions_.count(name, sign * std::popcount(same));
  }
}

void DevicePort::reset() {
  textures_.clear();
  heap_used_ = 0;
  heap_refusal_.clear();
}

}  // namespace heddle::runtime
