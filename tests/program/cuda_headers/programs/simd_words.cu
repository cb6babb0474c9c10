// SPDX-License-Identifier: Apache-2.0
// Functions on two half-words or four bytes in a word, and three-operand maxima and minima, against plain code lane by
// lane. Bytes: every pair in every lane. Half-words: all pairs of corner values, and others.
#include <cstdint>
#include <random>

#include "check.h"

// Lane functions of the operands x and y: name, sign of the operands, value. `S` and `U` clamp.
#define S(v) clamp(v, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
#define U(v) clamp(v, 0, (1 << bits) - 1)
#define TWO_OPERANDS(X, n)                           \
  X(__vadd##n, unsigned, x + y)                      \
  X(__vsub##n, unsigned, x - y)                      \
  X(__vaddss##n, signed, S(x + y))                   \
  X(__vaddus##n, unsigned, U(x + y))                 \
  X(__vsubss##n, signed, S(x - y))                   \
  X(__vsubus##n, unsigned, U(x - y))                 \
  X(__vabsdiffs##n, signed, x > y ? x - y : y - x)   \
  X(__vabsdiffu##n, unsigned, x > y ? x - y : y - x) \
  X(__vavgs##n, signed, halved_away(x + y))          \
  X(__vavgu##n, unsigned, (x + y + 1) / 2)           \
  X(__vhaddu##n, unsigned, (x + y) / 2)              \
  X(__vmaxs##n, signed, x > y ? x : y)               \
  X(__vmaxu##n, unsigned, x > y ? x : y)             \
  X(__vmins##n, signed, x < y ? x : y)               \
  X(__vminu##n, unsigned, x < y ? x : y)             \
  X(__vcmpeq##n, unsigned, -(x == y))                \
  X(__vcmpne##n, unsigned, -(x != y))                \
  X(__vcmpges##n, signed, -(x >= y))                 \
  X(__vcmpgeu##n, unsigned, -(x >= y))               \
  X(__vcmpgts##n, signed, -(x > y))                  \
  X(__vcmpgtu##n, unsigned, -(x > y))                \
  X(__vcmples##n, signed, -(x <= y))                 \
  X(__vcmpleu##n, unsigned, -(x <= y))               \
  X(__vcmplts##n, signed, -(x < y))                  \
  X(__vcmpltu##n, unsigned, -(x < y))                \
  X(__vseteq##n, unsigned, x == y)                   \
  X(__vsetne##n, unsigned, x != y)                   \
  X(__vsetges##n, signed, x >= y)                    \
  X(__vsetgeu##n, unsigned, x >= y)                  \
  X(__vsetgts##n, signed, x > y)                     \
  X(__vsetgtu##n, unsigned, x > y)                   \
  X(__vsetles##n, signed, x <= y)                    \
  X(__vsetleu##n, unsigned, x <= y)                  \
  X(__vsetlts##n, signed, x < y)                     \
  X(__vsetltu##n, unsigned, x < y)
#define ONE_OPERAND(X, n)                   \
  X(__vabs##n, signed, x < 0 ? -x : x)      \
  X(__vabsss##n, signed, S(x < 0 ? -x : x)) \
  X(__vneg##n, signed, -x)                  \
  X(__vnegss##n, signed, S(-x))
#define SUMS(X, n)                             \
  X(__vsads##n, signed, x > y ? x - y : y - x) \
  X(__vsadu##n, unsigned, x > y ? x - y : y - x)

namespace {

int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
// Half, rounded away from zero from a half on, but -1/2 to 0: (sum + (sum >= 0)) / 2 towards minus infinity.
int halved_away(int sum) { return sum >= 0 ? (sum + 1) / 2 : -(-sum / 2) - (-sum % 2); }
int lane_of(std::uint32_t word, int lane, int bits, bool is_signed) {
  const std::int64_t value = word >> (lane * bits) & ((1u << bits) - 1);
  return static_cast<int>(is_signed && value >= 1 << (bits - 1) ? value - (1 << bits) : value);
}
template <class F>
std::uint32_t by_lane(std::uint32_t a, std::uint32_t b, int bits, bool is_signed, F f) {
  std::uint32_t result = 0;
  for (int lane = 0; lane < 32 / bits; ++lane) {
    const std::uint32_t v =
        static_cast<std::uint32_t>(f(lane_of(a, lane, bits, is_signed), lane_of(b, lane, bits, is_signed)));
    result |= (v & ((1u << bits) - 1)) << (lane * bits);
  }
  return result;
}

struct Words {
  std::uint32_t a, b, c;
};

template <class F>
__global__ void apply(const Words* in, std::uint32_t* out, int count, F f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = f(in[i]);
}
template <class F, class Reference>
void sweep(const char* name, const std::vector<Words>& inputs, F f, Reference reference) {
  Mirror<Words> in(inputs.size());
  Mirror<std::uint32_t> out(inputs.size());
  in.host = inputs;
  in.send();
  const int count = static_cast<int>(inputs.size());
  apply<<<(count + 255) / 256, 256>>>(in.device, out.device, count, f);
  out.fetch();
  for (int i = 0, reported = 0; i < count && reported < 3; ++i) {
    const std::uint32_t expected = reference(inputs[i]);
    if (out[i] == expected) continue;
    ++failures();
    ++reported;
    std::printf("%s of %08x %08x %08x: %08x instead of %08x\n", name, inputs[i].a, inputs[i].b, inputs[i].c, out[i],
                expected);
  }
}

std::vector<Words> pairs_of_bytes() {
  std::vector<Words> words;
  for (std::uint32_t pair = 0; pair < 65536; ++pair) {
    Words w{0, 0, 0};
    for (std::uint32_t lane = 0; lane < 4; ++lane) {  // another pair in each lane
      const std::uint32_t p = (pair + lane * 0x4321u) & 0xffff;
      w.a |= (p & 0xff) << (8 * lane);
      w.b |= (p >> 8) << (8 * lane);
    }
    words.push_back(w);
  }
  return words;
}
std::vector<Words> pairs_of_halves() {
  std::vector<Words> words;
  std::mt19937 random(4);
  const std::uint32_t corners[] = {0, 1, 2, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x4000, 0xc000, 0x1234};
  for (const std::uint32_t a : corners) {
    for (const std::uint32_t b : corners) {
      for (const std::uint32_t c : corners) words.push_back({a | b << 16, b | c << 16, c | a << 16});
    }
  }
  for (int i = 0; i < 4096; ++i)
    words.push_back({static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                     static_cast<std::uint32_t>(random())});
  return words;
}

#define IS_signed true
#define IS_unsigned false
#define CHECK_TWO(name, sign, value)                                           \
  sweep(                                                                       \
      #name, inputs, [] __device__(const Words& w) { return name(w.a, w.b); }, \
      [](const Words& w) { return by_lane(w.a, w.b, bits, IS_##sign, [](int x, int y) -> int { return value; }); });
#define CHECK_ONE(name, sign, value)                                      \
  sweep(                                                                  \
      #name, inputs, [] __device__(const Words& w) { return name(w.a); }, \
      [](const Words& w) { return by_lane(w.a, 0, bits, IS_##sign, [](int x, int) -> int { return value; }); });
#define CHECK_SUM(name, sign, value)                                                                  \
  sweep(                                                                                              \
      #name, inputs, [] __device__(const Words& w) { return name(w.a, w.b); },                        \
      [](const Words& w) {                                                                            \
        std::uint32_t sum = 0;                                                                        \
        for (int lane = 0; lane < 32 / bits; ++lane) {                                                \
          const int x = lane_of(w.a, lane, bits, IS_##sign), y = lane_of(w.b, lane, bits, IS_##sign); \
          sum += static_cast<std::uint32_t>(value);                                                   \
        }                                                                                             \
        return sum;                                                                                   \
      });

void check_bytes() {
  constexpr int bits = 8;
  const std::vector<Words> inputs = pairs_of_bytes();
  TWO_OPERANDS(CHECK_TWO, 4)
  ONE_OPERAND(CHECK_ONE, 4)
  SUMS(CHECK_SUM, 4)
}
void check_halves() {
  constexpr int bits = 16;
  const std::vector<Words> inputs = pairs_of_halves();
  TWO_OPERANDS(CHECK_TWO, 2)
  ONE_OPERAND(CHECK_ONE, 2)
  SUMS(CHECK_SUM, 2)
}

// --- three operands
// -------------------------------------------------------------------------------------------------------------
using Wide = std::int64_t;
Wide larger(Wide a, Wide b) { return a > b ? a : b; }
Wide smaller(Wide a, Wide b) { return a < b ? a : b; }
// A value of the lane, of three lanes: `wrap` brings a sum back into the type.
template <class F>
std::uint32_t of_three(const Words& w, int bits, bool is_signed, F f) {
  std::uint32_t result = 0;
  const std::uint64_t mask = (1ull << bits) - 1;
  const auto wrap = [&](Wide v) {
    const Wide low = static_cast<Wide>(static_cast<std::uint64_t>(v) & mask);
    return is_signed && low >> (bits - 1) != 0 ? low - static_cast<Wide>(mask) - 1 : low;
  };
  for (int at = 0; at < 32; at += bits) {
    const Wide v = f(wrap(w.a >> at), wrap(w.b >> at), wrap(w.c >> at), wrap);
    result |= static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) & mask) << at;
  }
  return result;
}
#define CHECK_THREE(name, type, bits, is_signed, value)                                                           \
  sweep(                                                                                                          \
      #name, inputs,                                                                                              \
      [] __device__(const Words& w) {                                                                             \
        return static_cast<std::uint32_t>(                                                                        \
            name(static_cast<type>(w.a), static_cast<type>(w.b), static_cast<type>(w.c)));                        \
      },                                                                                                          \
      [](const Words& w) {                                                                                        \
        return of_three(w, bits, is_signed, [](Wide x, Wide y, Wide z, auto wrap) { return (void)wrap, value; }); \
      });
#define CHECK_CHOICES(suffix, type, bits, is_signed)                               \
  CHECK_THREE(__viaddmax_##suffix, type, bits, is_signed, larger(wrap(x + y), z))  \
  CHECK_THREE(__viaddmin_##suffix, type, bits, is_signed, smaller(wrap(x + y), z)) \
  CHECK_THREE(__vimax3_##suffix, type, bits, is_signed, larger(larger(x, y), z))   \
  CHECK_THREE(__vimin3_##suffix, type, bits, is_signed, smaller(smaller(x, y), z))
#define CHECK_RECTIFIED(suffix, type, bits)                                              \
  CHECK_THREE(__viaddmax_##suffix, type, bits, true, larger(larger(wrap(x + y), z), 0))  \
  CHECK_THREE(__viaddmin_##suffix, type, bits, true, larger(smaller(wrap(x + y), z), 0)) \
  CHECK_THREE(__vimax3_##suffix, type, bits, true, larger(larger(larger(x, y), z), 0))   \
  CHECK_THREE(__vimin3_##suffix, type, bits, true, larger(smaller(smaller(x, y), z), 0))

void check_three_operands() {
  std::vector<Words> inputs = pairs_of_halves();
  CHECK_CHOICES(s32, int, 32, true)
  CHECK_CHOICES(u32, unsigned, 32, false)
  CHECK_CHOICES(s16x2, unsigned, 16, true)
  CHECK_CHOICES(u16x2, unsigned, 16, false)
  CHECK_RECTIFIED(s32_relu, int, 32)
  CHECK_RECTIFIED(s16x2_relu, unsigned, 16)
  sweep(
      "__vibmax_s16x2", inputs,
      [] __device__(const Words& w) {
        bool high, low;
        const unsigned word = __vibmax_s16x2(w.a, w.b, &high, &low);
        return word ^ (high ? 0x80000000u : 0u) ^ (low ? 0x8000u : 0u);
      },
      [](const Words& w) {
        return of_three(w, 16, true, [](Wide x, Wide y, Wide, auto) { return larger(x, y) ^ (x >= y ? 0x8000 : 0); });
      });
  sweep(
      "__vibmin_u32", inputs,
      [] __device__(const Words& w) {
        bool first;
        const unsigned word = __vibmin_u32(w.a, w.b, &first);
        return word ^ (first ? 0x80000000u : 0u);
      },
      [](const Words& w) { return (w.a < w.b ? w.a : w.b) ^ (w.a <= w.b ? 0x80000000u : 0u); });
}

}  // namespace

int main() {
  check_bytes();
  check_halves();
  check_three_operands();
  return finish();
}
