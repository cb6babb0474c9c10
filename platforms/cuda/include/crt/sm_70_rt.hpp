// SPDX-License-Identifier: Apache-2.0
// The public header has it.
#ifndef HEDDLE_CRT_SM_70_RT_HPP
#define HEDDLE_CRT_SM_70_RT_HPP
#include "../cuda_runtime.h"
#endif
