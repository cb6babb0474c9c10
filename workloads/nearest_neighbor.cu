// SPDX-License-Identifier: Apache-2.0
// Distances of records to a place, for a search of the nearest: the records are text, and each thread reads the numbers
// of its own record character by character, which have unequal lengths.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              records
//
// Options: --block 128|16, threads of a block; --launches N, between which the records are divided (1).
// Source of the options: docs/sources/dynamic-warp-resizing.md, 5 (NNC).
#include <algorithm>

#include "vector3.h"

constexpr int kRecord = 48;     // bytes
constexpr int kNumbersAt = 24;  // where the latitude begins; the longitude follows after spaces

// A number with sign and fraction at *text, in hundredths; *text is then behind it.
__host__ __device__ inline int number_at(const char** text) {
  const char* at = *text;
  while (*at == ' ') ++at;
  const bool negative = *at == '-';
  if (negative) ++at;
  int value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + (*at - '0');
  int unit = 10;
  value *= 100;
  if (*at == '.')
    for (++at; *at >= '0' && *at <= '9'; ++at) {
      value += unit * (*at - '0');
      unit /= 10;  // 0 from the third digit on
    }
  *text = at;
  return negative ? -value : value;
}

__host__ __device__ inline float distance_of(const char* record, int latitude, int longitude) {
  const char* text = record + kNumbersAt;
  const float dx = static_cast<float>(number_at(&text) - latitude);
  const float dy = static_cast<float>(number_at(&text) - longitude);
  return sqrtf(fmaf(dx, dx, workload::product(dy, dy)));
}

__global__ void distances(const char* records, float* out, int latitude, int longitude, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = distance_of(records + i * kRecord, latitude, longitude);
}

int main(int argc, char** argv) {
  const int block = workload::take_choice(argc, argv, "--block", {"128", "16"}) == 1 ? 16 : 128;
  const int launches = static_cast<int>(workload::take_number(argc, argv, "--launches", 1, 1, 1024));
  const int count = static_cast<int>(workload::parse_size(argc, argv, {400, 6000, 200000, 1, 1 << 22}));
  workload::Random random(71);
  std::string records;
  for (int i = 0; i < count; ++i) {
    char record[kRecord + 1];
    const int places[2] = {static_cast<int>(random.below(5)), static_cast<int>(random.below(5))};  // of fractions
    const float numbers[2] = {random.between(-90.0f, 90.0f), random.between(-180.0f, 180.0f)};
    const int length =
        std::snprintf(record, sizeof(record), "%-24d%.*f %.*f", i, places[0], numbers[0], places[1], numbers[1]);
    records.append(record, length);
    records.resize((i + 1) * kRecord, ' ');
  }
  records.push_back('\n');
  const std::vector<char> text(records.begin(), records.end());
  constexpr int kLatitude = 4537, kLongitude = -1212;
  std::vector<float> reference(count);
  for (int i = 0; i < count; ++i) reference[i] = distance_of(text.data() + i * kRecord, kLatitude, kLongitude);

  workload::DeviceArray<char> device_text(text);
  workload::DeviceArray<float> out(count);
  const int part = (count + launches - 1) / launches;
  for (int first = 0; first < count; first += part) {
    const int records_left = std::min(part, count - first);
    distances<<<workload::blocks_for(records_left, block), block>>>(device_text.get() + first * kRecord, out.get() + first,
                                                                    kLatitude, kLongitude, records_left);
    CHECK_LAUNCH();
  }
  const std::vector<float> result = out.download();
  workload::Report report("nearest_neighbor");
  report.expect_equal("distance", result, reference);
  report.expect_equal("nearest", std::vector<float>{*std::min_element(result.begin(), result.end())},
                      std::vector<float>{*std::min_element(reference.begin(), reference.end())});
  return report.finish();
}
