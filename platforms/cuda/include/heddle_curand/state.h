// SPDX-License-Identifier: Apache-2.0
// The states of the generators, by cuRAND's names. What a program may rely on is their size and that they can be
// copied.
#pragma once

// Normal numbers come in pairs: the second of a pair waits here.
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
  unsigned int output[4];  // of `counter`
  unsigned int used;       // how many of `output` were taken
  HeddleCurandPair normal;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
