// SPDX-License-Identifier: Apache-2.0
// Physics of characters of 32 points in a game: the animation gives each its place, blended from four poses. Half of
// the points follow it, and their threads exit; the other half is a cloth, whose threads take many small steps against
// gravity, springs and spheres. Characters that face left have their points in the opposite order.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              characters
#include "vector3.h"

using workload::product;
using workload::Vector3;

constexpr int kPoints = 32, kBones = 16;  // of a character; the bones come first when it faces right
constexpr int kSteps = 12;
constexpr int kPoses = 4;    // of the animation, around the time of the frame
constexpr int kSpheres = 4;  // of a character's body, which the cloth lies on
constexpr float kTime = 0.0625f;

struct Sphere {
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

__host__ __device__ inline Vector3 moved(const World& world, int point, int points, Vector3 here, float stiffness) {
  Vector3 rest = {0.0f, 0.0f, 0.0f};
  for (int i = 0; i < kPoses; ++i) rest = along(world.poses[i * points + point], world.share[i], rest);
  const float length = sqrtf(fmaf(0.01f, dot(rest, rest), 1.0f));
  rest = scaled(rest, 1.0f / length);  // not too far from the middle
  Vector3 velocity = world.velocity[point];
  const int character = point / kPoints, number = point % kPoints;
  if ((world.faces_left[character] != 0 ? kPoints - 1 - number : number) < kBones) return along(velocity, kTime, rest);
  Sphere spheres[kSpheres];
  for (int i = 0; i < kSpheres; ++i) spheres[i] = world.spheres[character * kSpheres + i];
  for (int step = 0; step < kSteps; ++step) {
    velocity = along(rest - here, stiffness, velocity);
    velocity.z -= 0.01f;
    velocity = scaled(velocity, 0.97f);
    here = along(velocity, kTime, here);
    for (const Sphere& sphere : spheres) {
      const Vector3 out = here - sphere.centre;
      const float distance2 = dot(out, out);
      // Pushed back to the surface; nothing where the point is outside.
      const float inside = fmaxf(fmaf(sphere.radius, sphere.radius, -distance2), 0.0f);
      here = along(out, product(inside, 0.5f), here);
    }
  }
  return here;
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
  const World world = {poses.data(), {-0.1f, 0.7f, 0.5f, -0.1f}, velocity.data(), spheres.data(), faces_left.data()};
  for (int i = 0; i < points; ++i) next[i] = moved(world, i, points, place[i], kStiffness);

  workload::DeviceArray<Vector3> device_place(place), device_poses(poses), device_velocity(velocity), out(points);
  workload::DeviceArray<Sphere> device_spheres(spheres);
  workload::DeviceArray<int> device_faces(faces_left);
  const World on_device = {
      device_poses.get(), {-0.1f, 0.7f, 0.5f, -0.1f}, device_velocity.get(), device_spheres.get(), device_faces.get()};
  advance<<<workload::blocks_for(points, 128), 128>>>(on_device, device_place.get(), out.get(), kStiffness, points);
  CHECK_LAUNCH();
  workload::Report report("character_physics");
  report.expect_equal("place", out.download(), next);
  return report.finish();
}
