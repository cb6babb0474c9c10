// SPDX-License-Identifier: Apache-2.0
#include "gpu/texture/texel_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::gpu {
namespace {

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// Rounds to nearest even.
std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // A half is a multiple of a unit of at least 2^-24.
  const int unit = std::max(exponent - 11, -24);
  const float scaled = std::ldexp(magnitude, -unit), down = std::floor(scaled), rest = scaled - down;
  auto steps = static_cast<std::uint32_t>(down);
  if (rest > 0.5f || (rest == 0.5f && (steps & 1) != 0)) ++steps;
  // Steps that reach the next power of two carry into the exponent.
  const std::uint32_t biased = unit == -24 ? steps : static_cast<std::uint32_t>(unit + 24) * 0x400 + steps;
  return static_cast<std::uint16_t>(sign | biased);
}

/// One component as stored: sign- or zero-extended, or the bits of a float.
std::uint32_t component(const Texture& texture, std::uint64_t address, unsigned i) {
  const auto* at = reinterpret_cast<const std::byte*>(address) + i * texture.component_bytes;
  std::uint32_t value = 0;
  std::memcpy(&value, at, texture.component_bytes);
  if (texture.kind == TexelKind::floating) {
    return texture.component_bytes == 2 ? std::bit_cast<std::uint32_t>(half_to_float(static_cast<std::uint16_t>(value)))
                                        : value;
  }
  if (texture.kind == TexelKind::signed_integer && texture.component_bytes < 4) {
    const unsigned shift = 32 - 8 * texture.component_bytes;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value << shift) >> shift);
  }
  return value;
}

float srgb_to_linear(float fraction) {
  return fraction <= 0.04045f ? fraction / 12.92f : std::pow((fraction + 0.055f) / 1.055f, 2.4f);
}

/// The component as a number for interpolation.
float number(const Texture& texture, std::uint32_t bits, unsigned i) {
  if (texture.kind == TexelKind::floating) return std::bit_cast<float>(bits);
  const unsigned width = 8 * texture.component_bytes;
  if (texture.kind == TexelKind::signed_integer) {
    const auto most = static_cast<float>((std::int64_t{1} << (width - 1)) - 1);
    return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(bits)) / most);
  }
  const float fraction = static_cast<float>(bits) / static_cast<float>((std::uint64_t{1} << width) - 1);
  return texture.srgb && width == 8 && i < 3 ? srgb_to_linear(fraction) : fraction;
}

bool as_number(const Texture& texture) { return texture.kind == TexelKind::floating || texture.read_normalized; }

float number_at(const Texture& texture, const Tap& tap, unsigned i) {
  return tap.address != 0 ? number(texture, component(texture, tap.address, i), i) : texture.border[i];
}

/// Integers outside the range are zero.
std::uint32_t integer_at(const Texture& texture, const Tap& tap, unsigned i) {
  return tap.address != 0 ? component(texture, tap.address, i) : 0;
}

}  // namespace

std::array<std::uint32_t, 4> texture_value(const Texture& texture, const Taps& taps, unsigned count) {
  std::array<std::uint32_t, 4> result{};
  for (unsigned c = 0; c < texture.components; ++c) {
    if (!as_number(texture)) {
      result[c] = integer_at(texture, taps[0], c);  // never filtered
      continue;
    }
    float sum = 0;
    for (unsigned t = 0; t < count; ++t) {
      const float value = number_at(texture, taps[t], c);
      sum = count == 1 ? value : sum + taps[t].weight * value;
    }
    result[c] = std::bit_cast<std::uint32_t>(sum);
  }
  return result;
}

std::array<std::uint32_t, 4> gather_value(const Texture& texture, const Taps& taps, unsigned component) {
  std::array<std::uint32_t, 4> result{};
  if (component >= texture.components) return result;
  for (unsigned t = 0; t < 4; ++t) {
    result[t] = as_number(texture) ? std::bit_cast<std::uint32_t>(number_at(texture, taps[t], component))
                                   : integer_at(texture, taps[t], component);
  }
  return result;
}

std::array<std::uint32_t, 4> pack_texel(const Texture& surface, const std::array<std::uint32_t, 4>& components) {
  std::array<std::uint32_t, 4> words{};
  auto* at = reinterpret_cast<std::byte*>(words.data());
  const unsigned bytes = surface.component_bytes, bits = 8 * bytes;
  for (unsigned c = 0; c < surface.components; ++c, at += bytes) {
    std::uint32_t value = components[c];
    if (surface.kind == TexelKind::floating) {
      if (bytes == 2) value = float_to_half(std::bit_cast<float>(value));
    } else if (surface.kind == TexelKind::unsigned_integer) {
      if (bits < 32) value = std::min(value, (1u << bits) - 1);
    } else if (bits < 32) {
      const std::int32_t most = (1 << (bits - 1)) - 1;
      value = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(value), -most - 1, most));
    }
    std::memcpy(at, &value, bytes);
  }
  return words;
}

}  // namespace heddle::gpu
