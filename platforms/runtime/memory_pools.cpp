// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_pools.h"

#include <algorithm>

#include "runtime/runtime.h"

namespace heddle::runtime {

cudaMemPool_t PoolTable::create() {
  auto pool = std::make_unique<CUmemPoolHandle_st>();
  cudaMemPool_t handle = pool.get();
  pools_.emplace(handle, std::move(pool));
  return handle;
}

bool PoolTable::destroy(cudaMemPool_t pool) {
  if (pools_.erase(pool) == 0) return false;
  if (current_ == pool) current_ = nullptr;
  // Its allocations stay valid but belong to no pool.
  std::erase_if(allocations_, [pool](const auto& entry) { return entry.second.pool == pool; });
  return true;
}

void PoolTable::allocated(cudaMemPool_t pool, const void* pointer, std::size_t bytes) {
  if (pointer == nullptr) return;
  allocations_[pointer] = {pool, bytes};
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
}

void PoolTable::freed(const void* pointer) {
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return;
  found->second.pool->used -= found->second.bytes;
  allocations_.erase(found);
}

void PoolTable::clear() {
  pools_.clear();
  allocations_.clear();
  default_ = {};
  current_ = nullptr;
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

namespace {

CUmemPoolHandle_st& pool_of(Runtime& runtime, cudaMemPool_t pool) {
  require(pool != nullptr && runtime.pools().valid(pool), cudaErrorInvalidValue);
  return *pool;
}

cudaError_t allocate_from(cudaMemPool_t wanted, void** pointer, std::size_t bytes, cudaStream_t stream,
                          const char* call = __builtin_FUNCTION()) {
  const auto allocate = [&](Runtime& runtime) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    const cudaMemPool_t pool = wanted != nullptr ? wanted : runtime.pools().current();
    pool_of(runtime, pool);
    *pointer = nullptr;
    *pointer = allocate_device(runtime, bytes);
    runtime.pools().allocated(pool, *pointer, bytes);
  };
  return on_stream(
      stream,
      [&](Runtime& runtime) {
        allocate(runtime);
        return AllocateWork{*pointer, bytes};
      },
      allocate, call);
}

/// The storage of a numeric attribute, for reading; null for an unknown one. 64 bits, or 32 if `small`.
std::uint64_t* wide_attribute(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &pool.release_threshold;
    // Freed memory is returned at once, so reserved equals used memory.
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return &pool.used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

int* flag_attribute(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return &pool.reuse_follow_event;
    case cudaMemPoolReuseAllowOpportunistic:
      return &pool.reuse_opportunistic;
    case cudaMemPoolReuseAllowInternalDependencies:
      return &pool.reuse_internal;
    default:
      return nullptr;
  }
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate_from(nullptr, pointer, bytes, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  if (pool == nullptr) return api([](Runtime&) { require(false, cudaErrorInvalidValue); });
  return allocate_from(pool, pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return on_stream(
      stream, [&](Runtime&) { return FreeWork{pointer}; },
      [&](Runtime& runtime) {
        release_device(runtime, pointer);
        runtime.pools().freed(pointer);
      });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime& runtime) {
    require(device == 0, cudaErrorInvalidDevice);
    require(pool != nullptr, cudaErrorInvalidValue);
    *pool = runtime.pools().default_pool();
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime& runtime) {
    require(device == 0, cudaErrorInvalidDevice);
    require(pool != nullptr, cudaErrorInvalidValue);
    *pool = runtime.pools().current();
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api([&](Runtime& runtime) {
    require(device == 0, cudaErrorInvalidDevice);
    pool_of(runtime, pool);
    runtime.pools().set_current(pool);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Runtime& runtime) {
    require(pool != nullptr && properties != nullptr, cudaErrorInvalidValue);
    require(properties->allocType == cudaMemAllocationTypePinned, cudaErrorInvalidValue);
    require(properties->location.type == cudaMemLocationTypeDevice && properties->location.id == 0,
            cudaErrorInvalidDevice);
    require(properties->handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported);
    *pool = runtime.pools().create();
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Runtime& runtime) { require(runtime.pools().destroy(pool), cudaErrorInvalidValue); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return api([&](Runtime& runtime) { pool_of(runtime, pool); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime& runtime) {
    CUmemPoolHandle_st& found = pool_of(runtime, pool);
    require(value != nullptr, cudaErrorInvalidValue);
    const std::uint64_t* wide = wide_attribute(found, attribute);
    const int* flag = flag_attribute(found, attribute);
    require(wide != nullptr || flag != nullptr, cudaErrorInvalidValue);
    if (wide != nullptr) *static_cast<std::uint64_t*>(value) = *wide;
    if (flag != nullptr) *static_cast<int*>(value) = *flag;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime& runtime) {
    CUmemPoolHandle_st& found = pool_of(runtime, pool);
    require(value != nullptr, cudaErrorInvalidValue);
    if (int* flag = flag_attribute(found, attribute)) {
      *flag = *static_cast<const int*>(value) != 0 ? 1 : 0;
      return;
    }
    const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        found.release_threshold = number;
        return;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        require(number == 0, cudaErrorInvalidValue);
        found.used_high = found.used;
        return;
      default:
        throw ApiError(cudaErrorInvalidValue);
    }
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses, std::size_t count) {
  return api([&](Runtime& runtime) {
    pool_of(runtime, pool);
    require(accesses != nullptr || count == 0, cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) {
      require(accesses[i].location.type == cudaMemLocationTypeDevice && accesses[i].location.id == 0,
              cudaErrorInvalidDevice);
      require(accesses[i].flags == cudaMemAccessFlagsProtReadWrite, cudaErrorInvalidValue);
    }
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return api([&](Runtime& runtime) {
    pool_of(runtime, pool);
    require(flags != nullptr && location != nullptr, cudaErrorInvalidValue);
    const bool here = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  });
}
