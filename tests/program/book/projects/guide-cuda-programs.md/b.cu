// SPDX-License-Identifier: Apache-2.0
__device__ int twice(int value) { return 2 * value; }
