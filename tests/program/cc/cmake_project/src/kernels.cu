// SPDX-License-Identifier: Apache-2.0
__global__ void in_library(int* p) { *p = 1; }
void call_library() { in_library<<<3, 1>>>(nullptr); }
