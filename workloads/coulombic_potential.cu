// SPDX-License-Identifier: Apache-2.0
// Coulombic potential of atoms on a plane of points, one thread a point: all threads read the same atom from constant
// memory and compute its share, so that neither branches nor memory keep them apart.
//
//   order dependent:   no
//   digest:            stable
//   blocks:            16x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns of points; there are twice as many rows
//
// Source: docs/sources/dynamic-warp-resizing.md, 5 (CP).
#include "common.h"

constexpr int kBlockX = 16, kBlockY = 8;
constexpr int kAtoms = 24;
constexpr float kSpacing = 0.1f;

struct Atom {
  float x, y, height_squared, charge;
};
__constant__ Atom atoms[kAtoms];

__global__ void potential(int count, float spacing, float* energy, int columns, int rows) {
  const int column = blockIdx.x * kBlockX + threadIdx.x, row = blockIdx.y * kBlockY + threadIdx.y;
  if (column >= columns || row >= rows) return;
  const float x = spacing * static_cast<float>(column), y = spacing * static_cast<float>(row);
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) {
    const float dx = x - atoms[i].x, dy = y - atoms[i].y;
    sum = fmaf(atoms[i].charge, rsqrtf(fmaf(dx, dx, fmaf(dy, dy, atoms[i].height_squared))), sum);
  }
  energy[row * columns + column] += sum;
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 64, 512, 1, 4096}));
  const int rows = 2 * columns;
  workload::Random random(92);
  std::vector<Atom> table(kAtoms);
  for (Atom& atom : table) {
    const float height = random.between(0.5f, 4.0f);
    atom = {random.between(0.0f, kSpacing * columns), random.between(0.0f, kSpacing * rows), height * height,
            random.between(-2.0f, 2.0f)};
  }
  std::vector<float> energy(static_cast<std::size_t>(rows) * columns);
  for (float& value : energy) value = random.between(-1.0f, 1.0f);
  std::vector<float> reference = energy;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      double sum = 0;
      for (const Atom& atom : table) {
        const double dx = double{kSpacing} * column - atom.x, dy = double{kSpacing} * row - atom.y;
        sum += atom.charge / std::sqrt(dx * dx + dy * dy + atom.height_squared);
      }
      reference[row * columns + column] += static_cast<float>(sum);
    }

  CHECK_CUDA(cudaMemcpyToSymbol(atoms, table.data(), sizeof(Atom) * kAtoms));
  workload::DeviceArray<float> device(energy);
  potential<<<dim3(workload::blocks_for(columns, kBlockX), workload::blocks_for(rows, kBlockY)), dim3(kBlockX, kBlockY)>>>(
      kAtoms, kSpacing, device.get(), columns, rows);
  CHECK_LAUNCH();
  workload::Report report("coulombic_potential");
  report.expect_near("energy", device.download(), reference, 1e-4, 1e-4);
  return report.finish();
}
