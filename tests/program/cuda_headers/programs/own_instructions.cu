// SPDX-License-Identifier: Apache-2.0
// heddle_instructions.h: every intrinsic for every data size, in shared and global memory, against the host. With an
// argument, also the maskless forms, which need the 32 threads of a warp to run together.
#include <heddle.h>

#include "check.h"

constexpr int kThreads = 96;
constexpr int kWarps = kThreads / 32;

// The threads whose predicate is true, by pattern.
__host__ __device__ inline bool holds(int pattern, int thread) {
  switch (pattern) {
    case 0:
      return true;
    case 1:
      return false;
    case 2:
      return thread % 2 == 1;
    case 3:
      return thread % 32 == 31;
    default:
      return (thread * 2654435761u >> 29) < 3;
  }
}
constexpr int kPatterns = 5;

template <class T>
__host__ __device__ T datum(int thread) {
  return static_cast<T>(thread * 37 + 11);
}

// Each warp collects the data of its threads with a true predicate in shared and in global memory, starting at an
// unaligned address; `active`: threads 0 to 19 only, with the maskless form.
template <class T>
__global__ void collect(T* out, unsigned* counts, int pattern, bool active) {
  __shared__ T gathered[kWarps][48];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  for (int i = lane; i < 48; i += 32) gathered[warp][i] = T(0);
  __syncwarp();
  const T mine = datum<T>(thread);
  T* place = out + warp * 96;
  unsigned in_shared = 99, in_global = 99;
  if (!active) {
    in_shared = __cond_acc_sync(0xffffffffu, &gathered[warp][3], holds(pattern, thread), mine);
    in_global = __cond_acc_sync(0xffffffffu, place + 5, holds(pattern, thread), mine);
    __syncwarp();
    in_shared += 1000 * __cond_acc_shared_sync(0xffffffffu, &gathered[warp][3], holds(pattern, thread), mine);
  } else if (lane < 20) {
    in_shared = __cond_acc(&gathered[warp][3], holds(pattern, thread), mine);
    in_global = __cond_acc(place + 5, holds(pattern, thread), mine);
    in_shared += 1000 * __cond_acc_shared(&gathered[warp][3], holds(pattern, thread), mine);
  }
  counts[2 * thread] = in_shared;
  counts[2 * thread + 1] = in_global;
  __syncwarp();
  for (int i = lane; i < 48; i += 32) place[48 + i] = gathered[warp][i];
}

template <class T>
void check_collect(const char* what, bool active) {
  for (int pattern = 0; pattern < kPatterns; ++pattern) {
    Mirror<T> out(kWarps * 96);
    Mirror<unsigned> counts(2 * kThreads);
    collect<T><<<1, kThreads>>>(out.device, counts.device, pattern, active);
    out.fetch();
    counts.fetch();
    for (int warp = 0; warp < kWarps; ++warp) {
      std::vector<T> expected(96, T(0));
      const int lanes = active ? 20 : 32;
      unsigned found = 0;
      for (int lane = 0; lane < lanes; ++lane) {
        if (!holds(pattern, warp * 32 + lane)) continue;
        expected[5 + found] = expected[48 + 3 + found] = datum<T>(warp * 32 + lane);
        ++found;
      }
      for (int i = 0; i < 96; ++i) expect_equal(what, out[warp * 96 + i], expected[i]);
      for (int lane = 0; lane < 32; ++lane) {
        const unsigned count = lane < lanes ? found : 99;
        expect_equal(what, counts[2 * (warp * 32 + lane)], lane < lanes ? 1001 * found : 99);
        expect_equal(what, counts[2 * (warp * 32 + lane) + 1], count);
      }
    }
  }
}

// Threads arrive at two copies of the instruction.
__global__ void from_two_places(int* out, unsigned* counts) {
  const int thread = static_cast<int>(threadIdx.x);
  unsigned count;
  if (thread % 3 == 0) {
    count = __cond_acc_sync(0xffffffffu, out, thread % 2 == 0, thread) + 1000;
  } else {
    count = __cond_acc_sync(0xffffffffu, out, thread % 2 == 0, thread) + 2000;
  }
  counts[thread] = count;
}

void check_from_two_places() {
  Mirror<int> out(32);
  Mirror<unsigned> counts(32);
  from_two_places<<<1, 32>>>(out.device, counts.device);
  out.fetch();
  counts.fetch();
  for (int i = 0; i < 32; ++i) {
    expect_equal("two places", out[i], i < 16 ? 2 * i : 0);
    expect_equal("two places", counts[i], 16 + (i % 3 == 0 ? 1000 : 2000));
  }
}

__global__ void traverse(unsigned* narrow, unsigned long long* wide, int pattern, unsigned node_size, bool active) {
  const unsigned thread = threadIdx.x;
  narrow[thread] = 7;
  if (!active) {
    narrow[thread] =
        __tree_traverse_sync(0xffffffffu, 32u + thread, holds(pattern, static_cast<int>(thread)), node_size);
  } else if (thread % 32 < 20) {
    narrow[thread] = __tree_traverse(32u + thread, holds(pattern, static_cast<int>(thread)), 32u);
  }
  wide[thread] =
      __tree_traverse_sync(0xffffffffu, 0xffffffff0ull + thread, holds(pattern, static_cast<int>(thread)), 1u << 30);
}

void check_traverse(bool active) {
  for (int pattern = 0; pattern < kPatterns; ++pattern) {
    Mirror<unsigned> narrow(kThreads);
    Mirror<unsigned long long> wide(kThreads);
    traverse<<<1, kThreads>>>(narrow.device, wide.device, pattern, 32, active);
    narrow.fetch();
    wide.fetch();
    for (int thread = 0; thread < kThreads; ++thread) {
      unsigned all = 0, first = 0;
      for (int lane = 0; lane < 32; ++lane) {
        const bool h = holds(pattern, thread / 32 * 32 + lane);
        all += h ? 1 : 0;
        first += h && lane < 20 ? 1 : 0;
      }
      const unsigned expected = 32 + thread + 32 * (active ? first : all);
      expect_equal("traverse", narrow[thread], active && thread % 32 >= 20 ? 7 : expected);
      expect_equal("traverse of 64 bits", wide[thread],
                   0xffffffff0ull + thread + (static_cast<unsigned long long>(all) << 30));
    }
  }
}

template <class T>
__global__ void hinted(T* out, const T* in) {
  out[threadIdx.x] = __ld_row_hint(in + threadIdx.x);
}

template <class T>
void check_hinted(const char* what) {
  Mirror<T> in(kThreads), out(kThreads);
  auto* bytes = reinterpret_cast<unsigned char*>(in.host.data());
  for (size_t i = 0; i < kThreads * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(i * 31 + 5);
  in.send();
  hinted<T><<<1, kThreads>>>(out.device, in.device);
  out.fetch();
  expect_equal(what, std::equal(bytes, bytes + kThreads * sizeof(T), reinterpret_cast<unsigned char*>(out.host.data())),
               true);
}

__global__ void hinted_expression(int* out, const int* in) {
  const int i = static_cast<int>(threadIdx.x);
  const int* at = in + i;
  out[i] = 3 * HEDDLE_ROW_HINT in[i + 1] - HEDDLE_ROW_HINT * at;
}

void check_hinted_expression() {
  Mirror<int> in(kThreads + 1), out(kThreads);
  for (int i = 0; i <= kThreads; ++i) in[i] = i * i;
  in.send();
  hinted_expression<<<1, kThreads>>>(out.device, in.device);
  out.fetch();
  for (int i = 0; i < kThreads; ++i) expect_equal("hinted expression", out[i], 3 * (i + 1) * (i + 1) - i * i);
}

int main(int argc, char**) {
  const int forms = argc > 1 ? 2 : 1;
  for (int active = 0; active < forms; ++active) {
    check_collect<unsigned char>("1 byte", active != 0);
    check_collect<short>("2 bytes", active != 0);
    check_collect<float>("4 bytes", active != 0);
    check_collect<double>("8 bytes", active != 0);
    check_traverse(active != 0);
  }
  check_from_two_places();
  check_hinted<signed char>("hint, 1 byte");
  check_hinted<unsigned short>("hint, 2 bytes");
  check_hinted<char4>("hint, char4");
  check_hinted<float>("hint, 4 bytes");
  check_hinted<int2>("hint, int2");
  check_hinted<double>("hint, 8 bytes");
  check_hinted<float4>("hint, float4");
  check_hinted<ulonglong2>("hint, ulonglong2");
  check_hinted_expression();
  return finish();
}
