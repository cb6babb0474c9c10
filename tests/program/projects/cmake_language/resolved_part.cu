// SPDX-License-Identifier: Apache-2.0
__device__ int square(int x) { return x * x; }
