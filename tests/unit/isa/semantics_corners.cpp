// SPDX-License-Identifier: Apache-2.0
// Corner values of arithmetic.
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

std::vector<std::uint64_t> integer_corners(unsigned width) {
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  std::set<std::uint64_t> values = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    8,
                                    10,
                                    31,
                                    32,
                                    33,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x100,
                                    0x5555555555555555,
                                    0xaaaaaaaaaaaaaaaa,
                                    0x8040201008040201,
                                    0x00ff00ff00ff00ff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x10000,
                                    0x7fffff,
                                    0x800000,
                                    0x1000000,
                                    0x1000001,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x20000000000001,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0xfffffffffffffc00};
  std::set<std::uint64_t> kept;
  for (const std::uint64_t value : values) {
    kept.insert(value & all);
    kept.insert((0 - value) & all);
  }
  return {kept.begin(), kept.end()};
}

template <typename Bits>
void add_both_signs(std::set<std::uint64_t>& values, Bits bits, unsigned width) {
  values.insert(bits);
  values.insert(bits | Bits{1} << (width - 1));
}

std::vector<std::uint64_t> single_corners() {
  std::set<std::uint64_t> values;
  for (const std::uint32_t bits :
       {0x00000000u, 0x00000001u, 0x00000002u, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x7f7fffffu,
        0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0x3f800000u, 0x3f800001u, 0x3f7fffffu}) {
    add_both_signs(values, bits, 32);
  }
  for (const float value : {0.25f,
                            0.5f,
                            0.75f,
                            1.5f,
                            2.0f,
                            2.5f,
                            3.0f,
                            3.5f,
                            0.49999997f,
                            127.5f,
                            128.0f,
                            255.5f,
                            256.0f,
                            65504.0f,
                            65519.0f,
                            65520.0f,
                            65536.0f,
                            8388607.5f,
                            8388608.0f,
                            16777215.0f,
                            16777216.0f,
                            2147483520.0f,
                            2147483648.0f,
                            4294967040.0f,
                            4294967296.0f,
                            9223371487098961920.0f,
                            9223372036854775808.0f,
                            18446744073709551616.0f,
                            5.9604645e-8f,
                            2.9802322e-8f,
                            6.1035156e-5f,
                            6.0975552e-5f,
                            1e-39f,
                            1.1e38f,
                            0.1f,
                            3.14159274f,
                            8.6e37f}) {
    add_both_signs(values, std::bit_cast<std::uint32_t>(value), 32);
  }
  return {values.begin(), values.end()};
}

std::vector<std::uint64_t> double_corners() {
  std::set<std::uint64_t> values;
  for (const std::uint64_t bits : {0x0ull,
                                   0x1ull,
                                   0x2ull,
                                   0x0008000000000000ull,
                                   0x000fffffffffffffull,
                                   0x0010000000000000ull,
                                   0x0010000000000001ull,
                                   0x7fefffffffffffffull,
                                   0x7ff0000000000000ull,
                                   0x7ff0000000000001ull,
                                   0x7ff8000000000000ull,
                                   0x7fffffffffffffffull,
                                   0x3ff0000000000001ull,
                                   0x3fefffffffffffffull,
                                   0x47efffffe0000000ull,
                                   0x47efffffefffffffull,
                                   0x47effffff0000000ull,
                                   0x380fffffffffffffull,
                                   0x36a0000000000000ull,
                                   0x3690000000000000ull,
                                   0x3690000000000001ull,
                                   0x1e60000000000000ull}) {
    add_both_signs(values, bits, 64);
  }
  for (const double value : {1.0,
                             0.5,
                             0.25,
                             1.5,
                             2.5,
                             3.5,
                             0.49999999999999994,
                             65519.0,
                             65520.0,
                             127.5,
                             255.5,
                             2147483646.5,
                             2147483647.0,
                             2147483647.5,
                             2147483648.0,
                             4294967295.0,
                             4294967295.5,
                             4294967296.0,
                             4503599627370495.5,
                             4503599627370496.0,
                             9007199254740993.0,
                             9223372036854774784.0,
                             9223372036854775808.0,
                             18446744073709549568.0,
                             18446744073709551616.0,
                             1.0 + 0x1p-24,
                             1.0 + 0x1p-11,
                             1.0 + 0x3p-25,
                             1e-310,
                             1e300,
                             0.1,
                             3.141592653589793}) {
    add_both_signs(values, std::bit_cast<std::uint64_t>(value), 64);
  }
  return {values.begin(), values.end()};
}

std::vector<std::uint64_t> half_corners(unsigned infinity) {
  std::set<std::uint64_t> values;
  const unsigned one = infinity == 0x7c00 ? 0x3c00 : 0x3f80, smallest_normal = infinity == 0x7c00 ? 0x0400 : 0x0080;
  for (const unsigned bits : {0u,
                              1u,
                              2u,
                              smallest_normal / 2,
                              smallest_normal - 1,
                              smallest_normal,
                              smallest_normal + 1,
                              infinity - 1,
                              infinity,
                              infinity + 1,
                              0x7fffu,
                              infinity | smallest_normal / 2,
                              one,
                              one + 1,
                              one - 1,
                              one + smallest_normal,
                              one - smallest_normal,
                              one + smallest_normal / 2,
                              one + 4 * smallest_normal,
                              0x3555u,
                              0x4248u,
                              0x5bffu,
                              0x6400u}) {
    add_both_signs(values, bits, 16);
  }
  return {values.begin(), values.end()};
}

std::vector<std::uint64_t> pair_corners(unsigned infinity) {
  const auto single = half_corners(infinity);
  std::vector<std::uint64_t> pairs;
  for (std::size_t i = 0; i < single.size(); ++i)
    pairs.push_back(single[i] | single[(i * 7 + 3) % single.size()] << 16);
  return pairs;
}

std::vector<std::uint64_t> make_corners(DataType type) {
  switch (type) {
    case DataType::pred:
      return {0, 1};
    case DataType::f32:
      return single_corners();
    case DataType::f64:
      return double_corners();
    case DataType::f16:
      return half_corners(0x7c00);
    case DataType::bf16:
      return half_corners(0x7f80);
    case DataType::f16x2:
      return pair_corners(0x7c00);
    case DataType::bf16x2:
      return pair_corners(0x7f80);
    default:
      return integer_corners(width_of(type));
  }
}

}  // namespace

const std::vector<std::uint64_t>& corners(DataType type) {
  static std::map<DataType, std::vector<std::uint64_t>> lists;
  auto [entry, made] = lists.try_emplace(type);
  if (made) entry->second = make_corners(type);
  return entry->second;
}

}  // namespace heddle::isa::table
