// SPDX-License-Identifier: Apache-2.0
// The public header has it.
#ifndef HEDDLE_CRT_DEVICE_FUNCTIONS_H
#define HEDDLE_CRT_DEVICE_FUNCTIONS_H
#include "../cuda_runtime.h"
#endif
