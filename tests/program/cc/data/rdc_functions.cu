// SPDX-License-Identifier: Apache-2.0
// Only device code: no host symbol causes a linker to take this member out of a library.
#include "rdc_shared.h"
__device__ int shared_counter;
__device__ float square(float x) { return x * x; }
