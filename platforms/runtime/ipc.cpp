// SPDX-License-Identifier: Apache-2.0
// IPC handles of memory and events. The device lives inside its process, so handles are only valid there.
#include <fmt/core.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "runtime/messages.h"
#include "runtime/runtime.h"

using heddle::runtime::api;
using heddle::runtime::ApiError;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

/// Contents of a handle.
struct Content {
  static constexpr std::uint64_t kMagic = 0x656c'6464'6568;  // "heddle"
  std::uint64_t magic = kMagic, process = 0, address = 0;
  std::uint64_t number = 0;  ///< allocation number, as the address may be reused
};
static_assert(sizeof(Content) <= CUDA_IPC_HANDLE_SIZE);

template <typename Handle>
void write(Handle* handle, const void* pointer, std::uint64_t number) {
  require(handle != nullptr, cudaErrorInvalidValue);
  Content content;
  content.process = static_cast<std::uint64_t>(getpid());
  content.address = reinterpret_cast<std::uint64_t>(pointer);
  content.number = number;
  *handle = {};
  std::memcpy(handle->reserved, &content, sizeof content);
}

template <typename Handle>
Content read(const Handle& handle, const char* what) {
  Content content;
  std::memcpy(&content, handle.reserved, sizeof content);
  require(content.magic == Content::kMagic, cudaErrorInvalidValue);
  if (content.process == static_cast<std::uint64_t>(getpid())) return content;
  heddle::runtime::say_error(
      fmt::format("{} of process {} cannot be opened in process {}: each process has its own device", what,
                  content.process, getpid()));
  throw ApiError(cudaErrorMapBufferObjectFailed);
}

/// Number of times each address is open. Guarded by the runtime's lock.
std::map<const void*, unsigned>& opened() {
  static auto& all = *new std::map<const void*, unsigned>;
  return all;
}

}  // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return api([&](Runtime& runtime) {
    const auto found = runtime.device().memory().find(reinterpret_cast<std::uint64_t>(pointer));
    require(found && found->kind == heddle::gpu::AllocationKind::device, cudaErrorInvalidValue);
    write(handle, reinterpret_cast<const void*>(found->address), found->number);
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr && (flags & ~unsigned{cudaIpcMemLazyEnablePeerAccess}) == 0, cudaErrorInvalidValue);
    const Content content = read(handle, "memory");
    const auto found = runtime.device().memory().find(content.address);
    require(found && found->number == content.number, cudaErrorMapBufferObjectFailed);
    *pointer = reinterpret_cast<void*>(content.address);
    ++opened()[*pointer];
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return api([&](Runtime&) {
    const auto found = opened().find(pointer);
    require(found != opened().end(), cudaErrorInvalidValue);
    if (--found->second == 0) opened().erase(found);
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid_event(event), cudaErrorInvalidResourceHandle);
    require((event->flags & cudaEventInterprocess) != 0, cudaErrorInvalidValue);
    write(handle, event, 0);
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return api([&](Runtime& runtime) {
    require(event != nullptr, cudaErrorInvalidValue);
    const auto one = reinterpret_cast<cudaEvent_t>(read(handle, "an event").address);
    require(runtime.streams().valid_event(one), cudaErrorInvalidResourceHandle);
    *event = one;
  });
}
