// SPDX-License-Identifier: Apache-2.0
// Allocation and address queries. Device pointers are host pointers, so page-locked, mapped and managed memory are
// ordinary process memory at addresses the device may access.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "heddle.h"
#include "runtime/messages.h"
#include "runtime/runtime.h"

using heddle::gpu::AllocationKind;
using heddle::runtime::address_of;
using heddle::runtime::api;
using heddle::runtime::ApiError;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

constexpr std::size_t kPitchAlignment = 512;  // bytes; texturePitchAlignment divides it

/// Notes an allocation beyond the machine's memory, as the program would fail on such hardware.
void note_overflow(const heddle::gpu::DeviceMemory& memory) {
  if (memory.device_bytes_used() <= memory.device_bytes()) return;
  heddle::runtime::say_note(fmt::format(
      "the program allocates more device memory than the machine's {} MiB (memory_bytes): the host backs it; "
      "enforce_memory_bytes=true would refuse it",
      memory.device_bytes() >> 20));
}

void allocate(Runtime& runtime, void** pointer, std::size_t bytes, AllocationKind kind) {
  require(pointer != nullptr, cudaErrorInvalidValue);
  *pointer = nullptr;
  auto& memory = runtime.device().memory();
  if (bytes == 0) return;
  const std::uint64_t address = memory.allocate(bytes, kind);
  if (address == 0) {
    const bool host = kind == AllocationKind::host || kind == AllocationKind::managed;
    const std::uint64_t all = memory.device_bytes_backed(), free = all - memory.device_bytes_used();
    std::string detail = fmt::format("{} bytes were requested{}", bytes,
                                     host ? "" : fmt::format(", and {} of the device's {} were free", free, all));
    heddle::runtime::say_note("an allocation failed: " + detail);
    throw ApiError(cudaErrorMemoryAllocation, std::move(detail));
  }
  note_overflow(memory);
  *pointer = reinterpret_cast<void*>(address);
}

void release(Runtime& runtime, void* pointer, AllocationKind kind, AllocationKind other) {
  auto& memory = runtime.device().memory();
  if (pointer == nullptr) return;
  const auto allocation = memory.find(address_of(pointer));
  const bool fits = allocation && allocation->address == address_of(pointer) &&
                    (allocation->kind == kind || allocation->kind == other);
  require(fits, cudaErrorInvalidValue);
  // Satisfies cudaFree's guarantee that the device is idle.
  runtime.synchronize();
  memory.release(address_of(pointer));
}

}  // namespace

void* heddle::runtime::allocate_device(Runtime& runtime, std::size_t bytes) {
  void* pointer = nullptr;
  allocate(runtime, &pointer, bytes, AllocationKind::device);
  return pointer;
}

void heddle::runtime::release_device(Runtime& runtime, void* pointer) {
  release(runtime, pointer, AllocationKind::device, AllocationKind::managed);
}

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return api([&](Runtime& runtime) { allocate(runtime, pointer, bytes, AllocationKind::device); });
}

cudaError_t heddleMallocGenerated(void** pointer, std::size_t bytes, heddleGenerator generator, void* context) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr && generator != nullptr && bytes != 0, cudaErrorInvalidValue);
    *pointer = nullptr;
    const std::uint64_t address = runtime.device().memory().allocate_generated(
        bytes, [generator, context](std::uint64_t offset, void* to, std::size_t count) {
          generator(context, offset, to, count);
        });
    require(address != 0, cudaErrorMemoryAllocation);
    *pointer = reinterpret_cast<void*>(address);
  });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(bytes != 0 && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost), cudaErrorInvalidValue);
    allocate(runtime, pointer, bytes, AllocationKind::managed);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    require((flags & ~kKnown) == 0, cudaErrorInvalidValue);
    allocate(runtime, pointer, bytes, AllocationKind::host);
    if (*pointer != nullptr) runtime.host_flags[address_of(*pointer)] = flags | cudaHostAllocMapped;
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFree(void* pointer) {
  return api([&](Runtime& runtime) {
    const auto allocation = runtime.device().memory().find(address_of(pointer));
    const bool generated = allocation && allocation->kind == AllocationKind::generated;
    release(runtime, pointer, generated ? AllocationKind::generated : AllocationKind::device, AllocationKind::managed);
    runtime.pools().freed(pointer);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api([&](Runtime& runtime) {
    release(runtime, pointer, AllocationKind::host, AllocationKind::host);
    runtime.host_flags.erase(address_of(pointer));
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return api([&](Runtime& runtime) {
    require(pitch != nullptr, cudaErrorInvalidValue);
    *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    require(height == 0 || *pitch <= std::numeric_limits<std::size_t>::max() / height, cudaErrorMemoryAllocation);
    allocate(runtime, pointer, *pitch * height, AllocationKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  if (pitched == nullptr) return api([](Runtime&) { require(false, cudaErrorInvalidValue); });
  void* pointer = nullptr;
  std::size_t pitch = 0;
  const cudaError_t code = cudaMallocPitch(&pointer, &pitch, extent.width, extent.height * extent.depth);
  if (code == cudaSuccess) *pitched = {pointer, pitch, extent.width, extent.height};
  return code;
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    constexpr unsigned kKnown =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    require(pointer != nullptr && bytes != 0 && (flags & ~kKnown) == 0, cudaErrorInvalidValue);
    require(runtime.device().memory().register_host(address_of(pointer), bytes), cudaErrorHostMemoryAlreadyRegistered);
    runtime.host_flags[address_of(pointer)] = flags | cudaHostAllocMapped;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    require(runtime.device().memory().unregister_host(address_of(pointer)), cudaErrorHostMemoryNotRegistered);
    runtime.host_flags.erase(address_of(pointer));
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(device != nullptr && flags == 0, cudaErrorInvalidValue);
    const auto allocation = runtime.device().memory().find(address_of(host));
    const bool mapped =
        allocation && (allocation->kind == AllocationKind::host || allocation->kind == AllocationKind::registered);
    require(mapped, cudaErrorInvalidValue);
    *device = host;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Runtime& runtime) {
    const auto found = runtime.host_flags.find(address_of(host));
    require(flags != nullptr && found != runtime.host_flags.end(), cudaErrorInvalidValue);
    *flags = found->second;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return api([&](Runtime& runtime) {
    const auto& memory = runtime.device().memory();
    if (total_bytes != nullptr) *total_bytes = memory.device_bytes();
    const std::uint64_t used = std::min(memory.device_bytes_used(), memory.device_bytes());
    if (free_bytes != nullptr) *free_bytes = memory.device_bytes() - used;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api([&](Runtime& runtime) {
    require(attributes != nullptr, cudaErrorInvalidValue);
    *attributes = {};
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
    const auto allocation = runtime.device().memory().find(address_of(pointer));
    if (!allocation) return;
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    switch (allocation->kind) {
      case AllocationKind::host:
      case AllocationKind::registered:
        attributes->type = cudaMemoryTypeHost;
        break;
      case AllocationKind::managed:
        attributes->type = cudaMemoryTypeManaged;
        break;
      default:
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = nullptr;
    }
  });
}
