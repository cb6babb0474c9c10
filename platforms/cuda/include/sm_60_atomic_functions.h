// SPDX-License-Identifier: Apache-2.0
// cuda_runtime.h declares all of it.
#ifndef HEDDLE_SM_60_ATOMIC_FUNCTIONS_H
#define HEDDLE_SM_60_ATOMIC_FUNCTIONS_H
#define __SM_60_ATOMIC_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
