// SPDX-License-Identifier: Apache-2.0
// The public header has it.
#ifndef HEDDLE_CRT_SM_70_RT_H
#define HEDDLE_CRT_SM_70_RT_H
#include "../cuda_runtime.h"
#endif
