// SPDX-License-Identifier: Apache-2.0
// K-means clustering of one-dimensional points of 8 bits: every point looks for its nearest centre, and counts only
// where it has moved. Rounds follow each other behind a barrier where one block has all threads, by launches where
// several have. Integers make the result independent of the order of points.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256, 16
//   shared memory:     196
//   warp instructions: no
//   size:              points
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (kmeans).
#include <algorithm>

#include "persistent.h"

constexpr int kClusters = 16;
constexpr int kMostRounds = 50;
constexpr int kUnit = 16;  // centres are in sixteenths
constexpr unsigned char kNone = 255;

struct Sums {
  int points[kClusters], values[kClusters];
};
struct Clusters {
  int centres[kClusters];
  Sums sums;
  unsigned moved;  // points in a launch
};

__host__ __device__ inline int distance_of(int a, int b) { return a < b ? b - a : a - b; }

// The same with branches.
__device__ inline int branching_distance(int a, int b) {
  if (a < b) {
    const int distance = b - a;
    KEEP_BRANCH();
    return distance;
  }
  KEEP_BRANCH();
  return a - b;
}

// The cluster whose centre is nearest to the place: `nearest` unless one is nearer, of several such the first.
__device__ inline unsigned nearest_to(int place, const int* centres, unsigned nearest) {
  int least = nearest == kNone ? 256 * kUnit : distance_of(place, centres[nearest]);
#pragma unroll 1
  for (unsigned cluster = 0; cluster < kClusters; ++cluster) {
    const int distance = branching_distance(place, centres[cluster]);
    if (distance < least) {
      least = distance;
      nearest = cluster;
      KEEP_BRANCH();
    }
  }
  return nearest;
}

// `rounds` at most: 1 where there are several blocks, whose centres move_centres moves. Points that leave a cluster or
// enter it change its sums.
__global__ void assign(const unsigned char* points, unsigned char* cluster_of, unsigned count, Clusters* clusters,
                       int rounds) {
  __shared__ int places[kClusters];
  __shared__ Sums changes;
  __shared__ unsigned block_moved;
  unsigned own = workload::thread_anew();
  if (own < kClusters) places[own] = clusters->centres[own];
  for (; rounds > 0; --rounds) {
    own = workload::thread_anew();
    if (own < kClusters) changes.points[own] = changes.values[own] = 0;
    if (own == 0) block_moved = 0;
    __syncthreads();
    for (unsigned i = workload::first_item(); i < count; i += workload::kPersistentThreads) {
      const int value = points[i];
      const unsigned was = cluster_of[i], nearest = nearest_to(value * kUnit, places, was);
      if (nearest == was) continue;
      if (was != kNone) {
        atomicAdd(&changes.points[was], -1);
        atomicAdd(&changes.values[was], -value);
      }
      atomicAdd(&changes.points[nearest], 1);
      atomicAdd(&changes.values[nearest], value);
      cluster_of[i] = static_cast<unsigned char>(nearest);
      atomicAdd(&block_moved, 1u);
    }
    __syncthreads();
    if (block_moved == 0) break;
    own = workload::thread_anew();
    if (own < kClusters) {
      const int members = atomicAdd(&clusters->sums.points[own], changes.points[own]) + changes.points[own];
      const int total = atomicAdd(&clusters->sums.values[own], changes.values[own]) + changes.values[own];
      if (gridDim.x == 1 && members > 0) places[own] = total * kUnit / members;
    }
    if (own == 0) atomicAdd(&clusters->moved, block_moved);
    __syncthreads();
  }
  own = workload::thread_anew();
  if (gridDim.x == 1 && own < kClusters) clusters->centres[own] = places[own];
}

// One thread a centre; a cluster without points keeps its centre.
__global__ void move_centres(Clusters* clusters) {
  const unsigned own = threadIdx.x;
  const int members = clusters->sums.points[own];
  if (members > 0) clusters->centres[own] = clusters->sums.values[own] * kUnit / members;
  if (own == 0) clusters->moved = 0;
}

// Ends when no point moves.
std::vector<unsigned char> cluster(const std::vector<unsigned char>& points, std::vector<int>& centres) {
  std::vector<unsigned char> cluster_of(points.size(), kNone);
  for (int round = 0; round < kMostRounds; ++round) {
    Sums sums{};
    bool moved = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      unsigned char& own = cluster_of[i];
      const auto distance_to = [&](int c) { return distance_of(points[i] * kUnit, centres[c]); };
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
      if (sums.points[c] > 0) centres[c] = sums.values[c] * kUnit / sums.points[c];
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
  std::vector<int> centres(kClusters);
  for (int c = 0; c < kClusters; ++c) centres[c] = points[c] * kUnit;  // the first points are the first centres
  workload::DeviceArray<unsigned char> device_points(points), cluster_of(std::vector<unsigned char>(count, kNone));
  Clusters start{};
  std::copy(centres.begin(), centres.end(), start.centres);
  workload::DeviceArray<Clusters> clusters(std::vector<Clusters>(1, start));
  const unsigned blocks = workload::persistent_blocks(threads, count);
  const int a_launch = blocks == 1 ? kMostRounds : 1;
  for (int round = 0; round < kMostRounds; round += a_launch) {
    assign<<<blocks, threads>>>(device_points.get(), cluster_of.get(), count, clusters.get(), a_launch);
    CHECK_LAUNCH();
    if (blocks == 1 || clusters.download()[0].moved == 0) break;
    move_centres<<<1, kClusters>>>(clusters.get());
    CHECK_LAUNCH();
  }
  const std::vector<unsigned char> reference = cluster(points, centres);
  workload::Report report("kmeans_bytes");
  report.expect_equal("cluster of a point", cluster_of.download(), reference);
  const Clusters result = clusters.download()[0];
  report.expect_equal("centre", std::vector<int>(result.centres, result.centres + kClusters), centres);
  return report.finish();
}
