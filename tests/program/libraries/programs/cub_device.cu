// SPDX-License-Identifier: Apache-2.0
// CUB's device-wide algorithms, each called twice: for the size of its scratch memory, and to run.
#include <cub/cub.cuh>

#include <algorithm>
#include <map>
#include <numeric>

#include "reference.h"

namespace {

/// Device memory of `count` elements.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) {
    if (cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)) != cudaSuccess) std::abort();
  }
  explicit Array(const std::vector<T>& host) : Array(host.size()) {
    cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return data_; }
  std::vector<T> fetch(std::size_t count) const {
    std::vector<T> host(count);
    const cudaError_t error = cudaMemcpy(host.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost);
    expect(error == cudaSuccess, cudaGetErrorString(error));
    return host;
  }
  std::vector<T> fetch() const { return fetch(count_); }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// `call(scratch, bytes)` is one of CUB's device functions with its other arguments.
template <class Call>
void twice(const std::string& what, Call&& call) {
  std::size_t bytes = 0;
  expect(call(nullptr, bytes) == cudaSuccess, what + ": asking for its scratch memory failed");
  Array<char> scratch(bytes);
  const cudaError_t error = call(scratch.data(), bytes);
  expect(error == cudaSuccess, what + ": " + cudaGetErrorString(error));
}

template <class T>
void sorts(const char* type, int n) {
  const std::string what = std::string(type) + " " + std::to_string(n) + ": ";
  const std::vector<T> host = values<T>(n, 90);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const Array<T> keys(host), sorted(n);
  const Array<int> indices(order), moved(n);
  twice(what + "SortPairs", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted.data(), indices.data(), moved.data(), n);
  });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return host[a] < host[b]; });
  expect_same(what + "SortPairs", moved.fetch(), order);
  std::vector<T> expected = host;
  std::sort(expected.begin(), expected.end(), std::greater<T>());
  twice(what + "SortKeysDescending", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, keys.data(), sorted.data(), n);
  });
  expect_same(what + "SortKeysDescending", sorted.fetch(), expected);
}

struct Maximum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b > a ? b : a;
  }
};

template <class T>
void sums(const char* type, int n) {
  const std::string what = std::string(type) + " " + std::to_string(n) + ": ";
  const std::vector<T> host = values<T>(n, 60);
  const Array<T> in(host), out(n), one(1);
  twice(what + "Sum", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in.data(), one.data(), n);
  });
  expect(one.fetch()[0] == std::accumulate(host.begin(), host.end(), T(0)), what + "Sum");
  twice(what + "Reduce", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, in.data(), one.data(), n, Maximum(), T(-100));
  });
  expect(one.fetch()[0] == std::accumulate(host.begin(), host.end(), T(-100), Maximum()), what + "Reduce");
  std::vector<T> expected(n);
  std::partial_sum(host.begin(), host.end(), expected.begin());
  twice(what + "InclusiveSum", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in.data(), out.data(), n);
  });
  expect_same(what + "InclusiveSum", out.fetch(), expected);
  T most = T(-5);
  for (int i = 0; i < n; ++i) {
    expected[i] = most;
    most = Maximum()(most, host[i]);
  }
  twice(what + "ExclusiveScan", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(scratch, bytes, in.data(), out.data(), Maximum(), T(-5), n);
  });
  expect_same(what + "ExclusiveScan", out.fetch(), expected);
}

struct Below {
  int limit;
  __host__ __device__ bool operator()(int x) const { return x < limit; }
};

void selections(int n) {
  const std::string what = "int " + std::to_string(n) + ": ";
  const std::vector<int> host = values<int>(n, 5);
  const Array<int> in(host), out(n), runs(n), count(1);
  std::vector<int> expected;
  std::copy_if(host.begin(), host.end(), std::back_inserter(expected), Below{0});
  twice(what + "Select::If", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in.data(), out.data(), count.data(), n, Below{0});
  });
  expect_same(what + "Select::If", out.fetch(count.fetch()[0]), expected);

  expected = host;
  const auto middle = std::stable_partition(expected.begin(), expected.end(), Below{0});
  std::reverse(middle, expected.end());  // unselected elements come in reverse order
  twice(what + "Partition::If", [&](void* scratch, std::size_t& bytes) {
    return cub::DevicePartition::If(scratch, bytes, in.data(), out.data(), count.data(), n, Below{0});
  });
  expect_same(what + "Partition::If", out.fetch(), expected);

  expected = host;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  twice(what + "RunLengthEncode", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(scratch, bytes, in.data(), out.data(), runs.data(), count.data(), n);
  });
  const int found = count.fetch()[0];
  expect_same(what + "RunLengthEncode", out.fetch(found), expected);
  const std::vector<int> lengths = runs.fetch(found);
  expect(std::accumulate(lengths.begin(), lengths.end(), 0) == n, what + "RunLengthEncode: lengths");
}

void histograms(int n) {
  const std::vector<unsigned char> bytes_of_image = values<unsigned char>(n, 256);
  const Array<unsigned char> samples(bytes_of_image);
  const Array<int> even(256);
  twice("HistogramEven", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, samples.data(), even.data(), 257, 0, 256, n);
  });
  std::vector<int> expected(256);
  for (unsigned char sample : bytes_of_image) ++expected[sample];
  expect_same("HistogramEven", even.fetch(), expected);

  const std::vector<float> host = values<float>(n, 64);
  const std::vector<float> bounds{-100.0f, -20.0f, -3.0f, 0.0f, 11.0f, 100.0f};
  const Array<float> numbers(host), limits(bounds);
  const Array<int> range(5);
  twice("HistogramRange", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramRange(scratch, bytes, numbers.data(), range.data(), 6, limits.data(), n);
  });
  expected.assign(5, 0);
  for (float number : host) {
    ++expected[std::upper_bound(bounds.begin(), bounds.end(), number) - bounds.begin() - 1];
  }
  expect_same("HistogramRange", range.fetch(), expected);
}

void segments() {
  const std::vector<int> host = values<int>(1000, 40), offsets{0, 0, 7, 400, 999, 1000};
  const Array<int> in(host), ends(offsets), out(5);
  twice("SegmentedReduce", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(scratch, bytes, in.data(), out.data(), 5, ends.data(), ends.data() + 1);
  });
  std::vector<int> expected(5);
  for (int s = 0; s < 5; ++s) {
    expected[s] = std::accumulate(host.begin() + offsets[s], host.begin() + offsets[s + 1], 0);
  }
  expect_same("SegmentedReduce", out.fetch(), expected);
}

// CUB's queries to the runtime before a launch.
void questions() {
  int version = 0, count = 0, resident = 0;
  expect(cub::PtxVersion(version) == cudaSuccess && version >= 700, "PtxVersion " + std::to_string(version));
  expect(cub::SmVersion(version) == cudaSuccess && version >= 100, "SmVersion " + std::to_string(version));
  expect(cub::MaxSmOccupancy(resident, cub::EmptyKernel<void>, 64) == cudaSuccess && resident > 0, "MaxSmOccupancy");
  expect(cudaGetDeviceCount(&count) == cudaSuccess && cub::DeviceCount() == count, "DeviceCount");
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 3001;
  questions();
  for (const int n : {0, 1, 257, largest}) {
    sorts<int>("int", n);
    sums<int>("int", n);
    selections(n);
  }
  sorts<float>("float", largest);
  sums<double>("double", largest);
  histograms(largest);
  segments();
  expect(cudaGetLastError() == cudaSuccess, "an error is left");
  return finish();
}
