// SPDX-License-Identifier: Apache-2.0
// MRG32k3a. Source: L'Ecuyer, Good parameters and implementations for combined multiple recursive random number
// generators (1999); the distances of its streams: L'Ecuyer, Simard, Chen, Kelton (2002).
#pragma once

#include "macros.h"
#include "seed.h"
#include "state.h"

namespace heddle_curand {

constexpr unsigned int kMrgM1 = 4294967087u, kMrgM2 = 4294944443u;

struct MrgMatrix {
  unsigned int at[3][3];
};
// One step of the two components, and 2^76 and 2^127 steps.
constexpr MrgMatrix mrg_step(int component) {
  return component == 0 ? MrgMatrix{{{0, 1, 0}, {0, 0, 1}, {kMrgM1 - 810728u, 1403580u, 0}}}
                        : MrgMatrix{{{0, 1, 0}, {0, 0, 1}, {kMrgM2 - 1370589u, 0, 527612u}}};
}
constexpr MrgMatrix mrg_subsequence(int component) {
  return component == 0 ? MrgMatrix{{{82758667u, 1871391091u, 4127413238u},
                                     {3672831523u, 69195019u, 1871391091u},
                                     {3672091415u, 3528743235u, 69195019u}}}
                        : MrgMatrix{{{1511326704u, 3759209742u, 1610795712u},
                                     {4292754251u, 1511326704u, 3889917532u},
                                     {3859662829u, 4292754251u, 3708466080u}}};
}
constexpr MrgMatrix mrg_sequence(int component) {
  return component == 0 ? MrgMatrix{{{2427906178u, 3580155704u, 949770784u},
                                     {226153695u, 1230515664u, 3580155704u},
                                     {1988835001u, 986791581u, 1230515664u}}}
                        : MrgMatrix{{{1464411153u, 277697599u, 1610723613u},
                                     {32183930u, 1464411153u, 1022607788u},
                                     {2824425944u, 32183930u, 2093834863u}}};
}

HEDDLE_CURAND unsigned int mrg_sum(const unsigned int* row, unsigned int x, unsigned int y, unsigned int z,
                                   unsigned int modulus) {
  unsigned long long sum = static_cast<unsigned long long>(row[0]) * x % modulus;
  sum += static_cast<unsigned long long>(row[1]) * y % modulus;
  sum += static_cast<unsigned long long>(row[2]) * z % modulus;
  return static_cast<unsigned int>(sum % modulus);
}

// state = matrix^n state, squaring the matrix for each bit of n.
HEDDLE_CURAND void mrg_jump(MrgMatrix matrix, unsigned long long n, unsigned int modulus, unsigned int* state) {
#pragma unroll 1
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) {
      unsigned int next[3];
      for (int i = 0; i < 3; ++i) next[i] = mrg_sum(matrix.at[i], state[0], state[1], state[2], modulus);
      for (int i = 0; i < 3; ++i) state[i] = next[i];
    }
    MrgMatrix square;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        square.at[i][j] = mrg_sum(matrix.at[i], matrix.at[0][j], matrix.at[1][j], matrix.at[2][j], modulus);
      }
    }
    matrix = square;
  }
}

// The next number, 1 to m1.
HEDDLE_CURAND unsigned int mrg_next(curandStateMRG32k3a_t* state) {
  unsigned int* a = state->s1;
  unsigned int* b = state->s2;
  const unsigned long long p1 = (1403580ull * a[1] + static_cast<unsigned long long>(kMrgM1 - 810728u) * a[0]) % kMrgM1;
  const unsigned long long p2 = (527612ull * b[2] + static_cast<unsigned long long>(kMrgM2 - 1370589u) * b[0]) % kMrgM2;
  a[0] = a[1];
  a[1] = a[2];
  a[2] = static_cast<unsigned int>(p1);
  b[0] = b[1];
  b[1] = b[2];
  b[2] = static_cast<unsigned int>(p2);
  return static_cast<unsigned int>(p1 > p2 ? p1 - p2 : p1 + kMrgM1 - p2);
}

}  // namespace heddle_curand

/// 32 bits: the number scaled from its range of m1 values.
HEDDLE_CURAND unsigned int curand(curandStateMRG32k3a_t* state) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(heddle_curand::mrg_next(state) - 1) << 32) /
                                   heddle_curand::kMrgM1);
}

HEDDLE_CURAND void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  heddle_curand::mrg_jump(heddle_curand::mrg_step(0), n, heddle_curand::kMrgM1, state->s1);
  heddle_curand::mrg_jump(heddle_curand::mrg_step(1), n, heddle_curand::kMrgM2, state->s2);
}
/// Skips sequences of 2^76 numbers each.
HEDDLE_CURAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  heddle_curand::mrg_jump(heddle_curand::mrg_subsequence(0), n, heddle_curand::kMrgM1, state->s1);
  heddle_curand::mrg_jump(heddle_curand::mrg_subsequence(1), n, heddle_curand::kMrgM2, state->s2);
}
/// Skips sequences of 2^127 numbers each.
HEDDLE_CURAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  heddle_curand::mrg_jump(heddle_curand::mrg_sequence(0), n, heddle_curand::kMrgM1, state->s1);
  heddle_curand::mrg_jump(heddle_curand::mrg_sequence(1), n, heddle_curand::kMrgM2, state->s2);
}

HEDDLE_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateMRG32k3a_t* state) {
  *state = curandStateMRG32k3a_t();
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = state->s2[i] = 12345u;
    if (seed == 0) continue;
    const unsigned long long word = heddle_curand::seed_word(seed, i);
    state->s1[i] = static_cast<unsigned int>((12345u + (word & 0xffffffffu)) % heddle_curand::kMrgM1);
    state->s2[i] = static_cast<unsigned int>((12345u + (word >> 32)) % heddle_curand::kMrgM2);
  }
  if ((state->s1[0] | state->s1[1] | state->s1[2]) == 0) state->s1[0] = 1;
  if ((state->s2[0] | state->s2[1] | state->s2[2]) == 0) state->s2[0] = 1;
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}
