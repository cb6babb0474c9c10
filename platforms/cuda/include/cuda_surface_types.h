// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h declares all of it.
#ifndef HEDDLE_CUDA_SURFACE_TYPES_H
#define HEDDLE_CUDA_SURFACE_TYPES_H
#define __CUDA_SURFACE_TYPES_H__
#include "cuda_runtime.h"
#endif
