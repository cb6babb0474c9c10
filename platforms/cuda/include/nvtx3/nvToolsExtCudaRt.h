// SPDX-License-Identifier: Apache-2.0
// The same functions under the newer path.
#ifndef HEDDLE_NVTX3_NVTOOLSEXTCUDART_H
#define HEDDLE_NVTX3_NVTOOLSEXTCUDART_H
#include "../nvToolsExtCudaRt.h"
#endif
