// SPDX-License-Identifier: Apache-2.0
// Unsupported generators. Their states are declared so that the error names the generator.
#pragma once

#define HEDDLE_CURAND_ABSENT(name, generator)                                                             \
  typedef struct HeddleAbsent_##name name                                                                 \
      __attribute__((unavailable("Heddle does not provide the " generator                                 \
                                 " generator of cuRAND; there are XORWOW, MRG32k3a and Philox4_32_10"))); \
  typedef struct HeddleAbsent_##name name##_t                                                             \
      __attribute__((unavailable("Heddle does not provide the " generator                                 \
                                 " generator of cuRAND; there are XORWOW, MRG32k3a and Philox4_32_10")));
HEDDLE_CURAND_ABSENT(curandStateMtgp32, "MTGP32")
HEDDLE_CURAND_ABSENT(curandStateSobol32, "Sobol")
HEDDLE_CURAND_ABSENT(curandStateSobol64, "Sobol")
HEDDLE_CURAND_ABSENT(curandStateScrambledSobol32, "scrambled Sobol")
HEDDLE_CURAND_ABSENT(curandStateScrambledSobol64, "scrambled Sobol")
#undef HEDDLE_CURAND_ABSENT
