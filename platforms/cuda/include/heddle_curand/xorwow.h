// SPDX-License-Identifier: Apache-2.0
// XORWOW. Source: Marsaglia, Xorshift RNGs (2003), section 3.1.
#pragma once

#include "macros.h"
#include "seed.h"
#include "state.h"
#include "xorwow_jumps.h"

namespace heddle_curand {

HEDDLE_CURAND void xorwow_shift(unsigned int* v) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  const unsigned int last = v[4];
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = (last ^ (last << 4)) ^ (t ^ (t << 1));
}

// Multiplies the state by a polynomial: sums the stepped states whose coefficients are 1.
HEDDLE_CURAND void xorwow_jump(unsigned int* v, const unsigned int* polynomial) {
  unsigned int sum[5] = {0, 0, 0, 0, 0};
#pragma unroll 1
  for (int word = 0; word < 5; ++word) {
    unsigned int coefficients = polynomial[word];
#pragma unroll 4
    for (int bit = 0; bit < 32; ++bit) {
      const unsigned int taken = 0u - (coefficients & 1u);
      coefficients >>= 1;
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & taken;
      xorwow_shift(v);
    }
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

constexpr unsigned int kXorwowStep = 362437u;  // increment of the counter added to the shifted words

HEDDLE_CURAND void xorwow_skip_sequences(unsigned long long n, curandStateXORWOW_t* state) {
  for (int place = 0; n != 0; ++place, n >>= 4) {
    if ((n & 15) != 0) xorwow_jump(state->v, xorwow_sequence_jumps[place][(n & 15) - 1]);
  }  // 2^67 numbers are a multiple of the counter's period
}

HEDDLE_CURAND void xorwow_skip(unsigned long long n, curandStateXORWOW_t* state) {
  state->d += static_cast<unsigned int>(n) * kXorwowStep;
  for (int place = 0; n != 0; ++place, n >>= 2) {
    if ((n & 3) != 0) xorwow_jump(state->v, xorwow_offset_jumps[place][(n & 3) - 1]);
  }
}

}  // namespace heddle_curand

HEDDLE_CURAND unsigned int curand(curandStateXORWOW_t* state) {
  heddle_curand::xorwow_shift(state->v);
  state->d += heddle_curand::kXorwowStep;
  return state->d + state->v[4];
}

HEDDLE_CURAND void skipahead(unsigned long long n, curandStateXORWOW_t* state) { heddle_curand::xorwow_skip(n, state); }
HEDDLE_CURAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  heddle_curand::xorwow_skip_sequences(n, state);
}

HEDDLE_CURAND void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                               curandStateXORWOW_t* state) {
  *state = curandStateXORWOW_t();
  const unsigned int start[5] = {123456789u, 362436069u, 521288629u, 88675123u, 5783321u};
  for (int i = 0; i < 5; ++i) state->v[i] = start[i];
  state->d = 6615241u;
  if (seed != 0) {
    const unsigned long long words[3] = {heddle_curand::seed_word(seed, 0), heddle_curand::seed_word(seed, 1),
                                         heddle_curand::seed_word(seed, 2)};
    for (int i = 0; i < 5; ++i) state->v[i] ^= static_cast<unsigned int>(words[i / 2] >> (i % 2 * 32));
    state->d += static_cast<unsigned int>(words[2] >> 32);
    if ((state->v[0] | state->v[1] | state->v[2] | state->v[3] | state->v[4]) == 0) state->v[0] = 1;
  }
  heddle_curand::xorwow_skip_sequences(sequence, state);
  heddle_curand::xorwow_skip(offset, state);
}
