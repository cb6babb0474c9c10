// SPDX-License-Identifier: Apache-2.0
// Particles of a game's effects, one thread a particle of 64 bytes: it is carried by turbulence computed from hashes,
// bounces off the ground, ages and is born again by arithmetic instead of branches.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              particles
#include "vector3.h"

using workload::product;
using workload::Vector3;

constexpr int kSteps = 3;

struct alignas(16) Particle {
  Vector3 place;
  float age;
  Vector3 velocity;
  float size;
  float colour[4];
  Vector3 turn;  // about the axes
  float drag;
};

__host__ __device__ inline unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// From -1 to 1.
__host__ __device__ inline float noise(unsigned seed) {
  return fmaf(static_cast<float>(mixed(seed) >> 8), 1.0f / 8388608.0f, -1.0f);
}

__host__ __device__ inline Particle advanced(Particle particle, unsigned number, unsigned frame, float time) {
  const Vector3 birth = {product(10.0f, noise(number)), 2.0f, product(10.0f, noise(number + 77u))};
  for (int step = 0; step < kSteps; ++step) {
    const unsigned cell = static_cast<unsigned>(static_cast<int>(product(particle.place.x, 4.0f))) * 73u +
                          static_cast<unsigned>(static_cast<int>(product(particle.place.z, 4.0f))) * 37u + frame + step;
    const Vector3 wind = {noise(3 * cell), noise(3 * cell + 1), noise(3 * cell + 2)};
    particle.velocity = along(wind - particle.velocity, product(particle.drag, time), particle.velocity);
    particle.velocity.y = fmaf(-9.81f, time, particle.velocity.y);
    particle.place = along(particle.velocity, time, particle.place);
    const bool below = particle.place.y < 0.0f;
    particle.place.y = fabsf(particle.place.y);
    particle.velocity.y = product(below ? -0.6f : 1.0f, particle.velocity.y);
    particle.turn = along(wind, time, particle.turn);
    particle.age = particle.age + time;
    // How dead it is, within a frame: blended, so that no thread goes another way.
    const float dead = fminf(fmaxf(product(particle.age - 4.0f, 64.0f), 0.0f), 1.0f);
    particle.age = fmaf(-dead, particle.age, particle.age);
    particle.place = along(birth - particle.place, dead, particle.place);
  }
  const float fade = fmaf(-0.25f, particle.age, 1.0f);
  for (float& channel : particle.colour) channel = product(channel, fade);
  particle.size = fmaf(0.1f, particle.age, particle.size);
  return particle;
}

__global__ void advance(Particle* particles, unsigned frame, float time, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Particle particle = particles[i];
  particles[i] = advanced(particle, i, frame, time);
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {600, 8000, 300000, 1, 1 << 24}));
  workload::Random random(53);
  std::vector<Particle> particles(count);
  for (Particle& each : particles) {
    each.place = {random.between(-10.0f, 10.0f), random.between(0.0f, 6.0f), random.between(-10.0f, 10.0f)};
    each.velocity = {random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)};
    each.age = random.between(0.0f, 4.0f);
    each.size = random.between(0.1f, 0.4f);
    each.turn = {random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)};
    each.drag = random.between(0.1f, 0.5f);
    for (float& channel : each.colour) channel = random.between(0.0f, 1.0f);
  }
  constexpr unsigned kFrame = 12;
  constexpr float kTime = 1.0f / 64.0f;
  workload::DeviceArray<Particle> device(particles);
  advance<<<workload::blocks_for(count, 128), 128>>>(device.get(), kFrame, kTime, count);
  CHECK_LAUNCH();
  for (int i = 0; i < count; ++i) particles[i] = advanced(particles[i], i, kFrame, kTime);
  workload::Report report("particles");
  report.expect_equal("particle", device.download(), particles);
  return report.finish();
}
