// SPDX-License-Identifier: Apache-2.0
// Generator states under cuRAND's names. Programs may only rely on their size and on copying them.
#pragma once

// Normal numbers come in pairs; buffers the second of a pair.
struct HeddleCurandPair {
  int has_float;
  int has_double;
  float next_float;
  double next_double;
};

struct curandStateXORWOW {
  unsigned int d, v[5];
  HeddleCurandPair normal;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  HeddleCurandPair normal;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

struct curandStatePhilox4_32_10 {
  unsigned int counter[4];
  unsigned int key[2];
  unsigned int output[4];  // output for `counter`
  unsigned int used;       // number of `output` words consumed
  HeddleCurandPair normal;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
