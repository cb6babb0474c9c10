// SPDX-License-Identifier: Apache-2.0
// Derives a generator's initial state from the published one and a seed. cuRAND's method is not published; here, seed 0
// gives the published state.
#pragma once

#include "macros.h"

namespace heddle_curand {

// SplitMix64 (Steele, Lea, Flood 2014): the n-th number of the stream that starts at `seed`.
HEDDLE_CURAND unsigned long long seed_word(unsigned long long seed, unsigned int n) {
  unsigned long long z = seed + (n + 1ull) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace heddle_curand
