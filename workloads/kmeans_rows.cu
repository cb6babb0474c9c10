// SPDX-License-Identifier: Apache-2.0
// K-means clustering with everything in global memory: the features of a point are a row, so that neighbouring threads
// load a row apart, and each thread goes through its row once per centre. The host moves the centres.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              points
//
// Options: --features N, columns of a row (34); --centres N (5); --rounds N (2).
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (KMN).
#include "common.h"

constexpr int kBlock = 128;

// Loops are not unrolled, so that a trip has one load of each kind, as in the source.
__host__ __device__ inline float distance_of(const float* point, const float* centre, int features) {
  float distance = 0.0f;
#pragma unroll 1
  for (int feature = 0; feature < features; ++feature) {
    const float difference = point[feature] - centre[feature];
    distance = fmaf(difference, difference, distance);
  }
  return distance;
}

__host__ __device__ inline int nearest(const float* point, const float* centres, int features, int count) {
  int best = 0;
  float best_distance = 3.402823466e38f;
#pragma unroll 1
  for (int centre = 0; centre < count; ++centre) {
    const float distance = distance_of(point, centres + centre * features, features);
    if (distance < best_distance) {
      best = centre;
      best_distance = distance;
    }
  }
  return best;
}

__global__ void assign(const float* points, const float* centres, int* cluster_of, int count, int features,
                       int clusters) {
  const int point = blockIdx.x * kBlock + threadIdx.x;
  if (point < count) cluster_of[point] = nearest(points + point * features, centres, features, clusters);
}

// The means of the points of each cluster; a cluster without points keeps its centre.
void move_centres(const std::vector<float>& points, const std::vector<int>& cluster_of, int features,
                  std::vector<float>& centres) {
  std::vector<float> sums(centres.size(), 0.0f);
  std::vector<int> members(centres.size() / features, 0);
  for (std::size_t point = 0; point < cluster_of.size(); ++point) {
    ++members[cluster_of[point]];
    for (int feature = 0; feature < features; ++feature)
      sums[cluster_of[point] * features + feature] += points[point * features + feature];
  }
  for (std::size_t i = 0; i < centres.size(); ++i)
    if (members[i / features] > 0) centres[i] = sums[i] / static_cast<float>(members[i / features]);
}

int main(int argc, char** argv) {
  const int features = static_cast<int>(workload::take_number(argc, argv, "--features", 34, 1, 1024));
  const int clusters = static_cast<int>(workload::take_number(argc, argv, "--centres", 5, 1, 64));
  const int rounds = static_cast<int>(workload::take_number(argc, argv, "--rounds", 2, 1, 100));
  const int count = static_cast<int>(workload::parse_size(argc, argv, {150, 4096, 65536, 64, 1 << 20}));
  workload::Random random(131);
  std::vector<float> points(static_cast<std::size_t>(count) * features);
  for (int point = 0; point < count; ++point) {
    const float middle = 0.25f * static_cast<float>(random.below(clusters));
    for (int feature = 0; feature < features; ++feature)
      points[static_cast<std::size_t>(point) * features + feature] = random.between(middle, middle + 1.0f);
  }
  // The first points are the first centres.
  std::vector<float> centres(points.begin(), points.begin() + clusters * features), reference_centres = centres;
  workload::DeviceArray<float> device_points(points), device_centres(centres);
  workload::DeviceArray<int> device_cluster_of(count);
  std::vector<int> cluster_of, reference(count);
  for (int round = 0; round < rounds; ++round) {
    device_centres.upload(centres);
    assign<<<workload::blocks_for(count, kBlock), kBlock>>>(device_points.get(), device_centres.get(),
                                                            device_cluster_of.get(), count, features, clusters);
    CHECK_LAUNCH();
    cluster_of = device_cluster_of.download();
    move_centres(points, cluster_of, features, centres);

    for (int point = 0; point < count; ++point)
      reference[point] =
          nearest(&points[static_cast<std::size_t>(point) * features], reference_centres.data(), features, clusters);
    move_centres(points, reference, features, reference_centres);
  }
  workload::Report report("kmeans_rows");
  report.expect_equal("cluster of a point", cluster_of, reference);
  report.expect_equal("centre", centres, reference_centres);
  return report.finish();
}
