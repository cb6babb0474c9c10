// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h declares all of it.
#ifndef HEDDLE_MATH_FUNCTIONS_DBL_PTX3_H
#define HEDDLE_MATH_FUNCTIONS_DBL_PTX3_H
#include "cuda_runtime.h"
#endif
