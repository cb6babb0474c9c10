// SPDX-License-Identifier: Apache-2.0
// Device symbols of every kind, used by other files.
#pragma once

extern __device__ int counter;
extern __device__ float table[4];
extern __constant__ int factors[2];
extern __device__ int (*chosen)(int);
__device__ int add_two(int x);
namespace parts {
__device__ int scaled(int x);
}
int count_of_library();  // in a static library, with a kernel of its own
int answer_of_plugin();  // in a shared library, whose device symbols are its own
