// SPDX-License-Identifier: Apache-2.0
// libcu++ in kernels: atomics of every order and scope, messages passed by them, barriers, latches, semaphores, spans,
// complex numbers, tuples.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

#include <complex>
#include <numeric>

#include "reference.h"

namespace {

constexpr int kBlocks = 4, kThreads = 96, kAll = kBlocks * kThreads;

/// Memory visible to host and device.
template <class T>
T* managed(std::size_t count) {
  T* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) std::abort();
  return memory;
}

void finished(const char* what) {
  const cudaError_t error = cudaDeviceSynchronize();
  expect(error == cudaSuccess, std::string(what) + ": " + cudaGetErrorString(error));
}

// --- atomics
struct Counters {
  cuda::std::atomic<int> sum;
  cuda::atomic<unsigned long long, cuda::thread_scope_device> wide;
  cuda::atomic<unsigned, cuda::thread_scope_device> bits;
  cuda::atomic<int, cuda::thread_scope_system> most, least;
  cuda::atomic<short, cuda::thread_scope_device> narrow;
  cuda::std::atomic<float> product;
  cuda::std::atomic<int*> place;
  int plain;
};

__global__ void count(Counters* c) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  c->sum.fetch_add(i);
  c->wide.fetch_add(1ull << 32, cuda::std::memory_order_relaxed);
  c->bits.fetch_xor(1u << (i % 32), cuda::std::memory_order_acq_rel);
  c->most.fetch_max(i, cuda::std::memory_order_release);
  c->least.fetch_min(-i, cuda::std::memory_order_acquire);
  c->narrow.fetch_add(2);
  if (i < 10) {
    float before = c->product.load();
    while (!c->product.compare_exchange_weak(before, before * 2.0f)) {
    }
  }
  c->place.fetch_add(1);
#if __cplusplus >= 201703L
  cuda::atomic_ref<int, cuda::thread_scope_device>(c->plain).fetch_add(3);
#endif
}

void check_atomics() {
  Counters* c = managed<Counters>(1);
  c->sum = 0;
  c->wide = 0;
  c->bits = 0;
  c->most = -1;
  c->least = 1;
  c->narrow = 0;
  c->product = 1.0f;
  c->place = nullptr;
  c->plain = 0;
  count<<<kBlocks, kThreads>>>(c);
  finished("atomics");
  expect(c->sum.load() == kAll * (kAll - 1) / 2, "fetch_add");
  expect(c->wide.load() == static_cast<unsigned long long>(kAll) << 32, "fetch_add of 64 bits");
  expect(c->bits.load() == 0, "fetch_xor");
  expect(c->most.load() == kAll - 1 && c->least.load() == 1 - kAll, "fetch_max, fetch_min");
  expect(c->narrow.load() == 2 * kAll, "fetch_add of 16 bits");
  expect(c->product.load() == 1024.0f, "compare_exchange of float");
  expect(reinterpret_cast<std::size_t>(c->place.load()) == kAll * sizeof(int), "fetch_add of a pointer");
  expect(c->plain == 3 * kAll, "atomic_ref");
  cudaFree(c);
}

// --- messages: data written before a release is visible after the acquire that reads it
struct Mail {
  int value;
  cuda::atomic<int, cuda::thread_scope_device> ready;
};

__global__ void pass_along(Mail* mail) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    while (mail[blockIdx.x - 1].ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    mail[blockIdx.x].value = mail[blockIdx.x - 1].value + 1;
  } else {
    mail[0].value = 10;
  }
  mail[blockIdx.x].ready.store(1, cuda::std::memory_order_release);
}

__global__ void pass_by_fences(Mail* mail) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    while (mail[blockIdx.x - 1].ready.load(cuda::std::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device);
    mail[blockIdx.x].value = mail[blockIdx.x - 1].value + 1;
  } else {
    mail[0].value = 20;
  }
  cuda::atomic_thread_fence(cuda::std::memory_order_release, cuda::thread_scope_device);
  mail[blockIdx.x].ready.store(1, cuda::std::memory_order_relaxed);
}

// A shared scalar guarded by an atomic flag: the compiler must reload it.
__global__ void pass_shared(int* out) {
  __shared__ int value;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
  if (threadIdx.x == 0) {
    value = 1;
    new (&turn) cuda::atomic<int, cuda::thread_scope_block>(0);
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (threadIdx.x % 32 == 0) {
    while (turn.load(cuda::std::memory_order_acquire) != warp) {
    }
    value = value * 3 + warp;
    turn.store(warp + 1, cuda::std::memory_order_release);
  }
  __syncthreads();
  out[threadIdx.x] = value;
}

void check_messages() {
  Mail* mail = managed<Mail>(kBlocks);
  for (int start : {10, 20}) {
    for (int i = 0; i < kBlocks; ++i) {
      mail[i].value = 0;
      mail[i].ready = 0;
    }
    if (start == 10) {
      pass_along<<<kBlocks, 32>>>(mail);
    } else {
      pass_by_fences<<<kBlocks, 32>>>(mail);
    }
    finished("messages");
    for (int i = 0; i < kBlocks; ++i) expect(mail[i].value == start + i, "message " + std::to_string(start + i));
  }
  cudaFree(mail);
  int* out = managed<int>(96);
  pass_shared<<<1, 96>>>(out);
  finished("turns");
  int expected = 1;
  for (int warp = 0; warp < 3; ++warp) expected = expected * 3 + warp;
  for (int i = 0; i < 96; ++i) expect(out[i] == expected, "turns of a block");
  cudaFree(out);
}

// --- barriers, latches, semaphores
__global__ void phases(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
#if _LIBCUDACXX_CUDA_API_VERSION < 2000000
  __shared__ Barrier barrier;
#else
  // Its constructor sets members to zero, which clang refuses in shared memory.
  alignas(Barrier) __shared__ unsigned char storage[sizeof(Barrier)];
  Barrier& barrier = reinterpret_cast<Barrier&>(storage);
#endif
  __shared__ int cells[kThreads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int mine = static_cast<int>(threadIdx.x);
  for (int phase = 0; phase < 4; ++phase) {
    cells[threadIdx.x] = mine;
    barrier.arrive_and_wait();
    mine = cells[(threadIdx.x + 1) % blockDim.x] + 1;
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

struct Meeting {
  cuda::latch<cuda::thread_scope_device> latch;
  cuda::counting_semaphore<cuda::thread_scope_device, 2> seats;
  cuda::atomic<int, cuda::thread_scope_device> inside, worst;
  int parts[kBlocks];
};

__global__ void meet(Meeting* meeting, int* sums) {
  if (threadIdx.x != 0) return;
  meeting->parts[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  meeting->latch.arrive_and_wait();
  int sum = 0;
  for (int part : meeting->parts) sum += part;
  sums[blockIdx.x] = sum;
  meeting->seats.acquire();
  meeting->worst.fetch_max(meeting->inside.fetch_add(1) + 1);
  meeting->inside.fetch_sub(1);
  meeting->seats.release();
}

void check_barriers() {
  int* out = managed<int>(kAll);
  phases<<<kBlocks, kThreads>>>(out);
  finished("barrier");
  for (int i = 0; i < kAll; ++i) {
    const int t = i % kThreads, from = (t + 4) % kThreads;
    expect(out[i] == from + 4, "barrier of thread " + std::to_string(t));
  }
  Meeting* meeting = managed<Meeting>(1);
  new (&meeting->latch) cuda::latch<cuda::thread_scope_device>(kBlocks);
  new (&meeting->seats) cuda::counting_semaphore<cuda::thread_scope_device, 2>(2);
  meeting->inside = 0;
  meeting->worst = 0;
  meet<<<kBlocks, 32>>>(meeting, out);
  finished("latch");
  for (int i = 0; i < kBlocks; ++i) expect(out[i] == kBlocks * (kBlocks + 1) / 2, "latch");
  expect(meeting->worst.load() >= 1 && meeting->worst.load() <= 2, "semaphore");
  cudaFree(meeting);
  cudaFree(out);
}

// --- values
__host__ __device__ int total(cuda::std::span<const int> numbers) {
  int sum = 0;
  for (int number : numbers) sum += number;
  return sum;
}

__host__ __device__ int spans() {
  int plain[6] = {1, 2, 3, 4, 5, 6};
  cuda::std::array<int, 3> array{{10, 20, 30}};
  const cuda::std::span<int> all(plain);
  all[0] = 7;
  const cuda::std::span<int, 3> fixed(array);
  static_assert(fixed.size() == 3 && decltype(all)::extent == cuda::std::dynamic_extent, "extents");
  int result = total(all) * 10000 + total(all.subspan(2, 3)) * 100 + total(fixed.last<2>());
  result += total(all.first(2)) + static_cast<int>(fixed.size_bytes()) + (all.subspan(6).empty() ? 1000000 : 0);
  return result + all.back() + *fixed.rbegin();
}

__host__ __device__ cuda::std::complex<float> numbers(cuda::std::complex<float> a, cuda::std::complex<float> b) {
  const auto c = a * b + a / b - cuda::std::conj(a);
  return c * cuda::std::complex<float>(cuda::std::abs(b), cuda::std::arg(a)) + cuda::std::norm(a);
}

__global__ void compute(int* span_result, cuda::std::complex<float>* complex_result, double* others) {
  *span_result = spans();
  complex_result[0] = numbers({1.5f, -2.0f}, {0.25f, 3.0f});
  complex_result[1] = cuda::std::exp(cuda::std::complex<float>(0.5f, 1.0f));
  const auto tuple = cuda::std::make_tuple(3, 4.5, 'a');
  others[0] = cuda::std::get<0>(tuple) + cuda::std::get<1>(tuple);
  others[1] = cuda::std::numeric_limits<float>::max();
  const auto start = cuda::std::chrono::high_resolution_clock::now();
  others[2] = static_cast<double>((cuda::std::chrono::high_resolution_clock::now() - start).count());
}

void check_values() {
  int* span_result = managed<int>(1);
  auto* complex_result = managed<cuda::std::complex<float>>(2);
  double* others = managed<double>(3);
  compute<<<1, 1>>>(span_result, complex_result, others);
  finished("values");
  expect(*span_result == spans(), "span");
  const std::complex<double> a(1.5, -2.0), b(0.25, 3.0);
  const auto c = (a * b + a / b - std::conj(a)) * std::complex<double>(std::abs(b), std::arg(a)) + std::norm(a);
  expect(is_near(complex_result[0].real(), c.real(), 1e-5) && is_near(complex_result[0].imag(), c.imag(), 1e-5),
         "complex");
  const auto e = std::exp(std::complex<double>(0.5, 1.0));
  expect(is_near(complex_result[1].real(), e.real(), 1e-5) && is_near(complex_result[1].imag(), e.imag(), 1e-5), "exp");
  expect(others[0] == 7.5, "tuple");
  expect(others[1] == static_cast<double>(std::numeric_limits<float>::max()), "numeric_limits");
  expect(others[2] >= 0, "clock");
  cudaFree(span_result);
  cudaFree(complex_result);
  cudaFree(others);
}

}  // namespace

int main() {
  check_atomics();
  check_messages();
  check_barriers();
  check_values();
  return finish();
}
