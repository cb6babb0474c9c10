// SPDX-License-Identifier: Apache-2.0
// A solver of the Euler equations for flow through an unstructured mesh, one thread a cell: every step gathers density,
// momentum and energy of the four neighbours, adds up the fluxes through the faces between, and then moves the cell on.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              cells; rounded up to whole columns of the mesh
//
// Option: --steps N (2).
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (CFD).
#include <algorithm>

#include "vector3.h"

using workload::product;
using workload::Vector3;

constexpr int kBlock = 128;
constexpr int kFaces = 4;
constexpr int kWall = -1, kFarField = -2;  // in place of a neighbour
constexpr float kGas = 0.4f;               // ratio of specific heats, less one
constexpr float kStep = 0.01f;

struct State {
  float density;
  Vector3 momentum;
  float energy;
};

// Of `count` cells, each quantity by itself, as are the faces: first all first faces.
struct Mesh {
  const int* neighbour;
  const float *normal_x, *normal_y, *normal_z;
  int count;
};
struct States {
  float *density, *momentum_x, *momentum_y, *momentum_z, *energy;
};

__host__ __device__ inline State load(const States& states, int cell) {
  return {states.density[cell],
          {states.momentum_x[cell], states.momentum_y[cell], states.momentum_z[cell]},
          states.energy[cell]};
}

__host__ __device__ inline State far_field() { return {1.4f, {1.6f, 0.1f, 0.0f}, 3.5f}; }

// What flows through a face, per area: of mass, momentum and energy.
__host__ __device__ inline State flux_of(const State& state, const Vector3& normal) {
  const Vector3 velocity = workload::scaled(state.momentum, 1.0f / state.density);
  const float pressure = product(kGas, fmaf(-0.5f, dot(velocity, state.momentum), state.energy));
  const float through = dot(velocity, normal);
  return {dot(state.momentum, normal), along(state.momentum, through, workload::scaled(normal, pressure)),
          product(state.energy + pressure, through)};
}

// The fastest wave: the flow and the sound in it.
__host__ __device__ inline float speed_of(const State& state) {
  const Vector3 velocity = workload::scaled(state.momentum, 1.0f / state.density);
  const float pressure = product(kGas, fmaf(-0.5f, dot(velocity, state.momentum), state.energy));
  const float sound = product(1.4f, pressure) / state.density;
  return sqrtf(dot(velocity, velocity)) + sqrtf(sound > 0.0f ? sound : 0.0f);
}

__host__ __device__ inline State added(const State& sum, const State& change, float factor) {
  return {fmaf(change.density, factor, sum.density), along(change.momentum, factor, sum.momentum),
          fmaf(change.energy, factor, sum.energy)};
}

// The sum of the fluxes into a cell.
__host__ __device__ inline State gathered(const Mesh& mesh, const States& states, int cell) {
  const State own = load(states, cell);
  State sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
#pragma unroll 1
  for (int face = 0; face < kFaces; ++face) {
    const int place = face * mesh.count + cell, other = mesh.neighbour[place];
    const Vector3 normal = {mesh.normal_x[place], mesh.normal_y[place], mesh.normal_z[place]};
    if (other == kWall) {
      const Vector3 velocity = workload::scaled(own.momentum, 1.0f / own.density);
      const float pressure = product(kGas, fmaf(-0.5f, dot(velocity, own.momentum), own.energy));
      sum.momentum = along(normal, -pressure, sum.momentum);
      continue;
    }
    const State beyond = other == kFarField ? far_field() : load(states, other);
    sum = added(sum, flux_of(own, normal), -0.5f);
    sum = added(sum, flux_of(beyond, normal), -0.5f);
    // Differences are smoothed with the speed of waves.
    const float smoothing = product(0.25f * sqrtf(dot(normal, normal)), speed_of(own) + speed_of(beyond));
    sum = added(sum, beyond, smoothing);
    sum = added(sum, own, -smoothing);
  }
  return sum;
}

__host__ __device__ inline void step(const Mesh& mesh, const States& from, const States& to, int cell) {
  const State next = added(load(from, cell), gathered(mesh, from, cell), kStep);
  to.density[cell] = next.density;
  to.momentum_x[cell] = next.momentum.x;
  to.momentum_y[cell] = next.momentum.y;
  to.momentum_z[cell] = next.momentum.z;
  to.energy[cell] = next.energy;
}

__global__ void flow(Mesh mesh, States from, States to) {
  const int cell = blockIdx.x * kBlock + threadIdx.x;
  if (cell < mesh.count) step(mesh, from, to, cell);
}

struct HostMesh {
  int count;
  std::vector<int> neighbour;
  std::vector<float> x, y, z;
};

// Cells with four faces each, in the arrangement of the atoms of diamond, numbered along columns but with some
// disorder.
HostMesh make_mesh(int wanted) {
  constexpr int kWidth = 32, kHeight = 8;
  const int depth = (wanted + kWidth * kHeight - 1) / (kWidth * kHeight), count = kWidth * kHeight * depth;
  workload::Random random(139);
  std::vector<int> number(count);
  for (int i = 0; i < count; ++i) number[i] = i;
  for (int i = 0; i + 64 <= count; ++i)
    if (random.below(8) == 0) std::swap(number[i], number[i + random.below(64)]);
  HostMesh mesh = {count, std::vector<int>(count * kFaces), {}, {}, {}};
  mesh.x.resize(count * kFaces);
  mesh.y.resize(count * kFaces);
  mesh.z.resize(count * kFaces);
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const int side = (x + y + z) % 2 == 0 ? 1 : -1;
        const int step[kFaces][3] = {{1, 0, 0}, {-1, 0, 0}, {0, side, 0}, {0, 0, side}};
        for (int face = 0; face < kFaces; ++face) {
          const int nx = x + step[face][0], ny = y + step[face][1], nz = z + step[face][2];
          const int place = face * count + number[(z * kHeight + y) * kWidth + x];
          if (ny < 0 || ny == kHeight)
            mesh.neighbour[place] = kWall;
          else if (nx < 0 || nx == kWidth || nz < 0 || nz == depth)
            mesh.neighbour[place] = kFarField;
          else
            mesh.neighbour[place] = number[(nz * kHeight + ny) * kWidth + nx];
          mesh.x[place] = static_cast<float>(step[face][0]);
          mesh.y[place] = static_cast<float>(step[face][1]);
          mesh.z[place] = static_cast<float>(step[face][2]);
        }
      }
  return mesh;
}

int main(int argc, char** argv) {
  const int steps = static_cast<int>(workload::take_number(argc, argv, "--steps", 2, 1, 100));
  const HostMesh host = make_mesh(static_cast<int>(workload::parse_size(argc, argv, {200, 12288, 65536, 1, 1 << 20})));
  const int count = host.count;
  workload::Random random(140);
  // Quantities of the cells one after the other; now and after the step.
  constexpr int kQuantities = 5;
  std::vector<float> now(count * kQuantities), next(now.size());
  for (int cell = 0; cell < count; ++cell) {
    const State state = far_field();
    const float values[kQuantities] = {state.density, state.momentum.x, state.momentum.y, state.momentum.z,
                                       state.energy};
    for (int i = 0; i < kQuantities; ++i) now[i * count + cell] = product(values[i], random.between(0.95f, 1.05f));
  }
  const auto states_in = [count](float* values) {
    return States{values, values + count, values + 2 * count, values + 3 * count, values + 4 * count};
  };
  workload::DeviceArray<float> values_a(now), values_b(now), x(host.x), y(host.y), z(host.z);
  workload::DeviceArray<int> neighbour(host.neighbour);
  float *from = values_a.get(), *to = values_b.get();
  for (int i = 0; i < steps; ++i) {
    flow<<<workload::blocks_for(count, kBlock), kBlock>>>({neighbour.get(), x.get(), y.get(), z.get(), count},
                                                          states_in(from), states_in(to));
    CHECK_LAUNCH();
    std::swap(from, to);
    for (int cell = 0; cell < count; ++cell)
      step({host.neighbour.data(), host.x.data(), host.y.data(), host.z.data(), count}, states_in(now.data()),
           states_in(next.data()), cell);
    std::swap(now, next);
  }
  workload::Report report("euler_flux");
  report.expect_equal("quantity", steps % 2 == 0 ? values_a.download() : values_b.download(), now);
  return report.finish();
}
