// SPDX-License-Identifier: Apache-2.0
// Steps of molecular dynamics of a metal in the embedded-atom model (Sutton and Chen), one thread an atom. A kernel
// lists the atoms near enough, from the 27 cells around an atom; in each step two sum densities and forces over the
// lists, whose lengths are alike for neighbours, and one moves the atoms.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              atoms
#include <algorithm>
#include <cmath>

#include "vector3.h"

using workload::product;
using workload::scaled;
using workload::Vector3;

constexpr float kEdge = 1.0f;     // of a cell: lists hold the atoms within it
constexpr float kCutoff = 0.95f;  // of forces
constexpr int kMostNear = 96;     // atoms near one, at most
constexpr int kSteps = 3;         // of time, with the same lists
constexpr float kTime = 1.0e-3f;

// Of an alloy: atoms of the second metal have a lower density around them.
struct alignas(16) Place {
  float x, y, z;
  float weight;
};

// Atoms in the order of their cells at the beginning; the box repeats.
struct Atoms {
  const Place* place;
  const int* cell;
  const int* cell_start;  // one more than there are cells
  int side;               // cells along each axis
  int count;
  float box, inverse_box;  // length of an edge
};

struct Near {
  int* atom;  // [which][atom], so that neighbours read neighbouring words
  int* count;
};

// From there to here by the shortest way: the box repeats.
__host__ __device__ __forceinline__ Vector3 between(const Atoms& atoms, const Place& here, const Place there) {
  const float x = here.x - there.x, y = here.y - there.y, z = here.z - there.z;
  return {fmaf(-atoms.box, rintf(product(x, atoms.inverse_box)), x),
          fmaf(-atoms.box, rintf(product(y, atoms.inverse_box)), y),
          fmaf(-atoms.box, rintf(product(z, atoms.inverse_box)), z)};
}

// A row of cells around the box: one beyond an edge is that at the opposite edge, seen by an atom that is as far away.
__host__ __device__ __forceinline__ int inside(int cell, const Atoms& atoms, float& at) {
  at += cell < 0 ? atoms.box : cell == atoms.side ? -atoms.box : 0.0f;
  return cell < 0 ? atoms.side - 1 : cell == atoms.side ? 0 : cell;
}

__host__ __device__ __forceinline__ void list_near(const Atoms& atoms, const Near& near, int atom) {
  const Place here = atoms.place[atom];
  const int side = atoms.side, cell = atoms.cell[atom];
  const int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
  int found = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll 1
      for (int dx = -1; dx <= 1; ++dx) {
        Vector3 from = {here.x, here.y, here.z};
        const int z = inside(cz + dz, atoms, from.z), y = inside(cy + dy, atoms, from.y),
                  x = inside(cx + dx, atoms, from.x);
        const int other = (z * side + y) * side + x;
        const int end = atoms.cell_start[other + 1];
        for (int i = atoms.cell_start[other]; i < end; ++i) {
          const Place there = atoms.place[i];
          const Vector3 way = from - Vector3{there.x, there.y, there.z};
          const bool close = dot(way, way) < kEdge * kEdge && i != atom && found < kMostNear;
          if (close) near.atom[found * atoms.count + atom] = i;
          found += close ? 1 : 0;
        }
      }
  near.count[atom] = found;
}

// The repulsion of a pair and its part of the density where one of them is, by the inverse square of the distance. Both
// end smoothly at the cutoff.
struct Pair {
  float repulsion, density, repulsion_slope, density_slope;  // slopes are divided by the distance
};

__host__ __device__ __forceinline__ Pair pair_at(float distance2) {
  const float inverse2 = 0.09f / fmaxf(distance2, 0.01f);
  const float inverse6 = product(product(inverse2, inverse2), inverse2), inverse8 = product(inverse6, inverse2);
  const float inverse4 = product(inverse2, inverse2);
  const float share = fmaxf(1.0f - product(distance2, 1.0f / (kCutoff * kCutoff)), 0.0f),
              share2 = product(share, share);
  const float slope = product(share, -4.0f);
  return {product(inverse8, share2), product(inverse6, share2),
          fmaf(inverse8, slope, product(product(-8.0f, inverse8), product(share2, product(inverse2, 11.1f)))),
          fmaf(inverse4, slope, product(product(-6.0f, inverse6), product(share2, product(inverse2, 11.1f))))};
}

// The derivative of the energy of embedding, which is a root.
__host__ __device__ __forceinline__ float embedding_at(const Atoms& atoms, const Near& near, int atom) {
  const Place here = atoms.place[atom];
  const int count = near.count[atom];
  float density = 1.0e-6f;
  for (int i = 0; i < count; ++i) {
    const Place there = atoms.place[near.atom[i * atoms.count + atom]];
    const Vector3 way = between(atoms, here, there);
    density = fmaf(there.weight, pair_at(dot(way, way)).density, density);
  }
  return -0.5f / sqrtf(density);
}

__host__ __device__ __forceinline__ Vector3 force_on(const Atoms& atoms, const Near& near, const float* embedding,
                                                     int atom) {
  const Place here = atoms.place[atom];
  const int count = near.count[atom];
  const float own = embedding[atom];
  Vector3 force = {0.0f, 0.0f, 0.0f};
  for (int i = 0; i < count; ++i) {
    const int other = near.atom[i * atoms.count + atom];
    const Place there = atoms.place[other];
    const Vector3 way = between(atoms, here, there);
    const Pair pair = pair_at(dot(way, way));
    const float embedded = fmaf(own, there.weight, product(embedding[other], here.weight));
    force = along(way, -fmaf(embedded, pair.density_slope, pair.repulsion_slope), force);
  }
  return force;
}

__host__ __device__ __forceinline__ float kept(float at, float box) {
  return at < 0.0f ? at + box : at >= box ? at - box : at;
}

__host__ __device__ __forceinline__ void move(const Atoms& atoms, Place* place, Vector3* velocity, const Vector3& force,
                                              int atom) {
  // A thermostat keeps the speed of all atoms from growing.
  Vector3 speed = along(force, kTime, velocity[atom]);
  const float energy = dot(speed, speed);
  speed = scaled(speed, fmaf(-0.01f, fminf(energy, 4.0f), 1.0f));
  velocity[atom] = speed;
  const Place here = atoms.place[atom];
  place[atom] = {kept(fmaf(speed.x, kTime, here.x), atoms.box), kept(fmaf(speed.y, kTime, here.y), atoms.box),
                 kept(fmaf(speed.z, kTime, here.z), atoms.box), here.weight};
}

__global__ void lists(Atoms atoms, Near near) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  if (atom < atoms.count) list_near(atoms, near, atom);
}

__global__ void embeddings(Atoms atoms, Near near, float* embedding) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  if (atom < atoms.count) embedding[atom] = embedding_at(atoms, near, atom);
}

__global__ void forces(Atoms atoms, Near near, const float* embedding, Vector3* force) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  if (atom < atoms.count) force[atom] = force_on(atoms, near, embedding, atom);
}

__global__ void positions(Atoms atoms, Place* place, Vector3* velocity, const Vector3* force) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  if (atom < atoms.count) move(atoms, place, velocity, force[atom], atom);
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {80, 1024, 12000, 1, 1 << 22}));
  int side = 3;
  while (4 * (side + 1) * (side + 1) * (side + 1) <= count) ++side;
  workload::Random random(41);
  std::vector<Place> place(count);
  // A quarter of the atoms is a gas, the others are clusters.
  const float box = static_cast<float>(side) * kEdge;
  std::vector<Vector3> cluster(std::max(count / 100, 1));
  for (Vector3& each : cluster)
    each = {random.between(0.0f, box), random.between(0.0f, box), random.between(0.0f, box)};
  for (int i = 0; i < count; ++i) {
    Vector3 at = {random.between(-0.5f, 0.5f), random.between(-0.5f, 0.5f), random.between(-0.5f, 0.5f)};
    if (i % 4 == 0)
      at = scaled(at, 0.99f * box) + Vector3{0.5f * box, 0.5f * box, 0.5f * box};
    else
      at = along(at, 2.2f, cluster[random.below(static_cast<unsigned>(cluster.size()))]);
    const auto kept_inside = [&](float value) {
      return std::min(std::max(value - box * std::floor(value / box), 0.0f), box);
    };
    place[i].x = kept_inside(at.x);
    place[i].y = kept_inside(at.y);
    place[i].z = kept_inside(at.z);
    place[i].weight = random.below(4) == 0 ? 0.7f : 1.0f;
  }
  const auto cell_of = [&](const Place& at) {
    const auto along_axis = [&](float value) { return std::min(static_cast<int>(value), side - 1); };
    return (along_axis(at.z) * side + along_axis(at.y)) * side + along_axis(at.x);
  };
  std::stable_sort(place.begin(), place.end(), [&](const Place& a, const Place& b) { return cell_of(a) < cell_of(b); });
  std::vector<int> cell(count);
  std::vector<int> cell_start(side * side * side + 1, 0);
  for (int i = 0; i < count; ++i) {
    cell[i] = cell_of(place[i]);
    ++cell_start[cell[i] + 1];
  }
  for (std::size_t i = 1; i < cell_start.size(); ++i) cell_start[i] += cell_start[i - 1];
  std::vector<Vector3> velocity(count);
  for (Vector3& each : velocity)
    each = {random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)};

  workload::DeviceArray<Place> device_place(place);
  workload::DeviceArray<Vector3> device_velocity(velocity), device_force(count);
  workload::DeviceArray<int> device_cell(cell), device_start(cell_start),
      device_near(static_cast<std::size_t>(kMostNear) * count), device_near_count(count);
  workload::DeviceArray<float> device_embedding(count);
  const Atoms on_device = {device_place.get(), device_cell.get(), device_start.get(), side, count, box, 1.0f / box};
  const Near near_on_device = {device_near.get(), device_near_count.get()};
  const int blocks = workload::blocks_for(count, 128);
  lists<<<blocks, 128>>>(on_device, near_on_device);
  for (int step = 0; step < kSteps; ++step) {
    embeddings<<<blocks, 128>>>(on_device, near_on_device, device_embedding.get());
    forces<<<blocks, 128>>>(on_device, near_on_device, device_embedding.get(), device_force.get());
    positions<<<blocks, 128>>>(on_device, device_place.get(), device_velocity.get(), device_force.get());
    CHECK_LAUNCH();
  }

  std::vector<int> near_atom(static_cast<std::size_t>(kMostNear) * count), near_count(count);
  std::vector<float> embedding(count);
  std::vector<Vector3> force(count);
  const Atoms atoms = {place.data(), cell.data(), cell_start.data(), side, count, box, 1.0f / box};
  const Near near = {near_atom.data(), near_count.data()};
  for (int i = 0; i < count; ++i) list_near(atoms, near, i);
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < count; ++i) embedding[i] = embedding_at(atoms, near, i);
    for (int i = 0; i < count; ++i) force[i] = force_on(atoms, near, embedding.data(), i);
    for (int i = 0; i < count; ++i) move(atoms, place.data(), velocity.data(), force[i], i);
  }
  workload::Report report("molecular_dynamics");
  report.expect_equal("place", device_place.download(), place);
  report.expect_equal("velocity", device_velocity.download(), velocity);
  report.expect_equal("force", device_force.download(), force);
  return report.finish();
}
