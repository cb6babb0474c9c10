// SPDX-License-Identifier: Apache-2.0
// Kernels cannot launch kernels on Heddle's machines; the host API is in cuda_runtime_api.h.
#ifndef HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "driver_types.h"
#endif
