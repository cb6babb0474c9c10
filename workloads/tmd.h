// SPDX-License-Identifier: Apache-2.0
// What the searches for hard cases of rounding share: the polynomials, the reference and the program around the kernel.
//
// Arguments x of 32 bits in [3/4, 1), results exp(x) of 32 bits in [2, e): which results lie so near to a result of 32 bits
// that more digits are needed to round them? The domain is cut into intervals of kInterval arguments. In a group of
// kGroup intervals the result, in units of its last place and without its whole part, is a polynomial of the second degree
// whose coefficients are whole multiples of 2^-64:  start + n * first + n * (n - 1) / 2 * second  (mod 1).
#pragma once
#include <cstdint>
#include <vector>

#include "common.h"

namespace workload {

constexpr unsigned kInterval = 512;
constexpr unsigned kParts = 8;  // of an interval that may hold a hard case
constexpr unsigned kPart = kInterval / kParts;
constexpr unsigned kGroup = 16;  // intervals that share a polynomial

struct Polynomial {
  std::uint64_t start, first, second;
};

// What a search finds in an interval: hard cases, and the least distance to a result of 32 bits among them, in units of
// 2^-64 of the last place; all ones without a hard case.
struct Hard {
  std::uint64_t nearest;
  std::uint64_t cases;
};

// A result is hard if it is nearer than 2^-17 of the last place to a result of 32 bits.
constexpr std::uint64_t kNear = std::uint64_t{1} << 47;
// More than the second difference contributes to a result over an interval, and over a part of one: 2^-32.5 a step.
constexpr std::uint64_t kBend = std::uint64_t{1} << 49;
constexpr std::uint64_t kPartBend = std::uint64_t{1} << 43;

// exp(numerator / 2^32) in units of 2^-120, for numerators below 2^32, by its series.
inline unsigned __int128 fixed_exp(std::uint64_t numerator) {
  unsigned __int128 term = static_cast<unsigned __int128>(1) << 120, sum = term;
  for (unsigned k = 1; term != 0; ++k) {
    // term * numerator / 2^32 / k; the product has more than 128 bits.
    const unsigned __int128 high = (term >> 64) * numerator, low = (term & ~std::uint64_t{0}) * numerator;
    term = ((high << 32) + (low >> 32)) / k;
    sum += term;
  }
  return sum;
}

// The polynomial of the group that starts `argument` * 2^-32. A result's last place is worth 2^-30.
inline Polynomial polynomial_at(std::uint64_t argument) {
  const unsigned __int128 here = fixed_exp(argument);
  const unsigned __int128 one = fixed_exp(argument + 1), two = fixed_exp(argument + 2);
  const auto fraction = [](unsigned __int128 value) { return static_cast<std::uint64_t>(value >> 26); };
  return {fraction(here), fraction(one - here), fraction(two - one - (one - here))};
}

// That of a group of intervals.
inline Polynomial group_polynomial(std::size_t group) {
  return polynomial_at((std::uint64_t{3} << 30) + group * kGroup * kInterval);
}

// From a number modulo one to the nearest whole number.
inline std::uint64_t distance_of(std::uint64_t fraction) { return fraction < -fraction ? fraction : -fraction; }

// Moves a polynomial's start on by one argument.
inline void step(Polynomial& at) {
  at.start += at.first;
  at.first += at.second;
}

// Every argument of every interval, one after the other.
inline std::vector<Hard> search_all(const std::vector<Polynomial>& polynomials) {
  std::vector<Hard> found;
  for (Polynomial at : polynomials)
    for (unsigned interval = 0; interval < kGroup; ++interval) {
      Hard hard = {~std::uint64_t{0}, 0};
      for (unsigned n = 0; n < kInterval; ++n) {
        const std::uint64_t distance = distance_of(at.start);
        if (distance < kNear) {
          ++hard.cases;
          if (distance < hard.nearest) hard.nearest = distance;
        }
        step(at);
      }
      found.push_back(hard);
    }
  return found;
}

// Moves the start of a polynomial on by `steps` arguments, with a multiplication for each coefficient.
__host__ __device__ inline void move_on(Polynomial& at, unsigned steps) {
  at.start += steps * at.first + steps * (steps - 1) / 2 * at.second;
  at.first += steps * at.second;
}

// The kernel gets the polynomials, the results by interval and the number of intervals.
template <class Kernel>
int search_program(const char* name, long intervals, unsigned block, Kernel kernel) {
  std::vector<Polynomial> polynomials(blocks_for(intervals, kGroup));
  for (std::size_t group = 0; group < polynomials.size(); ++group)
    polynomials[group] = group_polynomial(group);
  std::vector<Hard> reference = search_all(polynomials);
  reference.resize(intervals);
  DeviceArray<Polynomial> device_polynomials(polynomials);
  DeviceArray<Hard> found(reference.size());
  kernel<<<blocks_for(intervals, block), block>>>(device_polynomials.get(), found.get(), static_cast<unsigned>(intervals));
  CHECK_LAUNCH();
  Report report(name);
  report.expect_equal("interval", found.download(), reference);
  return report.finish();
}

}  // namespace workload
