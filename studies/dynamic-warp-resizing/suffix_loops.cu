// SPDX-License-Identifier: Apache-2.0
// suffix_matching with its loops as they are written: unrolled, its accesses have so many addresses in the code that an
// ignore list does not hold them. Source: docs/sources/dynamic-warp-resizing.md, 5 (MU, MP).
#define SUFFIX_LOOP _Pragma("unroll 1")
#include "../../workloads/suffix_matching.cu"
