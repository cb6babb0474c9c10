// SPDX-License-Identifier: Apache-2.0
// cuRAND's device functions: generators XORWOW, MRG32k3a and Philox4_32_10, and distributions.
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "curand.h"
#include "heddle_curand/discrete.h"
#include "heddle_curand/mrg32k3a.h"
#include "heddle_curand/normal.h"
#include "heddle_curand/philox.h"
#include "heddle_curand/uniform.h"
#include "heddle_curand/unsupported.h"
#include "heddle_curand/xorwow.h"

#endif
