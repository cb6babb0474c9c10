// SPDX-License-Identifier: Apache-2.0
// Everything available to kernels without an include. Order matters: device declarations of library names precede the
// host library's headers, so that its constexpr functions with the same signatures remain host functions.
#pragma once

#include "macros.h"
//
#include "../heddle_math/declare.h"
#include "builtin_variables.h"
#include "classification.h"
#include "libc.h"
//
#include <math.h>

#include <cstdlib>
#include <new>
//
#include "../heddle_math/minmax.h"
#include "atomics.h"
#include "control.h"
#include "conversions.h"
#include "dynamic_programming.h"
#include "guards.h"
#include "integer.h"
#include "managed.h"
#include "memory.h"
#include "simd.h"
#include "synchronize.h"
#include "surface.h"
#include "texture.h"
#include "warp.h"
//
#if defined(__CUDA_ARCH__)
#include "../heddle_math/define.h"
#include "complex.h"
#endif
#include "../heddle_math/host.h"
