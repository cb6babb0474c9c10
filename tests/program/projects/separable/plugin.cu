// SPDX-License-Identifier: Apache-2.0
__device__ int counter = 1000;  // not the program's: a shared library has a separate device link
__device__ int add_two(int x) { return x + 20; }

__global__ void ask(int* out) { *out = add_two(counter); }

int answer_of_plugin() {
  int *out = nullptr, answer = 0;
  cudaMalloc(&out, sizeof *out);
  ask<<<1, 1>>>(out);
  cudaMemcpy(&answer, out, sizeof answer, cudaMemcpyDeviceToHost);
  cudaFree(out);
  return answer;
}
