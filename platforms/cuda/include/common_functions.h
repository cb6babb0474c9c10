// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h declares all of it.
#ifndef HEDDLE_COMMON_FUNCTIONS_H
#define HEDDLE_COMMON_FUNCTIONS_H
#define __COMMON_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
