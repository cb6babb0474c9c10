// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: blocks, tiles of 1 to 512 threads, coalesced threads, and the grid.
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"
#if defined(__CUDA__)
#include "heddle_device/mbarrier.h"
#endif

#if defined(__CUDA__)
#define HEDDLE_GROUP inline __attribute__((always_inline, device))

namespace cooperative_groups {

namespace details {
HEDDLE_GROUP unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
HEDDLE_GROUP unsigned int lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
HEDDLE_GROUP unsigned int thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HEDDLE_GROUP unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

// Values of any size are exchanged word by word.
enum class Shuffle { index, up, down, exclusive_or };
template <Shuffle mode, class T>
HEDDLE_GROUP T shuffle(unsigned int mask, T value, unsigned int lane, int width) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned int bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof value);
#pragma unroll
  for (int i = 0; i < words; ++i) {
    switch (mode) {
      case Shuffle::index:
        bits[i] = __shfl_sync(mask, bits[i], static_cast<int>(lane), width);
        break;
      case Shuffle::up:
        bits[i] = __shfl_up_sync(mask, bits[i], lane, width);
        break;
      case Shuffle::down:
        bits[i] = __shfl_down_sync(mask, bits[i], lane, width);
        break;
      case Shuffle::exclusive_or:
        bits[i] = __shfl_xor_sync(mask, bits[i], static_cast<int>(lane), width);
        break;
    }
  }
  __builtin_memcpy(&value, bits, sizeof value);
  return value;
}
}  // namespace details

// --- any group, its kind known at run time
// -----------------------------------------------------------------------------------
class thread_group {
 public:
  HEDDLE_GROUP unsigned int size() const { return size_; }
  HEDDLE_GROUP unsigned int num_threads() const { return size_; }
  HEDDLE_GROUP unsigned int thread_rank() const {
    return block_ ? details::thread_in_block() : static_cast<unsigned int>(__popc(mask_ & details::lanes_below()));
  }
  HEDDLE_GROUP bool is_valid() const { return size_ != 0; }
  HEDDLE_GROUP void sync() const {
    if (block_) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  HEDDLE_GROUP bool heddle_is_block() const { return block_; }
  HEDDLE_GROUP unsigned int heddle_mask() const { return mask_; }

  HEDDLE_GROUP thread_group(bool block, unsigned int mask, unsigned int size)
      : mask_(mask), size_(size), block_(block) {}

 private:
  unsigned int mask_;  // lanes of the warp, unless the group is a block
  unsigned int size_;
  bool block_;
};

// --- block
// ---------------------------------------------------------------------------------------------------------------------
class thread_block : public thread_group {
 public:
  HEDDLE_GROUP thread_block() : thread_group(true, 0xffffffffu, details::threads_of_block()) {}
  // Every arriving thread waits, so this is where they synchronise.
  class arrival_token {};
  static HEDDLE_GROUP arrival_token barrier_arrive() { return {}; }
  static HEDDLE_GROUP void barrier_wait(arrival_token&&) { __syncthreads(); }
  static HEDDLE_GROUP void sync() { __syncthreads(); }
  static HEDDLE_GROUP unsigned int size() { return details::threads_of_block(); }
  static HEDDLE_GROUP unsigned int num_threads() { return size(); }
  static HEDDLE_GROUP unsigned int thread_rank() { return details::thread_in_block(); }
  static HEDDLE_GROUP dim3 group_index() { return blockIdx; }
  static HEDDLE_GROUP dim3 thread_index() { return threadIdx; }
  static HEDDLE_GROUP dim3 group_dim() { return blockDim; }
  static HEDDLE_GROUP dim3 dim_threads() { return blockDim; }
};
HEDDLE_GROUP thread_block this_thread_block() { return thread_block(); }

// --- tiles
// -----------------------------------------------------------------------------------------------------------------------
template <unsigned int Size, class Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles have 1, 2, 4, ... 512 threads; cooperative groups of more than one block are not provided");
  static constexpr unsigned int first_mask = Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1;

 public:
  thread_block_tile() = default;
  template <class Other>  // a tile may drop its parent type
  HEDDLE_GROUP thread_block_tile(const thread_block_tile<Size, Other>&) {}
  static HEDDLE_GROUP unsigned int thread_rank() { return details::lane() & (Size - 1); }
  static constexpr HEDDLE_GROUP unsigned int size() { return Size; }
  static constexpr HEDDLE_GROUP unsigned int num_threads() { return Size; }
  static HEDDLE_GROUP unsigned int meta_group_rank() { return details::thread_in_block() / Size; }
  static HEDDLE_GROUP unsigned int meta_group_size() { return (details::threads_of_block() + Size - 1) / Size; }
  static HEDDLE_GROUP void sync() { __syncwarp(heddle_mask()); }
  static HEDDLE_GROUP unsigned int heddle_mask() { return first_mask << (details::lane() & ~(Size - 1) & 31u); }

  template <class T>
  HEDDLE_GROUP T shfl(T value, int rank) const {
    return details::shuffle<details::Shuffle::index>(heddle_mask(), value, static_cast<unsigned int>(rank), Size);
  }
  template <class T>
  HEDDLE_GROUP T shfl_up(T value, unsigned int delta) const {
    return details::shuffle<details::Shuffle::up>(heddle_mask(), value, delta, Size);
  }
  template <class T>
  HEDDLE_GROUP T shfl_down(T value, unsigned int delta) const {
    return details::shuffle<details::Shuffle::down>(heddle_mask(), value, delta, Size);
  }
  template <class T>
  HEDDLE_GROUP T shfl_xor(T value, unsigned int mask) const {
    return details::shuffle<details::Shuffle::exclusive_or>(heddle_mask(), value, mask, Size);
  }
  HEDDLE_GROUP int any(int predicate) const { return __any_sync(heddle_mask(), predicate); }
  HEDDLE_GROUP int all(int predicate) const { return __all_sync(heddle_mask(), predicate); }
  HEDDLE_GROUP unsigned int ballot(int predicate) const { return down(__ballot_sync(heddle_mask(), predicate)); }
  template <class T>
  HEDDLE_GROUP unsigned int match_any(T value) const {
    return down(__match_any_sync(heddle_mask(), value));
  }
  template <class T>
  HEDDLE_GROUP unsigned int match_all(T value, int& predicate) const {
    return down(__match_all_sync(heddle_mask(), value, &predicate));
  }
  HEDDLE_GROUP operator thread_group() const { return thread_group(false, heddle_mask(), Size); }

 private:
  static HEDDLE_GROUP unsigned int down(unsigned int lanes) {
    return lanes >> (details::lane() & ~(Size - 1) & 31u) & first_mask;
  }
};

// --- tiles of several warps
// ---------------------------------------------------------------------------------------------------------- CUDA's
// shared memory for such tiles, declared by the program. Unused here: a kernel with such tiles gets 512 bytes of its
// own.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned int heddle_unused;
};
template <unsigned int MaxBlockSize>
HEDDLE_GROUP thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return thread_block();
}

namespace details {
template <bool large>  // a tile of several warps
struct is_large {};
// For tiles of a block of up to 1024 threads: an mbarrier object per tile, first for those of 64 threads, then 128 and
// so on, and a slot for one value per warp.
struct tile_memory {
  unsigned long long objects[30], values[32];
};
HEDDLE_GROUP tile_memory& memory_of_tiles() {
  __shared__ tile_memory memory;
  return memory;
}

template <unsigned int Size, class Parent>
class large_tile {
 public:
  large_tile() = default;
  static HEDDLE_GROUP unsigned int thread_rank() { return thread_in_block() % Size; }
  static constexpr HEDDLE_GROUP unsigned int size() { return Size; }
  static constexpr HEDDLE_GROUP unsigned int num_threads() { return Size; }
  static HEDDLE_GROUP unsigned int meta_group_rank() { return thread_in_block() / Size; }
  static HEDDLE_GROUP unsigned int meta_group_size() { return (threads_of_block() + Size - 1) / Size; }
  static HEDDLE_GROUP void sync() {
    unsigned long long* const object = heddle_object();
    heddle_cuda::mbarrier_wait(object, heddle_cuda::mbarrier_arrive(object));
  }
  template <class T>
  HEDDLE_GROUP T shfl(T value, int rank) const {
    const unsigned int source = static_cast<unsigned int>(rank) % Size;
    if (thread_rank() == source) heddle_put(value);
    sync();
    value = heddle_get<T>(source / 32);
    sync();
    return value;
  }
  HEDDLE_GROUP int any(int predicate) const {
    return heddle_combine(__any_sync(heddle_lanes(), predicate), [](int a, int b) { return a | b; });
  }
  HEDDLE_GROUP int all(int predicate) const {
    return heddle_combine(__all_sync(heddle_lanes(), predicate), [](int a, int b) { return a & b; });
  }

  // Combines one value per warp, from its first lane, into a value of the tile.
  template <class T, class Operation>
  HEDDLE_GROUP T heddle_combine(T value, Operation operation) const {
    if (thread_rank() % 32 == 0) heddle_put(value);
    sync();
    value = heddle_get<T>(0);
    for (unsigned int warp = 1; warp < (heddle_threads() + 31) / 32; ++warp)
      value = operation(value, heddle_get<T>(warp));
    sync();
    return value;
  }
  // Combines the values of the preceding warps (`last` of each last lane), if any, with `own`.
  template <class T, class Operation>
  HEDDLE_GROUP T heddle_behind(T last, T own, bool has_own, Operation operation) const {
    const unsigned int warp = thread_rank() / 32;
    if (thread_rank() % 32 == 31) heddle_put(last);
    sync();
    if (warp != 0) {
      T before = heddle_get<T>(0);
      for (unsigned int w = 1; w < warp; ++w) before = operation(before, heddle_get<T>(w));
      own = has_own ? operation(before, own) : before;
    }
    sync();
    return own;
  }
  // Lanes of the calling warp that exist in the block.
  static HEDDLE_GROUP unsigned int heddle_lanes() {
    const unsigned int left = threads_of_block() - thread_in_block() / 32 * 32;
    return left >= 32 ? 0xffffffffu : (1u << left) - 1;
  }
  // All threads of the parent are here, so none still uses a tile of this size.
  static HEDDLE_GROUP void heddle_make() {
    Parent::sync();
    if (thread_rank() == 0) heddle_cuda::mbarrier_init(heddle_object(), heddle_threads());
    Parent::sync();
  }

 private:
  // Threads of this tile; a block's last tile may have fewer than the others.
  static HEDDLE_GROUP unsigned int heddle_threads() {
    const unsigned int left = threads_of_block() - thread_in_block() / Size * Size;
    return left < Size ? left : Size;
  }
  static HEDDLE_GROUP unsigned long long* heddle_object() {
    return &memory_of_tiles().objects[32 - 2048 / Size + thread_in_block() / Size];
  }
  static HEDDLE_GROUP unsigned int first_warp() { return thread_in_block() / Size * (Size / 32); }
  template <class T>
  static HEDDLE_GROUP void heddle_put(const T& value) {
    static_assert(sizeof(T) <= 8, "collective operations of tiles of more than 32 threads take values of up to 8 bytes");
    __builtin_memcpy(&memory_of_tiles().values[thread_in_block() / 32], &value, sizeof value);
  }
  template <class T>
  static HEDDLE_GROUP T heddle_get(unsigned int warp) {
    T value;
    __builtin_memcpy(&value, &memory_of_tiles().values[first_warp() + warp], sizeof value);
    return value;
  }
};
}  // namespace details

#define HEDDLE_LARGE_TILE(count)                                                            \
  template <class Parent>                                                                   \
  class thread_block_tile<count, Parent> : public details::large_tile<count, Parent> {      \
   public:                                                                                  \
    thread_block_tile() = default;                                                          \
    template <class Other>                                                                  \
    HEDDLE_GROUP thread_block_tile(const thread_block_tile<count, Other>&) {}               \
  };
HEDDLE_LARGE_TILE(64)
HEDDLE_LARGE_TILE(128)
HEDDLE_LARGE_TILE(256)
HEDDLE_LARGE_TILE(512)
#undef HEDDLE_LARGE_TILE

// --- coalesced threads: any set of lanes of one warp
// -------------------------------------------------------------------------------
class coalesced_group : public thread_group {
 public:
  HEDDLE_GROUP explicit coalesced_group(unsigned int mask)
      : thread_group(false, mask, static_cast<unsigned int>(__popc(mask))) {}
  HEDDLE_GROUP unsigned int thread_rank() const { return rank_of(details::lanes_below()); }
  HEDDLE_GROUP void sync() const { __syncwarp(heddle_mask()); }
  HEDDLE_GROUP unsigned int meta_group_rank() const { return 0; }
  HEDDLE_GROUP unsigned int meta_group_size() const { return 1; }

  template <class T>
  HEDDLE_GROUP T shfl(T value, unsigned int rank) const {
    return details::shuffle<details::Shuffle::index>(heddle_mask(), value, lane_of(rank), 32);
  }
  template <class T>
  HEDDLE_GROUP T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  HEDDLE_GROUP T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank);
  }
  HEDDLE_GROUP int any(int predicate) const { return __any_sync(heddle_mask(), predicate); }
  HEDDLE_GROUP int all(int predicate) const { return __all_sync(heddle_mask(), predicate); }
  HEDDLE_GROUP unsigned int ballot(int predicate) const { return pack(__ballot_sync(heddle_mask(), predicate)); }
  template <class T>
  HEDDLE_GROUP unsigned int match_any(T value) const {
    return pack(__match_any_sync(heddle_mask(), value));
  }
  template <class T>
  HEDDLE_GROUP unsigned int match_all(T value, int& predicate) const {
    return pack(__match_all_sync(heddle_mask(), value, &predicate));
  }

 private:
  HEDDLE_GROUP unsigned int rank_of(unsigned int lanes_below) const {
    return static_cast<unsigned int>(__popc(heddle_mask() & lanes_below));
  }
  // The lane of a rank: clears the mask's lowest bits one by one.
  HEDDLE_GROUP unsigned int lane_of(unsigned int rank) const {
    unsigned int rest = heddle_mask();
    if (rest == 0xffffffffu) return rank;
    for (unsigned int i = 0; i < rank; ++i) rest &= rest - 1;
    return static_cast<unsigned int>(__ffs(static_cast<int>(rest)) - 1);
  }
  // Converts lane bits to rank bits.
  HEDDLE_GROUP unsigned int pack(unsigned int lanes) const {
    if (heddle_mask() == 0xffffffffu) return lanes;
    unsigned int packed = 0, rank = 0;
    for (unsigned int rest = heddle_mask(); rest != 0; rest &= rest - 1, ++rank) {
      if ((lanes & rest & (0u - rest)) != 0) packed |= 1u << rank;
    }
    return packed;
  }
};
HEDDLE_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// --- partitions
// ----------------------------------------------------------------------------------------------------------------------
namespace details {
template <unsigned int Size, class Parent>
HEDDLE_GROUP void make_tile(is_large<false>) {}
template <unsigned int Size, class Parent>
HEDDLE_GROUP void make_tile(is_large<true>) {
  thread_block_tile<Size, Parent>::heddle_make();
}
}  // namespace details

template <unsigned int Size, class Parent>
HEDDLE_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  details::make_tile<Size, Parent>(details::is_large<(Size > 32)>());
  return thread_block_tile<Size, Parent>();
}
namespace experimental {
template <unsigned int CommunicationSize = 8, unsigned int MaxBlockSize = 1024>
using block_tile_memory = cooperative_groups::block_tile_memory<MaxBlockSize>;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
}  // namespace experimental
// Tiles of a size known at run time: of a block by thread order, of a smaller group by rank.
HEDDLE_GROUP thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  if (size == 0 || size > 32) return thread_group(false, 0, 0);
  if (parent.heddle_is_block()) {
    const unsigned int first = details::lane() / size * size;
    const unsigned int mask = (size == 32 ? 0xffffffffu : (1u << size) - 1) << first;
    return thread_group(false, mask, size);
  }
  const unsigned int tile = parent.thread_rank() / size;
  unsigned int mask = 0, rank = 0, count = 0;
  for (unsigned int rest = parent.heddle_mask(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == tile) {
      mask |= rest & (0u - rest);
      ++count;
    }
  }
  return thread_group(false, mask, count);
}
HEDDLE_GROUP coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  return coalesced_group(tiled_partition(static_cast<const thread_group&>(parent), size).heddle_mask());
}
template <class Group>
HEDDLE_GROUP coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int chosen = __ballot_sync(group.heddle_mask(), predicate);
  return coalesced_group(predicate ? chosen : group.heddle_mask() & ~chosen);
}
template <class Group, class Label>
HEDDLE_GROUP coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.heddle_mask(), label));
}

// --- grid
// ------------------------------------------------------------------------------------------------------------------------------
namespace details {
// Counts arrived blocks; the last one adds enough to carry into the top bit, which thus flips at each barrier. Only one
// launch at a time may synchronise.
static __device__ unsigned int grid_barrier;
}  // namespace details

class grid_group {
 public:
  // For kernels started by cudaLaunchCooperativeKernel: all blocks are resident, so the wait terminates.
  HEDDLE_GROUP void sync() const { barrier_wait(barrier_arrive()); }
  // Thread 0 arrives for its block, and only its token is used.
  using arrival_token = unsigned int;
  HEDDLE_GROUP arrival_token barrier_arrive() const {
    __syncthreads();
    if (thread_block::thread_rank() != 0) return 0;
    const bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    const unsigned int arrival = first ? 0x80000000u - (static_cast<unsigned int>(num_blocks()) - 1) : 1u;
    __threadfence();
    return atomicAdd(&details::grid_barrier, arrival);
  }
  HEDDLE_GROUP void barrier_wait(arrival_token&& before) const {
    if (thread_block::thread_rank() == 0) {
      while (((before ^ *static_cast<volatile unsigned int*>(&details::grid_barrier)) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  HEDDLE_GROUP bool is_valid() const { return true; }
  HEDDLE_GROUP unsigned long long size() const { return num_blocks() * thread_block::size(); }
  HEDDLE_GROUP unsigned long long num_threads() const { return size(); }
  HEDDLE_GROUP unsigned long long thread_rank() const {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  HEDDLE_GROUP unsigned long long num_blocks() const {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  HEDDLE_GROUP unsigned long long block_rank() const {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  HEDDLE_GROUP dim3 group_dim() const { return gridDim; }
  HEDDLE_GROUP dim3 dim_blocks() const { return gridDim; }
  HEDDLE_GROUP dim3 block_index() const { return blockIdx; }
};
HEDDLE_GROUP grid_group this_grid() { return grid_group(); }

// --- free functions
// ------------------------------------------------------------------------------------------------------------------
template <class Group>
HEDDLE_GROUP void sync(const Group& group) {
  group.sync();
}
template <class Group>
HEDDLE_GROUP auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
HEDDLE_GROUP auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}

/// One thread of the group, that of rank 0, calls the function.
template <class Group, class Function, class... Arguments>
HEDDLE_GROUP void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
/// The same in a tile or a coalesced group, whose threads all receive the result.
template <class Group, class Function, class... Arguments>
HEDDLE_GROUP auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#undef HEDDLE_GROUP
#endif  // __CUDA__
#endif
