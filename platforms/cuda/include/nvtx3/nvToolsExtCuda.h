// SPDX-License-Identifier: Apache-2.0
// The same functions under the newer path.
#ifndef HEDDLE_NVTX3_NVTOOLSEXTCUDA_H
#define HEDDLE_NVTX3_NVTOOLSEXTCUDA_H
#include "../nvToolsExtCuda.h"
#endif
