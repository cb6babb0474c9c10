// SPDX-License-Identifier: Apache-2.0
// Faces by a cascade of stages over sums of rectangles (Viola and Jones), one thread a window of the picture: most
// windows are turned down by the first stages, and few threads of a warp are left in the long ones.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns of windows; three quarters as many rows
#include <algorithm>

#include "common.h"

constexpr int kWindow = 20;  // columns and rows
constexpr int kStages = 10;

// The difference of two rectangles of a window, weighed against a threshold.
struct Feature {
  unsigned char x, y, width, height;  // of the whole
  unsigned char inner_x, inner_y, inner_width, inner_height;
  int weight;  // of the inner rectangle against the whole
  int threshold;
  int below, above;  // votes
};

struct Stage {
  int first, last;  // features
  int least;        // sum of votes that lets a window pass
};

__host__ __device__ inline int area(const int* sums, int pitch, int x, int y, int width, int height) {
  const int *above = sums + y * pitch + x, *below = above + height * pitch;
  return below[width] - below[0] - above[width] + above[0];
}

// The number of stages that the window at (x, y) passes.
__host__ __device__ inline int passed(const int* sums, int pitch, const Feature* features, const Stage* stages, int x,
                                      int y) {
  const int brightness = area(sums, pitch, x, y, kWindow, kWindow) / (kWindow * kWindow);
  for (int i = 0; i < kStages; ++i) {
    const Stage stage = stages[i];
    int votes = 0;
    for (int k = stage.first; k < stage.last; ++k) {
      const Feature& feature = features[k];
      const int whole = area(sums, pitch, x + feature.x, y + feature.y, feature.width, feature.height);
      const int inner =
          area(sums, pitch, x + feature.inner_x, y + feature.inner_y, feature.inner_width, feature.inner_height);
      votes += feature.weight * inner - whole < feature.threshold * brightness ? feature.below : feature.above;
    }
    if (votes < stage.least) return i;
  }
  return kStages;
}

__global__ void detect(const int* sums, int pitch, const Feature* features, const Stage* stages, int* out, int columns,
                       int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = passed(sums, pitch, features, stages, x, y);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 72, 640, 4, 4096}));
  const int rows = columns * 3 / 4;
  const int width = columns + kWindow, height = rows + kWindow, pitch = width + 1;
  workload::Random random(67);
  std::vector<int> picture(width * height);
  for (int& pixel : picture) pixel = 60 + static_cast<int>(random.below(40));
  for (int i = 0; i < width * height / 90; ++i) {
    const int left = static_cast<int>(random.below(width)), top = static_cast<int>(random.below(height));
    const int level = static_cast<int>(random.below(220));
    for (int y = top; y < std::min(top + 6, height); ++y)
      for (int x = left; x < std::min(left + 6, width); ++x)
        picture[y * width + x] = level + static_cast<int>(random.below(20));
  }
  std::vector<int> sums(pitch * (height + 1), 0);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      sums[(y + 1) * pitch + x + 1] =
          picture[y * width + x] + sums[y * pitch + x + 1] + sums[(y + 1) * pitch + x] - sums[y * pitch + x];

  // Stages grow from 3 features to 21; each is meant to pass about six windows in ten.
  std::vector<Feature> features;
  std::vector<Stage> stages(kStages);
  for (int i = 0; i < kStages; ++i) {
    stages[i].first = static_cast<int>(features.size());
    for (int k = 0; k < 3 + 2 * i; ++k) {
      Feature feature;
      feature.width = static_cast<unsigned char>(6 + 2 * random.below(6));
      feature.height = static_cast<unsigned char>(6 + 2 * random.below(6));
      feature.x = static_cast<unsigned char>(random.below(kWindow - feature.width + 1));
      feature.y = static_cast<unsigned char>(random.below(kWindow - feature.height + 1));
      const bool beside = random.below(2) == 0;
      feature.inner_width = beside ? feature.width / 2 : feature.width;
      feature.inner_height = beside ? feature.height : feature.height / 2;
      feature.inner_x = feature.x;
      feature.inner_y = feature.y;
      feature.weight = 2;
      feature.threshold = static_cast<int>(random.below(9)) - 4;
      feature.below = static_cast<int>(random.below(20));
      feature.above = static_cast<int>(random.below(20));
      features.push_back(feature);
    }
    stages[i].last = static_cast<int>(features.size());
    int expected = 0;
    for (int k = stages[i].first; k < stages[i].last; ++k) expected += features[k].below + features[k].above;
    stages[i].least = expected / 2 - 2 - i;
  }
  std::vector<int> reference(columns * rows);
  for (int i = 0; i < columns * rows; ++i)
    reference[i] = passed(sums.data(), pitch, features.data(), stages.data(), i % columns, i / columns);

  workload::DeviceArray<int> device_sums(sums), out(reference.size());
  workload::DeviceArray<Feature> device_features(features);
  workload::DeviceArray<Stage> device_stages(stages);
  detect<<<dim3(workload::blocks_for(columns, 16), workload::blocks_for(rows, 8)), dim3(16, 8)>>>(
      device_sums.get(), pitch, device_features.get(), device_stages.get(), out.get(), columns, rows);
  CHECK_LAUNCH();
  workload::Report report("face_detection");
  report.expect_equal("stages passed", out.download(), reference);
  return report.finish();
}
