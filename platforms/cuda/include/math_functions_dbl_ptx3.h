// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h declares all of it.
#ifndef HEDDLE_MATH_FUNCTIONS_DBL_PTX3_H
#define HEDDLE_MATH_FUNCTIONS_DBL_PTX3_H
#define __MATH_FUNCTIONS_DBL_PTX3_H__
#include "cuda_runtime.h"
#endif
