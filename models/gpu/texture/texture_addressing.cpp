// SPDX-License-Identifier: Apache-2.0
// Maps coordinates to texels: address modes, filter weights, cube faces, mip-map levels.
#include <algorithm>
#include <cmath>

#include "gpu/texture/texture.h"

namespace heddle::gpu {
namespace {

/// Applies an address mode to texel index `i`; -1 for the border.
std::int64_t resolve(std::int64_t i, std::int64_t extent, TextureAddressing mode) {
  if (i >= 0 && i < extent) return i;
  switch (mode) {
    case TextureAddressing::clamp:
      return std::clamp<std::int64_t>(i, 0, extent - 1);
    case TextureAddressing::border:
      return -1;
    case TextureAddressing::wrap:
      return ((i % extent) + extent) % extent;
    case TextureAddressing::mirror: {
      const std::int64_t period = 2 * extent, m = ((i % period) + period) % period;
      return m < extent ? m : period - 1 - m;
    }
  }
  return -1;
}

/// Interpolation weights have 8 fractional bits.
float rounded_weight(float fraction) { return std::floor(fraction * 256.0f + 0.5f) / 256.0f; }

/// Texels along one coordinate, before address modes.
struct Axis {
  std::int64_t index[2] = {0, 0};
  float weight[2] = {1, 0};
  unsigned count = 1;
};

Axis real_axis(bool normalized, bool filter, std::int64_t extent, float coordinate) {
  float x = normalized ? coordinate * static_cast<float>(extent) : coordinate;
  if (std::isnan(x)) x = 0;
  x = std::clamp(x, -1e9f, 1e9f);
  Axis result;
  if (!filter) {
    result.index[0] = static_cast<std::int64_t>(std::floor(x));
    return result;
  }
  const float base = std::floor(x - 0.5f);
  const float alpha = rounded_weight(x - 0.5f - base);
  result.count = 2;
  for (unsigned i = 0; i < 2; ++i) result.index[i] = static_cast<std::int64_t>(base) + i;
  result.weight[0] = 1 - alpha;
  result.weight[1] = alpha;
  return result;
}

TextureAddressing mode_of(const Texture& texture, unsigned axis, bool integer) {
  if (integer) return texture.linear_memory ? TextureAddressing::border : texture.addressing[axis];
  // Wrap and mirror exist for normalised coordinates only.
  if (!texture.normalized_coordinates && texture.addressing[axis] != TextureAddressing::border)
    return TextureAddressing::clamp;
  return texture.addressing[axis];
}

std::uint64_t texel_address(const Texture& texture, const TextureLevel& level, std::int64_t i, std::int64_t j,
                            std::int64_t k) {
  if (i < 0 || j < 0 || k < 0) return 0;
  return level.address + static_cast<std::uint64_t>(i) * texture.texel_bytes() +
         static_cast<std::uint64_t>(j) * level.row_bytes + static_cast<std::uint64_t>(k) * level.slice_bytes;
}

// -- cubes

/// A face and the position on it, from -1 to 1, after division by the major coordinate.
struct FacePoint {
  unsigned face = 0;
  unsigned major = 0, across = 0, down = 0;  ///< which coordinate is which
  double across_sign = 1, down_sign = 1;
  double s = 0, t = 0;
};

/// For equal magnitudes, z takes precedence over y and y over x; the guide does not specify this.
FacePoint face_of(double x, double y, double z) {
  FacePoint point;
  const double direction[3] = {x, y, z};
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  point.major = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  const bool negative = direction[point.major] < 0;
  point.face = 2 * point.major + (negative ? 1 : 0);
  switch (point.face) {
    case 0:
      point.across = 2, point.across_sign = -1, point.down = 1, point.down_sign = -1;
      break;
    case 1:
      point.across = 2, point.across_sign = 1, point.down = 1, point.down_sign = -1;
      break;
    case 2:
      point.across = 0, point.across_sign = 1, point.down = 2, point.down_sign = 1;
      break;
    case 3:
      point.across = 0, point.across_sign = 1, point.down = 2, point.down_sign = -1;
      break;
    case 4:
      point.across = 0, point.across_sign = 1, point.down = 1, point.down_sign = -1;
      break;
    default:
      point.across = 0, point.across_sign = -1, point.down = 1, point.down_sign = -1;
      break;
  }
  const double m = std::fabs(direction[point.major]);
  point.s = point.across_sign * direction[point.across] / m;
  point.t = point.down_sign * direction[point.down] / m;
  return point;
}

/// Coordinates on the face from 0 to 1.
float on_face(double s) { return static_cast<float>((s + 1) / 2); }

struct FaceTexel {
  std::int64_t face = 0, i = 0, j = 0;
};

/// Maps a texel beyond an edge of a face to the adjacent face. Not for corners.
FaceTexel across_edge(std::int64_t face, std::int64_t i, std::int64_t j, std::int64_t width) {
  const double s = (2.0 * static_cast<double>(i) + 1) / static_cast<double>(width) - 1;
  const double t = (2.0 * static_cast<double>(j) + 1) / static_cast<double>(width) - 1;
  double direction[3] = {0, 0, 0};
  // Axes of the face, derived from any direction on it.
  double inside[3] = {0, 0, 0};
  inside[face / 2] = face % 2 != 0 ? -1 : 1;
  const FacePoint axes = face_of(inside[0], inside[1], inside[2]);
  direction[axes.major] = inside[axes.major];
  direction[axes.across] = axes.across_sign * s;
  direction[axes.down] = axes.down_sign * t;
  const FacePoint beyond = face_of(direction[0], direction[1], direction[2]);
  const auto texel = [width](double place) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((place + 1) / 2 * static_cast<double>(width))),
                                    0, width - 1);
  };
  return {beyond.face, texel(beyond.s), texel(beyond.t)};
}

// -- one level

/// Position of a fetch within a level: two- or three-dimensional coordinates and the slice.
struct SamplePoint {
  TextureCoordinates coordinates;
  unsigned dimensions = 1;
  std::int64_t slice = 0;  ///< layer, or face
  bool normalized = false;
};

SamplePoint place_of(const Texture& texture, const TextureCoordinates& coordinates) {
  SamplePoint place{coordinates, coordinates.dimensions, 0, texture.normalized_coordinates};
  if (texture.cube) {
    const FacePoint point = face_of(coordinates.real[0], coordinates.real[1], coordinates.real[2]);
    place.coordinates.real = {on_face(point.s), on_face(point.t), 0};
    place.dimensions = 2;
    place.normalized = true;
    place.slice = std::min(coordinates.layer, texture.slices / 6 - 1) * std::int64_t{6} + point.face;
  } else if (texture.layered) {
    place.slice = std::min(coordinates.layer, texture.slices - 1);
  }
  return place;
}

Axis axis_of(const TextureLevel& level, const SamplePoint& place, unsigned axis, bool filter) {
  if (axis >= place.dimensions) return {};
  if (!place.coordinates.integer)
    return real_axis(place.normalized, filter, level.extent[axis], place.coordinates.real[axis]);
  Axis result;
  result.index[0] = place.coordinates.index[axis];
  return result;
}

std::int64_t resolved(const Texture& texture, const TextureLevel& level, const SamplePoint& place, unsigned axis,
                      std::int64_t i) {
  if (axis >= place.dimensions) return 0;
  const TextureAddressing mode =
      texture.cube ? texture.addressing[axis] : mode_of(texture, axis, place.coordinates.integer);
  return resolve(i, level.extent[axis], mode);
}

/// The texels of one level, with weights multiplied by `share`. Corners of seamless cubes have three.
unsigned level_taps(const Texture& texture, const TextureLevel& level, const SamplePoint& place, float share,
                    Tap* taps) {
  Axis axes[3];
  for (unsigned a = 0; a < 3; ++a) axes[a] = axis_of(level, place, a, texture.filter_linearly);
  const bool seamless = texture.cube && texture.seamless;
  const std::int64_t width = level.extent[0];
  unsigned count = 0;
  float corner = 0;  // weight of the missing corner texel, shared by the other three
  for (unsigned z = 0; z < axes[2].count; ++z) {
    for (unsigned y = 0; y < axes[1].count; ++y) {
      for (unsigned x = 0; x < axes[0].count; ++x) {
        const float weight = axes[0].weight[x] * axes[1].weight[y] * axes[2].weight[z] * share;
        const std::int64_t i = axes[0].index[x], j = axes[1].index[y];
        if (seamless && (i < 0 || i >= width || j < 0 || j >= width)) {
          if ((i < 0 || i >= width) && (j < 0 || j >= width)) {
            corner = weight;
            continue;
          }
          const FaceTexel texel = across_edge(place.slice % 6, i, j, width);
          taps[count++] = {texel_address(texture, level, texel.i, texel.j, place.slice - place.slice % 6 + texel.face),
                           weight};
          continue;
        }
        const std::int64_t k = resolved(texture, level, place, 2, axes[2].index[z]);
        taps[count++] = {texel_address(texture, level, resolved(texture, level, place, 0, i),
                                       resolved(texture, level, place, 1, j), k < 0 ? k : k + place.slice),
                         weight};
      }
    }
  }
  if (corner != 0) {
    for (unsigned t = 0; t < count; ++t) taps[t].weight += corner / 3;
  }
  return count;
}

}  // namespace

float level_of_detail(const Texture& texture, const TextureCoordinates& coordinates) {
  float level = 0;
  if (coordinates.lod == isa::TextureLod::level) {
    level = coordinates.level;
  } else if (coordinates.lod == isa::TextureLod::gradient) {
    const TextureLevel& finest = texture.levels.front();
    double longest = 0;
    for (const std::array<float, 3>& gradient : {coordinates.gradient_x, coordinates.gradient_y}) {
      double square = 0;
      if (texture.cube) {
        // The quotient rule on s = across / major, t = down / major, each over half the face.
        const std::array<float, 3>& at = coordinates.real;
        const FacePoint point = face_of(at[0], at[1], at[2]);
        const double m = std::fabs(at[point.major]);
        const double dm = at[point.major] < 0 ? -gradient[point.major] : gradient[point.major];
        const double half = 0.5 * finest.extent[0] / m;
        const double ds = (point.across_sign * gradient[point.across] - point.s * dm) * half;
        const double dt = (point.down_sign * gradient[point.down] - point.t * dm) * half;
        square = ds * ds + dt * dt;
      } else {
        for (unsigned a = 0; a < coordinates.dimensions; ++a) {
          const double scale = texture.normalized_coordinates ? finest.extent[a] : 1;
          const double texels = gradient[a] * scale;
          square += texels * texels;
        }
      }
      longest = std::max(longest, square);
    }
    level = longest > 0 ? static_cast<float>(0.5 * std::log2(longest)) : -1e3f;
  }
  level += texture.level_bias;
  if (!(level > texture.least_level)) level = texture.least_level;  // NaN: the finest
  level = std::min(level, texture.most_level);
  return std::clamp(level, 0.0f, static_cast<float>(texture.levels.size() - 1));
}

unsigned texture_taps(const Texture& texture, const TextureCoordinates& coordinates, Taps& taps) {
  const SamplePoint place = place_of(texture, coordinates);
  if (texture.levels.size() == 1) return level_taps(texture, texture.levels.front(), place, 1, taps.data());
  const float level = level_of_detail(texture, coordinates);
  if (!texture.blend_levels) {
    const auto nearest = static_cast<std::size_t>(std::floor(level + 0.5f));
    return level_taps(texture, texture.levels[nearest], place, 1, taps.data());
  }
  const float base = std::floor(level), share = rounded_weight(level - base);
  const auto finer = static_cast<std::size_t>(base);
  if (share == 0) return level_taps(texture, texture.levels[finer], place, 1, taps.data());
  if (share == 1) return level_taps(texture, texture.levels[finer + 1], place, 1, taps.data());
  const unsigned count = level_taps(texture, texture.levels[finer], place, 1 - share, taps.data());
  return count + level_taps(texture, texture.levels[finer + 1], place, share, taps.data() + count);
}

void gather_taps(const Texture& texture, const TextureCoordinates& coordinates, Taps& taps) {
  const SamplePoint place = place_of(texture, coordinates);
  const std::size_t nearest = texture.levels.size() == 1
                                  ? 0
                                  : static_cast<std::size_t>(std::floor(level_of_detail(texture, coordinates) + 0.5f));
  const TextureLevel& level = texture.levels[nearest];
  const Axis across = axis_of(level, place, 0, true), down = axis_of(level, place, 1, true);
  constexpr unsigned kColumn[] = {0, 1, 1, 0}, kRow[] = {1, 1, 0, 0};
  const std::int64_t width = level.extent[0];
  for (unsigned t = 0; t < 4; ++t) {
    const std::int64_t i = across.index[kColumn[t]], j = down.index[kRow[t]];
    const bool beyond_i = i < 0 || i >= width, beyond_j = j < 0 || j >= width;
    taps[t].weight = 1;
    // A corner of a seamless cube has no fourth texel; use the face's own texel.
    if (texture.cube && texture.seamless && beyond_i != beyond_j) {
      const FaceTexel texel = across_edge(place.slice % 6, i, j, width);
      taps[t].address = texel_address(texture, level, texel.i, texel.j, place.slice - place.slice % 6 + texel.face);
      continue;
    }
    const bool corner = texture.cube && texture.seamless && beyond_i && beyond_j;
    const std::int64_t column =
        corner ? std::clamp<std::int64_t>(i, 0, width - 1) : resolved(texture, level, place, 0, i);
    const std::int64_t row = corner ? std::clamp<std::int64_t>(j, 0, width - 1) : resolved(texture, level, place, 1, j);
    taps[t].address = texel_address(texture, level, column, row, place.slice);
  }
}

std::optional<std::uint64_t> surface_address(const Texture& surface, const SurfacePoint& point, bool clamp) {
  const TextureLevel& level = surface.levels.front();
  const std::int64_t row = std::int64_t{level.extent[0]} * surface.texel_bytes();
  const std::int64_t bytes = point.bytes;
  std::int64_t x = point.in_texels ? std::int64_t{point.x} * surface.texel_bytes() : point.x;
  std::int64_t y = point.y, z = surface.slices > 1 || surface.layered || surface.cube ? point.layer : point.z;
  const std::int64_t slices = surface.layered || surface.cube ? surface.slices : level.extent[2];
  const std::int64_t last = row >= bytes ? (row - bytes) / bytes * bytes : -1;
  if (last < 0) return std::nullopt;
  if (clamp) {
    x = std::clamp<std::int64_t>(x, 0, last);
    y = std::clamp<std::int64_t>(y, 0, std::int64_t{level.extent[1]} - 1);
    z = std::clamp<std::int64_t>(z, 0, slices - 1);
  } else if (x < 0 || x > row - bytes || y < 0 || y >= level.extent[1] || z < 0 || z >= slices) {
    return std::nullopt;
  }
  return level.address + static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y) * level.row_bytes +
         static_cast<std::uint64_t>(z) * level.slice_bytes;
}

}  // namespace heddle::gpu
