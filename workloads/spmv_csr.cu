// SPDX-License-Identifier: Apache-2.0
// Sparse matrix-vector product in the two forms that a programmer chooses between, the vector read through a texture:
// one thread a row, whose loads lie a row apart, and 32 threads a row, with a tree of sums in shared memory.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     512
//   warp instructions: yes
//   size:              rows
//
// Options: --kernel both|scalar|vector; --matrix random|regular|power_law, or the path of a Matrix Market file, which
// has rows and columns of its own; --columns N (8192), --row N (82), entries of a row of the random matrix, on average;
// --times yes prints how long each kernel took.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5.2.
#include <algorithm>
#include <fstream>

#include "common.h"
#include "matrix_market.h"
#include "sparse.h"

constexpr int kBlock = 128, kLanes = 32;

struct Csr {
  const int *row_start, *column;
  const float* value;
  int rows;
};

// Loops are not unrolled: the source's are not, and their loads are counted by trip.
__global__ void spmv_scalar(Csr matrix, cudaTextureObject_t x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= matrix.rows) return;
  float sum = 0.0f;
  const int end = matrix.row_start[row + 1];
#pragma unroll 1
  for (int entry = matrix.row_start[row]; entry < end; ++entry)
    sum = fmaf(matrix.value[entry], tex1Dfetch<float>(x, matrix.column[entry]), sum);
  y[row] = sum;
}

__global__ void spmv_vector(Csr matrix, cudaTextureObject_t x, float* y) {
  __shared__ volatile float sums[kBlock];
  const int thread = threadIdx.x, lane = thread % kLanes;
  const int row = (blockIdx.x * blockDim.x + thread) / kLanes;
  if (row >= matrix.rows) return;  // the same answer for all 32 threads
  float sum = 0.0f;
  const int end = matrix.row_start[row + 1];
#pragma unroll 1
  for (int entry = matrix.row_start[row] + lane; entry < end; entry += kLanes)
    sum = fmaf(matrix.value[entry], tex1Dfetch<float>(x, matrix.column[entry]), sum);
  sums[thread] = sum;
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    __syncwarp();
    if (lane < distance) sums[thread] = sums[thread] + sums[thread + distance];
  }
  if (lane == 0) y[row] = sums[thread];
}

// Every place has an entry with the same probability: rows differ little in length.
workload::SparseRows random_matrix(int rows, int columns, int mean) {
  workload::Random random(133);
  workload::SparseRows matrix;
  matrix.row_start.push_back(0);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      if (random.below(columns) >= static_cast<unsigned>(mean)) continue;
      matrix.column.push_back(column);
      matrix.value.push_back(random.between(-1.0f, 1.0f));
    }
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

// The five-point stencil of a grid of 64 columns: all rows alike, with neighbours in common.
workload::SparseRows regular_matrix(int rows) {
  constexpr int kWidth = 64;
  workload::SparseRows matrix;
  matrix.row_start.push_back(0);
  for (int row = 0; row < rows; ++row) {
    for (const int away : {-kWidth, -1, 0, 1, kWidth}) {
      if (row + away < 0 || row + away >= rows) continue;
      matrix.column.push_back(row + away);
      matrix.value.push_back(away == 0 ? 4.0f : -1.0f);
    }
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

// Each octave of lengths has half as many rows as the one before, from 8 entries on; each octave of columns is as
// likely as the next.
workload::SparseRows power_law_matrix(int rows, int columns) {
  workload::Random random(134);
  workload::SparseRows matrix;
  matrix.row_start.push_back(0);
  for (int row = 0; row < rows; ++row) {
    unsigned length = 8;
    while (length < 2048 && random.below(2) == 0) length *= 2;
    length += random.below(length);
    for (unsigned entry = 0; entry < length; ++entry) {
      unsigned most = 1;
      while (most < static_cast<unsigned>(columns) && random.below(12) != 0) most *= 2;
      matrix.column.push_back(static_cast<int>(random.below(std::min(most, static_cast<unsigned>(columns)))));
      matrix.value.push_back(random.between(-1.0f, 1.0f));
    }
    std::sort(matrix.column.begin() + matrix.row_start.back(), matrix.column.end());
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

workload::MarketMatrix read_matrix(const char* program, const std::string& path) {
  try {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot be opened");
    return workload::MarketReader(file).read();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s: %s\n", program, path.c_str(), error.what());
    std::exit(workload::kExitUsage);
  }
}

// As a thread a row adds up, and as 32 threads do.
std::vector<float> product(const workload::SparseRows& matrix, const std::vector<float>& x, int lanes) {
  std::vector<float> y(matrix.row_start.size() - 1);
  for (std::size_t row = 0; row < y.size(); ++row) {
    std::vector<float> sum(lanes, 0.0f);
    for (int entry = matrix.row_start[row]; entry < matrix.row_start[row + 1]; ++entry) {
      float& mine = sum[(entry - matrix.row_start[row]) % lanes];
      mine = fmaf(matrix.value[entry], x[matrix.column[entry]], mine);
    }
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      for (int lane = 0; lane < distance; ++lane) sum[lane] += sum[lane + distance];
    y[row] = sum[0];
  }
  return y;
}

cudaTextureObject_t make_texture(const workload::DeviceArray<float>& values, std::size_t count) {
  cudaResourceDesc resource;
  std::memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = values.get();
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = count * sizeof(float);
  cudaTextureDesc description;
  std::memset(&description, 0, sizeof(description));
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK_CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

int main(int argc, char** argv) {
  const std::size_t kernel = workload::take_choice(argc, argv, "--kernel", {"both", "scalar", "vector"});
  const bool prints_times = workload::take_choice(argc, argv, "--times", {"no", "yes"}) == 1;
  const std::string source = workload::take_option(argc, argv, "--matrix", "random");
  const int mean = static_cast<int>(workload::take_number(argc, argv, "--row", 82, 1, 8192));
  int columns = static_cast<int>(workload::take_number(argc, argv, "--columns", 8192, mean, 1 << 23));
  int rows = static_cast<int>(workload::parse_size(argc, argv, {40, 1092, 8192, 1, 1 << 20}));
  workload::SparseRows matrix;
  if (source == "random") {
    matrix = random_matrix(rows, columns, mean);
  } else if (source == "regular") {
    columns = rows;
    matrix = regular_matrix(rows);
  } else if (source == "power_law") {
    matrix = power_law_matrix(rows, columns);
  } else {
    workload::MarketMatrix market = read_matrix(argv[0], source);
    rows = market.rows;
    columns = market.columns;
    matrix = market.entries;
  }
  if (matrix.column.empty()) {  // arrays are never empty; the entry belongs to no row
    matrix.column.push_back(0);
    matrix.value.push_back(0.0f);
  }
  workload::Random random(135);
  std::vector<float> x(columns);
  for (float& element : x) element = random.between(-1.0f, 1.0f);
  workload::DeviceArray<int> row_start(matrix.row_start), column(matrix.column);
  workload::DeviceArray<float> value(matrix.value), device_x(x), by_thread(rows), by_warp(rows);
  const cudaTextureObject_t texture = make_texture(device_x, x.size());
  const Csr device = {row_start.get(), column.get(), value.get(), rows};

  workload::Report report("spmv_csr");
  const auto timed = [&](const char* name, const auto& launch) {
    cudaEvent_t begin, end;
    CHECK_CUDA(cudaEventCreate(&begin));
    CHECK_CUDA(cudaEventCreate(&end));
    CHECK_CUDA(cudaEventRecord(begin));
    launch();
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    float milliseconds = 0.0f;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    if (prints_times) std::printf("%s %.6f ms\n", name, milliseconds);
    CHECK_CUDA(cudaEventDestroy(begin));
    CHECK_CUDA(cudaEventDestroy(end));
  };
  if (kernel != 2) {
    timed("spmv_scalar",
          [&] { spmv_scalar<<<workload::blocks_for(rows, kBlock), kBlock>>>(device, texture, by_thread.get()); });
    report.expect_equal("row by a thread", by_thread.download(), product(matrix, x, 1));
  }
  if (kernel != 1) {
    timed("spmv_vector", [&] {
      spmv_vector<<<workload::blocks_for(long{rows} * kLanes, kBlock), kBlock>>>(device, texture, by_warp.get());
    });
    report.expect_equal("row by 32 threads", by_warp.download(), product(matrix, x, kLanes));
  }
  CHECK_CUDA(cudaDestroyTextureObject(texture));
  return report.finish();
}
