// SPDX-License-Identifier: Apache-2.0
// K-means clustering of one-dimensional points of 8 bits: a point looks for another centre only where one may be nearer
// than its own, and counts only where it has moved. Integers make the result independent of the order of points.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256, 16
//   shared memory:     256
//   warp instructions: no
//   size:              points
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: spec/large-warps-and-database-search.md, 5.1 (kmeans).
#include <algorithm>

#include "persistent.h"

constexpr int kClusters = 16;
constexpr int kMostRounds = 50;
constexpr int kUnit = 16;  // centres are in sixteenths
constexpr unsigned char kNone = 255;

struct Centres {
  int place[kClusters];
  int reach[kClusters];  // half the way to the nearest other centre
};
struct Sums {
  int points[kClusters], values[kClusters];
};

__host__ __device__ inline int distance_of(int a, int b) { return a < b ? b - a : a - b; }

// Points that leave a cluster or enter it change its sums; `moved` counts them.
__global__ void assign(const unsigned char* points, const Centres* centres, unsigned char* cluster_of, Sums* sums,
                       unsigned* moved, unsigned count) {
  __shared__ Centres own;
  __shared__ Sums changes;
  if (threadIdx.x < kClusters) {
    own.place[threadIdx.x] = centres->place[threadIdx.x];
    own.reach[threadIdx.x] = centres->reach[threadIdx.x];
    changes.points[threadIdx.x] = changes.values[threadIdx.x] = 0;
  }
  __syncthreads();
  unsigned own_moved = 0;
  for (unsigned i = workload::first_item(); i < count; i += workload::kPersistentThreads) {
    const int value = points[i];
    const unsigned was = cluster_of[i];
    int least = 256 * kUnit, reach = 0;
    if (was != kNone) {
      least = distance_of(value * kUnit, own.place[was]);
      reach = own.reach[was];
    }
    if (least <= reach) continue;
    unsigned nearest = was;
    for (unsigned cluster = 0; cluster < kClusters; ++cluster) {
      const int distance = distance_of(value * kUnit, own.place[cluster]);
      if (distance < least) {
        least = distance;
        nearest = cluster;
      }
    }
    if (nearest == was) continue;
    if (was != kNone) {
      atomicAdd(&changes.points[was], -1);
      atomicAdd(&changes.values[was], -value);
    }
    atomicAdd(&changes.points[nearest], 1);
    atomicAdd(&changes.values[nearest], value);
    cluster_of[i] = static_cast<unsigned char>(nearest);
    ++own_moved;
  }
  if (own_moved > 0) atomicAdd(moved, own_moved);
  __syncthreads();
  if (threadIdx.x < kClusters) {
    atomicAdd(&sums->points[threadIdx.x], changes.points[threadIdx.x]);
    atomicAdd(&sums->values[threadIdx.x], changes.values[threadIdx.x]);
  }
}

// One thread a centre; a cluster without points keeps its centre.
__global__ void move_centres(const Sums* sums, Centres* centres) {
  __shared__ int places[kClusters];
  const unsigned own = threadIdx.x;
  places[own] = sums->points[own] > 0 ? sums->values[own] * kUnit / sums->points[own] : centres->place[own];
  __syncthreads();
  int least = 256 * kUnit;
  for (unsigned other = 0; other < kClusters; ++other)
    if (other != own) least = min(least, distance_of(places[own], places[other]));
  centres->place[own] = places[own];
  centres->reach[own] = least / 2;
}

// The same without sparing any search. Ends when no point moves.
std::vector<unsigned char> cluster(const std::vector<unsigned char>& points, Centres& centres) {
  std::vector<unsigned char> cluster_of(points.size(), kNone);
  for (int round = 0; round < kMostRounds; ++round) {
    Sums sums{};
    bool moved = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      unsigned char& own = cluster_of[i];
      const auto distance_to = [&](int c) { return distance_of(points[i] * kUnit, centres.place[c]); };
      int nearest = own;
      for (int c = 0; c < kClusters; ++c)
        if (nearest == kNone || distance_to(c) < distance_to(nearest)) nearest = c;
      moved = moved || nearest != own;
      own = static_cast<unsigned char>(nearest);
      ++sums.points[own];
      sums.values[own] += points[i];
    }
    if (!moved) break;
    for (int c = 0; c < kClusters; ++c)
      if (sums.points[c] > 0) centres.place[c] = sums.values[c] * kUnit / sums.points[c];
  }
  return cluster_of;
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto count = static_cast<unsigned>(workload::parse_size(argc, argv, {160, 2048, 16384, kClusters, 1 << 22}));
  workload::Random random(67);
  std::vector<unsigned char> points(count);
  for (unsigned char& point : points) {  // hills of different width on a plain
    const unsigned hill = random.below(12), middle = 10 + 21 * hill, width = 3 + hill % 4 * 5;
    point =
        static_cast<unsigned char>(random.below(8) == 0 ? random.below(256) : middle - width / 2 + random.below(width));
  }
  // The first points are the first centres.
  Centres centres{};
  for (int c = 0; c < kClusters; ++c) centres.place[c] = points[c] * kUnit;
  workload::DeviceArray<unsigned char> device_points(points), cluster_of(std::vector<unsigned char>(count, kNone));
  workload::DeviceArray<Centres> device_centres(std::vector<Centres>(1, centres));
  workload::DeviceArray<Sums> sums(1);
  workload::DeviceArray<unsigned> moved(1);
  for (int round = 0; round < kMostRounds; ++round) {
    moved.upload({0});
    assign<<<workload::persistent_blocks(threads, count), threads>>>(device_points.get(), device_centres.get(),
                                                                     cluster_of.get(), sums.get(), moved.get(), count);
    CHECK_LAUNCH();
    if (moved.download()[0] == 0) break;
    move_centres<<<1, kClusters>>>(sums.get(), device_centres.get());
    CHECK_LAUNCH();
  }
  const std::vector<unsigned char> reference = cluster(points, centres);
  const Centres result = device_centres.download()[0];
  workload::Report report("kmeans_bytes");
  report.expect_equal("cluster of a point", cluster_of.download(), reference);
  report.expect_equal("centre", std::vector<int>(result.place, result.place + kClusters),
                      std::vector<int>(centres.place, centres.place + kClusters));
  return report.finish();
}
