// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms on device vectors against the standard library on the host.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "reference.h"

namespace {

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return (x & 1) != 0; }
};
struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Point {
  int x;
  float y;
};
struct ByY {
  __host__ __device__ bool operator()(const Point& a, const Point& b) const {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
  }
};
struct AddPair {
  __host__ __device__ int operator()(const thrust::tuple<int, int>& pair) const {
    return thrust::get<0>(pair) * 3 + thrust::get<1>(pair);
  }
};

template <class T>
std::vector<T> fetched(const thrust::device_vector<T>& device) {
  std::vector<T> out(device.size());
  thrust::copy(device.begin(), device.end(), out.begin());
  return out;
}

template <class T>
void sorting(const char* type, std::size_t n) {
  const std::string what = std::string(type) + " " + std::to_string(n) + ": ";
  const std::vector<T> host = values<T>(n, 120);
  std::vector<T> expected = host;
  std::sort(expected.begin(), expected.end());
  thrust::device_vector<T> device(host.begin(), host.end());
  thrust::sort(device.begin(), device.end());
  expect_same(what + "sort", fetched(device), expected);

  thrust::device_vector<T> keys(host.begin(), host.end());
  thrust::device_vector<int> order(n);
  thrust::sequence(order.begin(), order.end());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), order.begin(), thrust::greater<T>());
  std::vector<int> expected_order(n);
  std::iota(expected_order.begin(), expected_order.end(), 0);
  std::stable_sort(expected_order.begin(), expected_order.end(), [&](int a, int b) { return host[a] > host[b]; });
  expect_same(what + "stable_sort_by_key", fetched(order), expected_order);
}

template <class T>
void sums(const char* type, std::size_t n) {
  const std::string what = std::string(type) + " " + std::to_string(n) + ": ";
  const std::vector<T> host = values<T>(n, 100);
  const thrust::device_vector<T> device(host.begin(), host.end());
  expect(thrust::reduce(device.begin(), device.end(), T(5)) == std::accumulate(host.begin(), host.end(), T(5)),
         what + "reduce");
  std::vector<T> expected(n);
  thrust::device_vector<T> out(n);
  std::partial_sum(host.begin(), host.end(), expected.begin());
  thrust::inclusive_scan(device.begin(), device.end(), out.begin());
  expect_same(what + "inclusive_scan", fetched(out), expected);
  T sum = 7;
  for (std::size_t i = 0; i < n; ++i) {
    expected[i] = sum;
    sum = static_cast<T>(sum + host[i]);
  }
  thrust::exclusive_scan(device.begin(), device.end(), out.begin(), T(7));
  expect_same(what + "exclusive_scan", fetched(out), expected);
}

void selections(std::size_t n) {
  const std::string what = "int " + std::to_string(n) + ": ";
  std::vector<int> host = values<int>(n, 9);
  const thrust::device_vector<int> device(host.begin(), host.end());
  thrust::device_vector<int> out(n);

  std::vector<int> expected;
  std::copy_if(host.begin(), host.end(), std::back_inserter(expected), IsOdd());
  out.resize(n);
  out.erase(thrust::copy_if(device.begin(), device.end(), out.begin(), IsOdd()), out.end());
  expect_same(what + "copy_if", fetched(out), expected);
  expect(thrust::count_if(device.begin(), device.end(), IsOdd()) == static_cast<long>(expected.size()),
         what + "count_if");

  expected = host;
  expected.erase(std::remove_if(expected.begin(), expected.end(), IsOdd()), expected.end());
  out = device;
  out.erase(thrust::remove_if(out.begin(), out.end(), IsOdd()), out.end());
  expect_same(what + "remove_if", fetched(out), expected);

  std::sort(host.begin(), host.end());
  expected = host;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  out.assign(host.begin(), host.end());
  out.erase(thrust::unique(out.begin(), out.end()), out.end());
  expect_same(what + "unique", fetched(out), expected);

  // Runs of equal keys, and their sums: a histogram.
  const thrust::device_vector<int> sorted(host.begin(), host.end());
  thrust::device_vector<int> keys(n), counts(n);
  const auto ends = thrust::reduce_by_key(sorted.begin(), sorted.end(), thrust::make_constant_iterator(1), keys.begin(),
                                          counts.begin());
  keys.erase(ends.first, keys.end());
  counts.erase(ends.second, counts.end());
  std::vector<int> expected_counts;
  for (int key : expected) {
    expected_counts.push_back(static_cast<int>(std::count(host.begin(), host.end(), key)));
  }
  expect_same(what + "reduce_by_key: keys", fetched(keys), expected);
  expect_same(what + "reduce_by_key: sums", fetched(counts), expected_counts);
}

void transforms(std::size_t n) {
  const std::string what = std::to_string(n) + ": ";
  const std::vector<float> host = values<float>(n, 50);
  const thrust::device_vector<float> x(host.begin(), host.end());
  thrust::device_vector<float> y(n, 2.0f);
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), thrust::plus<float>());
  std::vector<float> expected(n);
  std::transform(host.begin(), host.end(), expected.begin(), [](float v) { return v + 2.0f; });
  expect_same(what + "transform", fetched(y), expected);
  const float sum = thrust::transform_reduce(x.begin(), x.end(), Square(), 0.0f, thrust::plus<float>());
  expect(sum == std::inner_product(host.begin(), host.end(), host.begin(), 0.0f), what + "transform_reduce");
  expect(thrust::inner_product(x.begin(), x.end(), x.begin(), 0.0f) == sum, what + "inner_product");
  if (n > 0) {
    const auto largest = thrust::max_element(x.begin(), x.end());
    expect(largest - x.begin() == std::max_element(host.begin(), host.end()) - host.begin(), what + "max_element");
  }

  // The program's lambda on memory from cudaMalloc.
  int* raw = nullptr;
  cudaMalloc(&raw, (n + 1) * sizeof(int));
  thrust::for_each(thrust::device, thrust::counting_iterator<int>(0),
                   thrust::counting_iterator<int>(static_cast<int>(n)), [raw] __device__(int i) { raw[i] = i * i; });
  const thrust::device_ptr<int> begin = thrust::device_pointer_cast(raw);
  std::vector<int> squares(n);
  for (std::size_t i = 0; i < n; ++i) squares[i] = static_cast<int>(i * i);
  expect_same(what + "for_each", fetched(thrust::device_vector<int>(begin, begin + n)), squares);
  thrust::device_vector<int> zipped(n);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(begin, thrust::counting_iterator<int>(0)));
  thrust::transform(pairs, pairs + n, zipped.begin(), AddPair());
  for (std::size_t i = 0; i < n; ++i) squares[i] = static_cast<int>(i * i * 3 + i);
  expect_same(what + "zip_iterator", fetched(zipped), squares);
  cudaFree(raw);
}

void structures(std::size_t n) {
  const std::vector<float> ys = values<float>(n, 30);
  std::vector<Point> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = {static_cast<int>(i), ys[i]};
  thrust::device_vector<Point> device(host.begin(), host.end());
  thrust::sort(device.begin(), device.end(), ByY());  // a merge sort: no radix for structures
  std::sort(host.begin(), host.end(), ByY());
  const std::vector<Point> got = fetched(device);
  bool right = got.size() == n;
  for (std::size_t i = 0; right && i < n; ++i) right = got[i].x == host[i].x && got[i].y == host[i].y;
  expect(right, "sort of structures");
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 3001;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{257}, largest}) {
    sorting<int>("int", n);
    sums<long long>("long long", n);
    selections(n);
    transforms(n);
  }
  sorting<double>("double", largest);
  sums<float>("float", largest);
  structures(largest);
  expect(cudaGetLastError() == cudaSuccess, "an error is left");
  return finish();
}
