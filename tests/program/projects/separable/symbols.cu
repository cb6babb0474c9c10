// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

__device__ int counter = 5;
__device__ float table[4] = {1, 2, 3, 4};
__constant__ int factors[2] = {10, 100};
__device__ int add_two(int x) { return x + 2; }
__device__ int (*chosen)(int) = add_two;
