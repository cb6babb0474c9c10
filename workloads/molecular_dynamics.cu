// SPDX-License-Identifier: Apache-2.0
// Forces between atoms that attract and repel (Lennard-Jones), one thread an atom: it goes through the atoms of the 27
// cells around its own, whose numbers differ, and about one in six is near enough to act on it.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              atoms
#include <algorithm>

#include "vector3.h"

using workload::product;
using workload::Vector3;

constexpr float kCutoff = 1.0f;  // also the edge of a cell

// Atoms in the order of their cells.
struct Atoms {
  const float *x, *y, *z;
  const int* cell;
  const int* cell_start;  // one more than there are cells
  int side;               // cells along each axis; the box repeats
};

struct Force {
  Vector3 pull;
  float energy;
};

__host__ __device__ inline Force force_on(const Atoms& atoms, int atom) {
  const Vector3 here = {atoms.x[atom], atoms.y[atom], atoms.z[atom]};
  const int side = atoms.side, cell = atoms.cell[atom];
  const int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
  const float box = static_cast<float>(side) * kCutoff;
  Force force = {{0.0f, 0.0f, 0.0f}, 0.0f};
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int x = cx + dx, y = cy + dy, z = cz + dz;
        Vector3 shift = {0.0f, 0.0f, 0.0f};
        if (x < 0 || x == side) shift.x = x < 0 ? -box : box, x = x < 0 ? side - 1 : 0;
        if (y < 0 || y == side) shift.y = y < 0 ? -box : box, y = y < 0 ? side - 1 : 0;
        if (z < 0 || z == side) shift.z = z < 0 ? -box : box, z = z < 0 ? side - 1 : 0;
        const int other = (z * side + y) * side + x;
        const int end = atoms.cell_start[other + 1];
        for (int i = atoms.cell_start[other]; i < end; ++i) {
          const Vector3 way = here - (Vector3{atoms.x[i], atoms.y[i], atoms.z[i]} + shift);
          const float distance2 = dot(way, way);
          if (distance2 >= kCutoff * kCutoff || i == atom) continue;
          const float inverse2 = product(0.04f, 1.0f / distance2);
          const float inverse6 = product(product(inverse2, inverse2), inverse2);
          const float inverse12 = product(inverse6, inverse6);
          const float strength = product(product(24.0f, inverse2), fmaf(2.0f, inverse12, -inverse6));
          force.pull = along(way, strength, force.pull);
          force.energy = fmaf(2.0f, inverse12, fmaf(-2.0f, inverse6, force.energy));
        }
      }
  return force;
}

__global__ void forces(Atoms atoms, float* x, float* y, float* z, float* energy, int count) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  if (atom >= count) return;
  const Force force = force_on(atoms, atom);
  x[atom] = force.pull.x;
  y[atom] = force.pull.y;
  z[atom] = force.pull.z;
  energy[atom] = force.energy;
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {130, 2048, 30000, 1, 1 << 22}));
  int side = 3;
  while (4 * (side + 1) * (side + 1) * (side + 1) <= count) ++side;
  workload::Random random(41);
  std::vector<Vector3> position(count);
  // A quarter of the atoms lies anywhere, the others in a slab of half the height: cells are unequally full.
  const float box = static_cast<float>(side) * kCutoff;
  for (int i = 0; i < count; ++i) {
    position[i].x = random.between(0.0f, box);
    position[i].y = random.between(0.0f, box);
    position[i].z = random.between(0.0f, i % 4 == 0 ? box : 0.5f * box);
  }
  const auto cell_of = [&](const Vector3& a) {
    const auto along_axis = [&](float value) { return std::min(static_cast<int>(value), side - 1); };
    return (along_axis(a.z) * side + along_axis(a.y)) * side + along_axis(a.x);
  };
  std::stable_sort(position.begin(), position.end(),
                   [&](const Vector3& a, const Vector3& b) { return cell_of(a) < cell_of(b); });
  std::vector<float> x(count), y(count), z(count);
  std::vector<int> cell(count), cell_start(side * side * side + 1, 0);
  for (int i = 0; i < count; ++i) {
    x[i] = position[i].x;
    y[i] = position[i].y;
    z[i] = position[i].z;
    cell[i] = cell_of(position[i]);
    ++cell_start[cell[i] + 1];
  }
  for (std::size_t i = 1; i < cell_start.size(); ++i) cell_start[i] += cell_start[i - 1];

  const Atoms atoms = {x.data(), y.data(), z.data(), cell.data(), cell_start.data(), side};
  std::vector<float> force_x(count), force_y(count), force_z(count), energy(count);
  for (int i = 0; i < count; ++i) {
    const Force force = force_on(atoms, i);
    force_x[i] = force.pull.x;
    force_y[i] = force.pull.y;
    force_z[i] = force.pull.z;
    energy[i] = force.energy;
  }
  workload::DeviceArray<float> device_x(x), device_y(y), device_z(z);
  workload::DeviceArray<int> device_cell(cell), device_start(cell_start);
  workload::DeviceArray<float> out_x(count), out_y(count), out_z(count), out_energy(count);
  const Atoms on_device = {device_x.get(), device_y.get(), device_z.get(), device_cell.get(), device_start.get(), side};
  forces<<<workload::blocks_for(count, 128), 128>>>(on_device, out_x.get(), out_y.get(), out_z.get(), out_energy.get(),
                                                    count);
  CHECK_LAUNCH();
  workload::Report report("molecular_dynamics");
  report.expect_equal("force along x", out_x.download(), force_x);
  report.expect_equal("force along y", out_y.download(), force_y);
  report.expect_equal("force along z", out_z.download(), force_z);
  report.expect_equal("energy", out_energy.download(), energy);
  return report.finish();
}
