// SPDX-License-Identifier: Apache-2.0
// The same functions under the newer path.
#ifndef HEDDLE_NVTX3_NVTOOLSEXT_H
#define HEDDLE_NVTX3_NVTOOLSEXT_H
#include "../nvToolsExt.h"
#endif
