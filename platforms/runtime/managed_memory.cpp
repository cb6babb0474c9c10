// SPDX-License-Identifier: Apache-2.0
// Hints about managed memory. They do not affect timing, as host and device share every page, but are stored because
// programs query them.
#include "runtime/managed_memory.h"

#include <algorithm>
#include <cstring>

#include "runtime/runtime.h"

namespace heddle::runtime {

void RangeValues::set(std::uint64_t begin, std::uint64_t end, int value) {
  const int behind = at(end);
  ranges_.erase(ranges_.lower_bound(begin), ranges_.upper_bound(end));
  ranges_[begin] = value;
  ranges_[end] = behind;
}

int RangeValues::at(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  return after == ranges_.begin() ? unset_ : std::prev(after)->second;
}

int RangeValues::common(std::uint64_t begin, std::uint64_t end) const {
  const int value = at(begin);
  const auto last = ranges_.lower_bound(end);
  for (auto range = ranges_.upper_bound(begin); range != last; ++range) {
    if (range->second != value) return unset_;
  }
  return value;
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

void check_managed(Runtime& runtime, const void* pointer, std::size_t bytes) {
  const auto& memory = runtime.device().memory();
  const auto allocation = memory.find(address_of(pointer));
  const bool managed = bytes != 0 && allocation && allocation->kind == heddle::gpu::AllocationKind::managed &&
                       memory.accessible_exactly(address_of(pointer), address_of(pointer) + bytes);
  require(managed, cudaErrorInvalidValue);
}

/// The number of a device, or -1 for the host.
int location_of(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      require(location.id == 0, cudaErrorInvalidDevice);
      return 0;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return cudaCpuDeviceId;
    default:
      throw ApiError(cudaErrorInvalidValue);
  }
}

int device_or_host(int device) {
  require(device == 0 || device == cudaCpuDeviceId, cudaErrorInvalidDevice);
  return device;
}

/// `place()` returns the location; throws ApiError for an invalid one.
template <typename Place>
cudaError_t prefetch(const void* pointer, std::size_t bytes, cudaStream_t stream, Place&& place,
                     const char* call = __builtin_FUNCTION()) {
  const auto act = [=](Runtime& runtime) {
    check_managed(runtime, pointer, bytes);
    runtime.hints().prefetched.set(address_of(pointer), address_of(pointer) + bytes, place());
  };
  return on_stream(
      stream, [](Runtime&) { return EmptyWork{}; }, act, call);
}

template <typename Place>
cudaError_t advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, Place&& place,
                   const char* call = __builtin_FUNCTION()) {
  return api(
      [&](Runtime& runtime) {
        check_managed(runtime, pointer, bytes);
        const std::uint64_t begin = address_of(pointer), end = begin + bytes;
        ManagedHints& hints = runtime.hints();
        switch (advice) {
          case cudaMemAdviseSetReadMostly:
            return hints.read_mostly.set(begin, end, 1);
          case cudaMemAdviseUnsetReadMostly:
            return hints.read_mostly.set(begin, end, 0);
          case cudaMemAdviseSetPreferredLocation:
            return hints.preferred.set(begin, end, place());
          case cudaMemAdviseUnsetPreferredLocation:
            return hints.preferred.set(begin, end, cudaInvalidDeviceId);
          case cudaMemAdviseSetAccessedBy:
            return hints.accessed_by.set(begin, end, place());
          case cudaMemAdviseUnsetAccessedBy:
            return hints.accessed_by.set(begin, end, cudaInvalidDeviceId);
        }
        throw ApiError(cudaErrorInvalidValue);
      },
      call);
}

int attribute(ManagedHints& hints, cudaMemRangeAttribute attribute, std::uint64_t begin, std::uint64_t end) {
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      return hints.read_mostly.common(begin, end);
    case cudaMemRangeAttributePreferredLocation:
      return hints.preferred.common(begin, end);
    case cudaMemRangeAttributeAccessedBy:
      return hints.accessed_by.common(begin, end);
    case cudaMemRangeAttributeLastPrefetchLocation:
      return hints.prefetched.common(begin, end);
  }
  throw ApiError(cudaErrorInvalidValue);
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t stream) {
  return prefetch(pointer, bytes, stream, [device] { return device_or_host(device); });
}

cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes, cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream) {
  return prefetch(pointer, bytes, stream, [location, flags] {
    require(flags == 0, cudaErrorInvalidValue);
    return location_of(location);
  });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return advise(pointer, bytes, advice, [device] { return device_or_host(device); });
}

cudaError_t cudaMemAdvise_v2(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                             cudaMemLocation location) {
  return advise(pointer, bytes, advice, [location] { return location_of(location); });
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes, cudaMemRangeAttribute which,
                                     const void* pointer, std::size_t bytes) {
  return api([&](Runtime& runtime) {
    require(data != nullptr && data_bytes >= sizeof(int) && data_bytes % sizeof(int) == 0, cudaErrorInvalidValue);
    require(data_bytes == sizeof(int) || which == cudaMemRangeAttributeAccessedBy, cudaErrorInvalidValue);
    check_managed(runtime, pointer, bytes);
    auto* const out = static_cast<int*>(data);
    std::fill(out, out + data_bytes / sizeof(int), cudaInvalidDeviceId);
    *out = attribute(runtime.hints(), which, address_of(pointer), address_of(pointer) + bytes);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes, cudaMemRangeAttribute* which,
                                      std::size_t count, const void* pointer, std::size_t bytes) {
  if (data == nullptr || data_bytes == nullptr || which == nullptr)
    return api([](Runtime&) { require(false, cudaErrorInvalidValue); });
  for (std::size_t i = 0; i < count; ++i) {
    const cudaError_t code = cudaMemRangeGetAttribute(data[i], data_bytes[i], which[i], pointer, bytes);
    if (code != cudaSuccess) return code;
  }
  return cudaSuccess;
}
