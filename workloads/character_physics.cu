// SPDX-License-Identifier: Apache-2.0
// Physics of characters of 32 points in a game: the animation gives each its place, and wind moves it. Half of the
// points are of a body: joints bound them, they follow, and their threads exit; the other half is a cloth, whose
// threads take more small steps against gravity, springs and spheres. Characters that face left have their points in
// the opposite order.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              characters
#include "noise.h"

using workload::noise;
using workload::product;
using workload::Vector3;

constexpr int kPoints = 32, kBones = 16;            // of a character; the bones come first when it faces right
constexpr int kCommon = 4, kBound = 2, kMore = 10;  // steps of all points, after joints bound some, of a cloth only
constexpr int kCorrections = 6;                     // by a joint
constexpr int kPoses = 2;                           // of the animation, around the time of the frame
constexpr int kSpheres = 4;                         // of a character's body, which the cloth lies on
constexpr float kTime = 0.0625f;

struct alignas(16) Sphere {
  Vector3 centre;
  float radius;
};

// The world's part in a step: characters in one array, points of all characters in another.
struct World {
  const Vector3* poses;  // where the animation wants a point: all points of a pose, then those of the next
  float share[kPoses];   // of the poses at the time of the frame
  const Vector3* velocity;
  const Sphere* spheres;
  const int* faces_left;
};

struct Motion {
  Vector3 here, velocity;
};

__host__ __device__ __forceinline__ void step(Motion& motion, const Vector3& rest, float stiffness,
                                              const Sphere* spheres) {
  motion.velocity = along(rest - motion.here, stiffness, motion.velocity);
  motion.velocity.z -= 0.01f;
  motion.velocity = scaled(motion.velocity, 0.97f);
  motion.here = along(motion.velocity, kTime, motion.here);
  for (int i = 0; i < kSpheres; ++i) {
    const Vector3 out = motion.here - spheres[i].centre;
    // Pushed back to the surface; nothing where the point is outside.
    const float inside = fmaxf(fmaf(spheres[i].radius, spheres[i].radius, -dot(out, out)), 0.0f);
    motion.here = along(out, product(inside, 0.5f), motion.here);
  }
}

__host__ __device__ __forceinline__ Vector3 moved(const World& world, int point, int points, Vector3 here,
                                                  float stiffness) {
  Vector3 rest = {0.0f, 0.0f, 0.0f};
  for (int i = 0; i < kPoses; ++i) rest = along(world.poses[i * points + point], world.share[i], rest);
  Motion motion = {here, world.velocity[point]};
  const int character = point / kPoints, number = point % kPoints;
  const bool body = (world.faces_left[character] != 0 ? kPoints - 1 - number : number) < kBones;
  Sphere spheres[kSpheres];
  for (int i = 0; i < kSpheres; ++i) spheres[i] = world.spheres[character * kSpheres + i];
  motion.velocity.x = fmaf(noise(here + Vector3{16.0f, 16.0f, 16.0f}), 0.1f, motion.velocity.x);
  for (int i = 0; i < kCommon; ++i) step(motion, rest, stiffness, spheres);
  if (body) {
    // Joints keep a point on a sphere around its rest, which bends the way to it.
    for (int i = 0; i < kCorrections; ++i) {
      const Vector3 away = motion.here - rest;
      const float length = sqrtf(dot(away, away) + 0.01f);
      motion.here = along(away, product(0.5f, fminf(1.0f / length - 1.0f, 0.0f)), motion.here);
    }
  }
  for (int i = 0; i < kBound; ++i) step(motion, rest, stiffness, spheres);
  if (body) return motion.here;
  for (int i = 0; i < kMore; ++i) step(motion, rest, stiffness, spheres);
  return motion.here;
}

__global__ void advance(World world, const Vector3* place, Vector3* next, float stiffness, int points) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  next[point] = moved(world, point, points, place[point], stiffness);
}

int main(int argc, char** argv) {
  const int characters = static_cast<int>(workload::parse_size(argc, argv, {14, 120, 2000, 1, 1 << 20}));
  const int points = characters * kPoints;
  workload::Random random(45);
  const auto somewhere = [&](float size) {
    return Vector3{random.between(-size, size), random.between(-size, size), random.between(-size, size)};
  };
  std::vector<Vector3> place(points), poses(kPoses * points), velocity(points), next(points);
  std::vector<Sphere> spheres(characters * kSpheres);
  for (int i = 0; i < points; ++i) {
    poses[i] = somewhere(2.0f);
    for (int pose = 1; pose < kPoses; ++pose) poses[pose * points + i] = poses[i] + somewhere(0.5f);
    place[i] = poses[i] + somewhere(0.25f);
    velocity[i] = somewhere(0.5f);
  }
  std::vector<int> faces_left(characters);
  for (int& each : faces_left) each = static_cast<int>(random.below(2));
  for (Sphere& sphere : spheres) {
    sphere.centre = somewhere(1.5f);
    sphere.radius = random.between(0.3f, 0.9f);
  }
  constexpr float kStiffness = 0.08f;
  const World world = {poses.data(), {0.4f, 0.6f}, velocity.data(), spheres.data(), faces_left.data()};
  for (int i = 0; i < points; ++i) next[i] = moved(world, i, points, place[i], kStiffness);

  workload::DeviceArray<Vector3> device_place(place), device_poses(poses), device_velocity(velocity), out(points);
  workload::DeviceArray<Sphere> device_spheres(spheres);
  workload::DeviceArray<int> device_faces(faces_left);
  const World on_device = {
      device_poses.get(), {0.4f, 0.6f}, device_velocity.get(), device_spheres.get(), device_faces.get()};
  advance<<<workload::blocks_for(points, 128), 128>>>(on_device, device_place.get(), out.get(), kStiffness, points);
  CHECK_LAUNCH();
  workload::Report report("character_physics");
  report.expect_equal("place", out.download(), next);
  return report.finish();
}
