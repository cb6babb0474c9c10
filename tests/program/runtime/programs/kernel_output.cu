// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc, free and new in kernels. The first argument selects one.
#include <cassert>

#include "expect.h"

__global__ void print_values(int n) {
  if (threadIdx.x < n) {
    const int result = printf("thread %d of %s: %5.2f %c %llx %%\n", threadIdx.x, "block", threadIdx.x * 0.5, 'a' + threadIdx.x, 1ull << (32 + threadIdx.x));
    if (result != 5) printf("printf gave %d\n", result);
  }
}
__global__ void print_plain() { printf("plain\n"); }
__global__ void fails(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }
struct Node {
  int value;
  Node* next;
};
__global__ void lists(int* out, int length) {
  Node* head = nullptr;
  for (int i = 0; i < length; ++i) head = new Node{i, head};
  int sum = 0;
  while (head != nullptr) {
    Node* next = head->next;
    sum += head->value;
    delete head;
    head = next;
  }
  out[threadIdx.x] = sum;
}
// Pointers are passed through memory, because the compiler removes allocations that it sees being freed.
__device__ void* volatile blocks[3];
__global__ void too_much(int* out) {
  for (int i = 0; i < 2; ++i) blocks[i] = malloc(5 << 20);
  out[0] = blocks[0] != nullptr;
  out[1] = blocks[1] != nullptr;
  free(blocks[0]);
  free(blocks[1]);
  blocks[2] = malloc(5 << 20);
  out[2] = blocks[2] != nullptr;
  free(blocks[2]);
}
__global__ void bad_free(int* out) { free(out); }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int* out = nullptr;
  OK(cudaMalloc(&out, 4096));
  if (strcmp(what, "printf") == 0) {
    printf("before\n");
    print_values<<<1, 32>>>(3);
    printf("launched\n");
    OK(cudaDeviceSynchronize());
    printf("after\n");
  } else if (strcmp(what, "unflushed") == 0) {
    print_plain<<<1, 1>>>();
    printf("done\n");
    return 0;
  } else if (strcmp(what, "assert") == 0) {
    fails<<<2, 32>>>(30);
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorAssert);
    EXPECT_CODE(cudaGetLastError(), cudaErrorAssert);
    EXPECT_CODE(cudaMalloc(&out, 4), cudaErrorAssert);
    EXPECT_CODE(cudaGetLastError(), cudaErrorAssert);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&out, 4));
  } else if (strcmp(what, "heap") == 0) {
    lists<<<1, 64>>>(out, 20);
    int host[64];
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host) EXPECT(value == 190);
    too_much<<<1, 1>>>(out);
    OK(cudaMemcpy(host, out, 12, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 1 && host[1] == 0 && host[2] == 1);
    bad_free<<<1, 1>>>(out);
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_CODE(cudaGetLastError(), cudaErrorIllegalAddress);
  }
  return finish();
}
