// SPDX-License-Identifier: Apache-2.0
// Memory pools of stream-ordered allocation: their allocations and attributes. Memory comes from the device's single
// allocator and returns to it immediately when freed, as all streams are idle then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "cuda_runtime_api.h"

struct CUmemPoolHandle_st {
  int reuse_follow_event = 1, reuse_opportunistic = 1, reuse_internal = 1;
  std::uint64_t release_threshold = 0, used = 0, used_high = 0;
};

namespace heddle::runtime {

class PoolTable {
 public:
  cudaMemPool_t default_pool() { return &default_; }
  cudaMemPool_t current() { return current_ != nullptr ? current_ : &default_; }
  void set_current(cudaMemPool_t pool) { current_ = pool; }
  cudaMemPool_t create();
  /// False for the default pool and for unknown pools.
  bool destroy(cudaMemPool_t pool);
  bool valid(cudaMemPool_t pool) const { return pool == &default_ || pools_.count(pool) != 0; }
  void allocated(cudaMemPool_t pool, const void* pointer, std::size_t bytes);
  /// No effect when the memory belongs to no pool.
  void freed(const void* pointer);
  void clear();

 private:
  struct Allocation {
    cudaMemPool_t pool = nullptr;
    std::size_t bytes = 0;
  };
  CUmemPoolHandle_st default_;
  cudaMemPool_t current_ = nullptr;
  std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>> pools_;
  std::map<const void*, Allocation> allocations_;
};

}  // namespace heddle::runtime
