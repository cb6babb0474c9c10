// SPDX-License-Identifier: Apache-2.0
#include "core/digest.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstdint>

namespace heddle {
namespace {

/// The first 32 bits of the fractional part of a root of a prime (FIPS 180-4, 4.2.2 and 5.3.3), found by integer search
/// instead of a typed-in table: the largest x with x^degree <= prime * 2^(32 * degree).
std::uint32_t root_fraction(unsigned prime, unsigned degree) {
  using Wide = unsigned __int128;
  const auto not_above = [&](std::uint64_t x) {
    // x < 2^36, and the product of a square and a third factor is compared in two steps to stay within 128 bits.
    const Wide square = Wide{x} * x;
    if (degree == 2) return square <= (Wide{prime} << 64);
    return square <= (Wide{prime} << 96) / x;
  };
  std::uint64_t x = 0;
  for (int bit = 37; bit >= 0; --bit) {
    const std::uint64_t trial = x | (std::uint64_t{1} << bit);
    if (not_above(trial)) x = trial;
  }
  return static_cast<std::uint32_t>(x);
}

struct Constants {
  std::array<std::uint32_t, 8> start;
  std::array<std::uint32_t, 64> round;
};

const Constants& constants() {
  static const Constants made = [] {
    Constants c{};
    std::size_t found = 0;
    for (unsigned candidate = 2; found < c.round.size(); ++candidate) {
      bool prime = true;
      for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
      if (!prime) continue;
      if (found < c.start.size()) c.start[found] = root_fraction(candidate, 2);
      c.round[found++] = root_fraction(candidate, 3);
    }
    return c;
  }();
  return made;
}

void compress(std::array<std::uint32_t, 8>& hash, const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) {
    w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
           std::uint32_t{block[4 * t + 2]} << 8 | block[4 * t + 3];
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                             constants().round[t] + w[t];
    const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += added[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<std::uint32_t, 8> hash = constants().start;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 64;
  for (std::size_t i = 0; i < whole; ++i) compress(hash, data + 64 * i);
  // Padding: a one bit, zeros, the length in bits.
  std::string tail(bytes.substr(64 * whole));
  tail += '\x80';
  tail.resize(tail.size() <= 56 ? 56 : 120, '\0');
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift);
  for (std::size_t at = 0; at < tail.size(); at += 64)
    compress(hash, reinterpret_cast<const unsigned char*>(tail.data()) + at);
  std::string text;
  for (const std::uint32_t word : hash) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace heddle
