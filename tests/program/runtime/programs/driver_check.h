// SPDX-License-Identifier: Apache-2.0
// Checks for programs that use only the driver API.
#pragma once

#include <cuda.h>

#include "failures.h"

static const char* driver_error_name(CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  return name != nullptr ? name : "?";
}

#define EXPECT_CODE(call, code) EXPECT_RESULT(call, code, driver_error_name)
#define OK(call) EXPECT_CODE(call, CUDA_SUCCESS)
