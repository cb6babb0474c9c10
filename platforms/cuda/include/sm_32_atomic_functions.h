// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h declares all of it.
#ifndef HEDDLE_SM_32_ATOMIC_FUNCTIONS_H
#define HEDDLE_SM_32_ATOMIC_FUNCTIONS_H
#define __SM_32_ATOMIC_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
