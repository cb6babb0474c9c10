// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10. Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011). The seed is
// the key, the subsequence the upper half of the counter, and the offset its lower half.
#pragma once

#include "../vector_functions.h"
#include "macros.h"
#include "state.h"

namespace heddle_curand {

HEDDLE_CURAND void philox_round(unsigned int* c, unsigned int key0, unsigned int key1) {
  const unsigned long long a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
  const unsigned int next0 = static_cast<unsigned int>(b >> 32) ^ c[1] ^ key0;
  const unsigned int next2 = static_cast<unsigned int>(a >> 32) ^ c[3] ^ key1;
  c[0] = next0;
  c[1] = static_cast<unsigned int>(b);
  c[2] = next2;
  c[3] = static_cast<unsigned int>(a);
}

HEDDLE_CURAND void philox_output(curandStatePhilox4_32_10_t* state) {
  unsigned int c[4], key0 = state->key[0], key1 = state->key[1];
  for (int i = 0; i < 4; ++i) c[i] = state->counter[i];
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    philox_round(c, key0, key1);
    key0 += 0x9e3779b9u;  // the golden ratio
    key1 += 0xbb67ae85u;  // sqrt(3) - 1
  }
  for (int i = 0; i < 4; ++i) state->output[i] = c[i];
}

/// Adds to the 128-bit counter from its 32-bit word `first` on.
HEDDLE_CURAND void philox_advance(curandStatePhilox4_32_10_t* state, int first, unsigned long long n) {
  unsigned long long carry = 0;
  for (int i = 0; i < 4; ++i) {
    if (i < first) continue;
    const unsigned long long sum = (i - first < 2 ? n >> (32 * (i - first)) & 0xffffffffu : 0) + carry +
                                   static_cast<unsigned long long>(state->counter[i]);
    state->counter[i] = static_cast<unsigned int>(sum);
    carry = sum >> 32;
  }
}

}  // namespace heddle_curand

HEDDLE_CURAND unsigned int curand(curandStatePhilox4_32_10_t* state) {
  if (state->used == 4) {
    heddle_curand::philox_advance(state, 0, 1);
    heddle_curand::philox_output(state);
    state->used = 0;
  }
  const unsigned int taken = state->used++;
  return taken == 0   ? state->output[0]
         : taken == 1 ? state->output[1]
         : taken == 2 ? state->output[2]
                      : state->output[3];
}

/// The next four numbers.
HEDDLE_CURAND uint4 curand4(curandStatePhilox4_32_10_t* state) {
  uint4 four;
  four.x = curand(state);
  four.y = curand(state);
  four.z = curand(state);
  four.w = curand(state);
  return four;
}

HEDDLE_CURAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned int used = state->used + static_cast<unsigned int>(n & 3);
  heddle_curand::philox_advance(state, 0, (n >> 2) + (used >> 2));
  state->used = used & 3;
  heddle_curand::philox_output(state);
}
/// Skips sequences of 2^66 numbers each, given by a 64-bit counter.
HEDDLE_CURAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  heddle_curand::philox_advance(state, 2, n);
  heddle_curand::philox_output(state);
}

HEDDLE_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStatePhilox4_32_10_t* state) {
  *state = curandStatePhilox4_32_10_t();
  state->key[0] = static_cast<unsigned int>(seed);
  state->key[1] = static_cast<unsigned int>(seed >> 32);
  state->counter[2] = static_cast<unsigned int>(subsequence);
  state->counter[3] = static_cast<unsigned int>(subsequence >> 32);
  skipahead(offset, state);
}
