// SPDX-License-Identifier: Apache-2.0
// Checks for programs that use the runtime API.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

#include "failures.h"

#define EXPECT_CODE(call, code) EXPECT_RESULT(call, code, cudaGetErrorName)
#define OK(call) EXPECT_CODE(call, cudaSuccess)
