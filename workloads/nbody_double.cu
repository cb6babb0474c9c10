// SPDX-License-Identifier: Apache-2.0
// Gravitation between all pairs of bodies in double precision: square roots and divisions, bodies staged through shared
// memory in tiles that every thread reads in the same order.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            32
//   shared memory:     1024
//   warp instructions: no
//   size:              bodies
#include "common.h"

constexpr int kBlock = 32;
constexpr double kSoftening = 0.01;
constexpr double kTimeStep = 0.125;

struct Vector {
  double x, y, z;
};

// Adds the pull of a body at `other` to `pull`.
__host__ __device__ inline void add_pull(Vector* pull, const Vector& self, const Vector& other, double mass) {
  const double dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
  const double distance = sqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, kSoftening))));
  const double strength = mass / (distance * distance * distance);
  pull->x = fma(strength, dx, pull->x);
  pull->y = fma(strength, dy, pull->y);
  pull->z = fma(strength, dz, pull->z);
}

__global__ void nbody(const Vector* position, const double* mass, Vector* velocity, int count) {
  __shared__ Vector tile_position[kBlock];
  __shared__ double tile_mass[kBlock];
  const int body = blockIdx.x * kBlock + threadIdx.x;
  const Vector self = position[min(body, count - 1)];
  Vector pull = {0.0, 0.0, 0.0};
  for (int first = 0; first < count; first += kBlock) {
    const int mine = first + threadIdx.x;
    if (mine < count) {
      tile_position[threadIdx.x] = position[mine];
      tile_mass[threadIdx.x] = mass[mine];
    }
    __syncthreads();
    const int bodies = min(kBlock, count - first);
    for (int other = 0; other < bodies; ++other) add_pull(&pull, self, tile_position[other], tile_mass[other]);
    __syncthreads();
  }
  if (body >= count) return;
  Vector moved = velocity[body];
  moved.x = fma(kTimeStep, pull.x, moved.x);
  moved.y = fma(kTimeStep, pull.y, moved.y);
  moved.z = fma(kTimeStep, pull.z, moved.z);
  velocity[body] = moved;
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {56, 300, 2000, 1, 65536}));
  workload::Random random(24);
  std::vector<Vector> position(count), velocity(count);
  std::vector<double> mass(count);
  for (int body = 0; body < count; ++body) {
    position[body].x = random.between(-1.0f, 1.0f);
    position[body].y = random.between(-1.0f, 1.0f);
    position[body].z = random.between(-1.0f, 1.0f);
    velocity[body].x = velocity[body].y = velocity[body].z = 0.0;
    mass[body] = random.between(0.1f, 1.0f);
  }
  workload::DeviceArray<Vector> device_position(position), device_velocity(velocity);
  workload::DeviceArray<double> device_mass(mass);
  nbody<<<workload::blocks_for(count, kBlock), kBlock>>>(device_position.get(), device_mass.get(),
                                                         device_velocity.get(), count);
  CHECK_LAUNCH();
  for (int body = 0; body < count; ++body) {
    Vector pull = {0.0, 0.0, 0.0};
    for (int other = 0; other < count; ++other) add_pull(&pull, position[body], position[other], mass[other]);
    velocity[body].x = fma(kTimeStep, pull.x, velocity[body].x);
    velocity[body].y = fma(kTimeStep, pull.y, velocity[body].y);
    velocity[body].z = fma(kTimeStep, pull.z, velocity[body].z);
  }
  workload::Report report("nbody_double");
  report.expect_equal("velocity", device_velocity.download(), velocity);
  return report.finish();
}
