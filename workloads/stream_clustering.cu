// SPDX-License-Identifier: Apache-2.0
// The heart of clustering a stream of points: what would be gained if some point became a centre? One thread a point
// compares its distance to that point with the one to its present centre, and adds what it would save to its row of a
// table.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              points
//
// Options: --coordinates N (32); --candidates N, points tried as centres, one launch each (2).
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (STMCL).
#include "common.h"

constexpr int kBlock = 128;
constexpr int kCentres = 15;  // a row of the table has one entry for each, and one for the candidate

struct Point {
  float weight, cost;  // the cost is that of the present centre
  int centre;
};

// Coordinates of one dimension lie together.
__host__ __device__ inline float distance_of(const float* coordinates, int point, int candidate, int dimensions,
                                             int count) {
  float distance = 0.0f;
#pragma unroll 1
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    const float difference = coordinates[dimension * count + point] - coordinates[dimension * count + candidate];
    distance = fmaf(difference, difference, distance);
  }
  return distance;
}

__host__ __device__ inline void try_candidate(const float* coordinates, const Point* points, int point, int candidate,
                                              int dimensions, int count, float* savings, unsigned char* switches) {
  const float cost = distance_of(coordinates, point, candidate, dimensions, count) * points[point].weight;
  float* const row = savings + point * (kCentres + 1);
  if (cost < points[point].cost) {
    switches[point] = 1;
    row[kCentres] += cost - points[point].cost;
  } else {
    row[points[point].centre] += points[point].cost - cost;
  }
}

__global__ void gain(const float* coordinates, const Point* points, int candidate, int dimensions, int count,
                     float* savings, unsigned char* switches) {
  const int point = blockIdx.x * kBlock + threadIdx.x;
  if (point < count) try_candidate(coordinates, points, point, candidate, dimensions, count, savings, switches);
}

int main(int argc, char** argv) {
  const int dimensions = static_cast<int>(workload::take_number(argc, argv, "--coordinates", 32, 1, 1024));
  const int candidates = static_cast<int>(workload::take_number(argc, argv, "--candidates", 2, 1, 64));
  const int count = static_cast<int>(workload::parse_size(argc, argv, {300, 12288, 65536, kCentres, 1 << 20}));
  workload::Random random(138);
  std::vector<float> coordinates(static_cast<std::size_t>(count) * dimensions);
  for (float& coordinate : coordinates) coordinate = random.between(0.0f, 1.0f);
  std::vector<Point> points(count);
  for (int point = 0; point < count; ++point) {
    Point& own = points[point];
    own = {1.0f + static_cast<float>(random.below(4)), 0.0f, static_cast<int>(random.below(kCentres))};
    own.cost = distance_of(coordinates.data(), point, own.centre, dimensions, count) * own.weight;
  }
  std::vector<float> savings(static_cast<std::size_t>(count) * (kCentres + 1), 0.0f);
  std::vector<unsigned char> switches(count, 0);
  workload::DeviceArray<float> device_coordinates(coordinates), device_savings(savings);
  workload::DeviceArray<Point> device_points(points);
  workload::DeviceArray<unsigned char> device_switches(switches);
  for (int i = 0; i < candidates; ++i) {
    const int candidate = static_cast<int>(random.below(static_cast<unsigned>(count)));
    gain<<<workload::blocks_for(count, kBlock), kBlock>>>(device_coordinates.get(), device_points.get(), candidate,
                                                          dimensions, count, device_savings.get(),
                                                          device_switches.get());
    CHECK_LAUNCH();
    for (int point = 0; point < count; ++point)
      try_candidate(coordinates.data(), points.data(), point, candidate, dimensions, count, savings.data(),
                    switches.data());
  }
  workload::Report report("stream_clustering");
  report.expect_equal("saving", device_savings.download(), savings);
  report.expect_equal("switch", device_switches.download(), switches);
  return report.finish();
}
