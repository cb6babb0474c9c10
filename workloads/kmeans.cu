// SPDX-License-Identifier: Apache-2.0
// K-means clustering: distances to centres held in shared memory, integer sums by atomics (first shared, then global),
// and a small kernel that moves the centres. Integer sums make the result independent of the order of points.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128, 32
//   shared memory:     180
//   warp instructions: no
//   size:              points
#include "common.h"

constexpr int kDimensions = 4;
constexpr int kClusters = 5;
constexpr int kRounds = 2;
constexpr int kBlock = 128;
constexpr int kSums = kClusters * (kDimensions + 1);  // of a cluster: coordinates, then the number of points

__host__ __device__ inline int nearest(const int* point, const float* centres) {
  int best = 0;
  float best_distance = 0.0f;
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    float distance = 0.0f;
    for (int d = 0; d < kDimensions; ++d) {
      const float difference = static_cast<float>(point[d]) - centres[cluster * kDimensions + d];
      distance = fmaf(difference, difference, distance);
    }
    if (cluster == 0 || distance < best_distance) {
      best = cluster;
      best_distance = distance;
    }
  }
  return best;
}

// Points are rows of kDimensions coordinates.
__global__ void assign(const int* points, const float* centres, int* cluster_of, int* sums, int count) {
  __shared__ float own_centres[kClusters * kDimensions];
  __shared__ int own_sums[kSums];
  for (int i = threadIdx.x; i < kClusters * kDimensions; i += kBlock) own_centres[i] = centres[i];
  for (int i = threadIdx.x; i < kSums; i += kBlock) own_sums[i] = 0;
  __syncthreads();
  const int point = blockIdx.x * kBlock + threadIdx.x;
  if (point < count) {
    const int cluster = nearest(points + point * kDimensions, own_centres);
    cluster_of[point] = cluster;
    int* sum = own_sums + cluster * (kDimensions + 1);
    for (int d = 0; d < kDimensions; ++d) atomicAdd(&sum[d], points[point * kDimensions + d]);
    atomicAdd(&sum[kDimensions], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kSums; i += kBlock) atomicAdd(&sums[i], own_sums[i]);
}

// One thread a coordinate of a centre; a cluster without points keeps its centre.
__global__ void move_centres(const int* sums, float* centres) {
  const int i = threadIdx.x;
  if (i >= kClusters * kDimensions) return;
  const int* sum = sums + i / kDimensions * (kDimensions + 1);
  if (sum[kDimensions] > 0)
    centres[i] = static_cast<float>(sum[i % kDimensions]) / static_cast<float>(sum[kDimensions]);
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {300, 5000, 100000, kClusters, 1 << 20}));
  workload::Random random(15);
  std::vector<int> points(count * kDimensions);
  for (int point = 0; point < count; ++point) {
    const int centre = static_cast<int>(random.below(kClusters)) * 150;
    for (int d = 0; d < kDimensions; ++d)
      points[point * kDimensions + d] = (centre * (d + 1)) % 800 + static_cast<int>(random.below(200));
  }
  // The first points are the first centres.
  std::vector<float> centres(points.begin(), points.begin() + kClusters * kDimensions);

  workload::DeviceArray<int> device_points(points), cluster_of(count), sums(kSums);
  workload::DeviceArray<float> device_centres(centres);
  std::vector<int> reference(count);
  for (int round = 0; round < kRounds; ++round) {
    sums.upload(std::vector<int>(kSums, 0));
    assign<<<workload::blocks_for(count, kBlock), kBlock>>>(device_points.get(), device_centres.get(), cluster_of.get(),
                                                            sums.get(), count);
    CHECK_LAUNCH();
    move_centres<<<1, 32>>>(sums.get(), device_centres.get());
    CHECK_LAUNCH();

    std::vector<int> sum(kSums, 0);
    for (int point = 0; point < count; ++point) {
      const int* coordinates = &points[point * kDimensions];
      const int cluster = reference[point] = nearest(coordinates, centres.data());
      for (int d = 0; d < kDimensions; ++d) sum[cluster * (kDimensions + 1) + d] += coordinates[d];
      ++sum[cluster * (kDimensions + 1) + kDimensions];
    }
    for (int cluster = 0; cluster < kClusters; ++cluster) {
      const int* of = &sum[cluster * (kDimensions + 1)];
      for (int d = 0; d < kDimensions && of[kDimensions] > 0; ++d)
        centres[cluster * kDimensions + d] = static_cast<float>(of[d]) / static_cast<float>(of[kDimensions]);
    }
  }
  workload::Report report("kmeans");
  report.expect_equal("cluster of a point", cluster_of.download(), reference);
  report.expect_equal("centre", device_centres.download(), centres);
  return report.finish();
}
