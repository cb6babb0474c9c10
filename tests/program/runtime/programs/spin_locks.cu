// SPDX-License-Identifier: Apache-2.0
// Locks that threads of one warp compete for. Each loop holds its lock within an iteration, as code for hardware with a
// reconvergence stack must. With argument "lanes", also one lane of a warp at a time, which relies on warps of 32.
#include <cstring>
#include <vector>

#include "expect.h"

constexpr int kBlocks = 3, kThreads = 96, kAll = kBlocks * kThreads;

__device__ void add_one(volatile int* count) { *count = *count + 1; }

__global__ void while_not_done(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      add_one(count);
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void until_leave(int* lock, int* count) {
  bool leave;
  do {
    if ((leave = atomicExch(lock, 1) == 0)) {
      add_one(count);
      __threadfence();
      *reinterpret_cast<volatile int*>(lock) = 0;
    }
  } while (!leave);
}

__global__ void with_continue(int* lock, int* count) {
  int waiting = 1;
  while (waiting) {
    if (atomicCAS(lock, 0, 1) != 0) continue;
    add_one(count);
    __threadfence();
    atomicExch(lock, 0);
    waiting = 0;
  }
}

struct Mutex {
  int state;
  __device__ bool try_lock() { return *const_cast<volatile int*>(&state) == 0 && atomicCAS(&state, 0, 1) == 0; }
  __device__ void unlock() {
    __threadfence();
    atomicExch(&state, 0);
  }
};

__global__ void mutex(int* lock, int* count) {
  Mutex* const mutex = reinterpret_cast<Mutex*>(lock);
  for (bool done = false; !done;) {
    if (!mutex->try_lock()) continue;
    for (int i = 0; i < static_cast<int>(threadIdx.x) % 3; ++i) add_one(count + 1);
    add_one(count);
    mutex->unlock();
    done = true;
  }
}

// A word of lock bits.
__global__ void bits(int* lock, int* count) {
  const int bit = 1 << (threadIdx.x & 1);
  bool done = false;
  while (!done) {
    if ((atomicOr(lock, bit) & bit) == 0) {
      atomicAdd(count, 1);
      __threadfence();
      atomicAnd(lock, ~bit);
      done = true;
    }
  }
}

// Threads are served in the order of their numbers.
__global__ void tickets(int* lock, int* count) {
  const int ticket = atomicAdd(lock, 1);
  bool done = false;
  while (!done) {
    if (*reinterpret_cast<volatile int*>(lock + 1) == ticket) {
      add_one(count);
      __threadfence();
      *reinterpret_cast<volatile int*>(lock + 1) = ticket + 1;
      done = true;
    }
  }
}

__global__ void in_shared_memory(int*, int* count) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      add_one(&sum);
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, sum);
}

// One thread of a block waits for its ticket.
__global__ void tickets_of_blocks(int* lock, int* count) {
  if (threadIdx.x == 0) {
    const int ticket = atomicAdd(lock, 1);
    while (atomicAdd(lock + 1, 0) != ticket) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *const_cast<volatile int*>(count) = *const_cast<volatile int*>(count) + static_cast<int>(blockDim.x);
    __threadfence();
    atomicAdd(lock + 1, 1);
  }
}

__global__ void lane_by_lane(int* lock, int* count) {
  for (int lane = 0; lane < 32; ++lane) {
    if (threadIdx.x % 32 != lane) continue;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    add_one(count);
    __threadfence();
    atomicExch(lock, 0);
  }
}

// Moves money between accounts. Locks are taken in one order; a thread that gets only one gives it back.
constexpr int kAccounts = 7;
__host__ __device__ int source_of(int i) { return i % kAccounts; }
__host__ __device__ int target_of(int i) { return (source_of(i) + 1 + i / kAccounts % (kAccounts - 1)) % kAccounts; }
__global__ void transfers(int* locks, int* accounts) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), from = source_of(i), to = target_of(i);
  const int first = min(from, to), second = max(from, to);
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[first], 0, 1) == 0) {
      if (atomicCAS(&locks[second], 0, 1) == 0) {
        *const_cast<volatile int*>(&accounts[from]) = *const_cast<volatile int*>(&accounts[from]) - i;
        *const_cast<volatile int*>(&accounts[to]) = *const_cast<volatile int*>(&accounts[to]) + i;
        __threadfence();
        done = true;
        atomicExch(&locks[second], 0);
      }
      atomicExch(&locks[first], 0);
    }
  }
}

// Inserts into the chains of a hash table, with a lock for each bucket.
constexpr int kBuckets = 5;
struct Entry {
  int key, next;
};
__global__ void insertions(int* locks, int* heads, Entry* entries) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < 2 * kAll; i += kAll) {
    const int bucket = i * 7 % kBuckets;
    entries[i].key = i;
    bool done = false;
    while (!done) {
      if (atomicCAS(&locks[bucket], 0, 1) == 0) {
        entries[i].next = *const_cast<volatile int*>(&heads[bucket]);
        *const_cast<volatile int*>(&heads[bucket]) = i + 1;
        __threadfence();
        atomicExch(&locks[bucket], 0);
        done = true;
      }
    }
  }
}

template <typename T>
T* zeros(int n) {
  T* data;
  OK(cudaMalloc(&data, n * sizeof(T)));
  OK(cudaMemset(data, 0, n * sizeof(T)));
  return data;
}

template <typename T>
std::vector<T> values(const T* data, int n) {
  std::vector<T> out(n);
  OK(cudaMemcpy(out.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
  return out;
}

void test_counter(void (*kernel)(int*, int*)) {
  int *lock = zeros<int>(2), *count = zeros<int>(2);
  kernel<<<kBlocks, kThreads>>>(lock, count);
  EXPECT(values(count, 1)[0] == kAll);
}

void test_transfers() {
  int *locks = zeros<int>(kAccounts), *accounts = zeros<int>(kAccounts);
  transfers<<<kBlocks, kThreads>>>(locks, accounts);
  std::vector<int> expected(kAccounts);
  for (int i = 0; i < kAll; ++i) {
    expected[source_of(i)] -= i;
    expected[target_of(i)] += i;
  }
  EXPECT(values(accounts, kAccounts) == expected);
}

void test_insertions() {
  int *locks = zeros<int>(kBuckets), *heads = zeros<int>(kBuckets);
  Entry* const entries = zeros<Entry>(2 * kAll);
  insertions<<<kBlocks, kThreads>>>(locks, heads, entries);
  const std::vector<int> first = values(heads, kBuckets);
  const std::vector<Entry> all = values(entries, 2 * kAll);
  int found = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    for (int at = first[bucket]; at != 0 && found <= 2 * kAll; at = all[at - 1].next, ++found)
      EXPECT(all[at - 1].key * 7 % kBuckets == bucket);
  }
  EXPECT(found == 2 * kAll);
}

int main(int argc, char** argv) {
  for (auto kernel : {while_not_done, until_leave, with_continue, mutex, bits, tickets, in_shared_memory, tickets_of_blocks})
    test_counter(kernel);
  if (argc > 1 && std::strcmp(argv[1], "lanes") == 0) test_counter(lane_by_lane);
  test_transfers();
  test_insertions();
  return finish();
}
