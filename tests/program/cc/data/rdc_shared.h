// SPDX-License-Identifier: Apache-2.0
#pragma once
__device__ float square(float x);
extern __device__ int shared_counter;
void launch_scale(float* p);
