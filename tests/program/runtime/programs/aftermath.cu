// SPDX-License-Identifier: Apache-2.0
// What a program can still do after a failure, and how it ends. The first argument selects the case.
#include <csignal>
#include <unistd.h>
#include <vector>

#include "expect.h"

__global__ void fill(int* out, int value) { out[threadIdx.x] = value + threadIdx.x; }
__global__ void twice(int* out) { out[threadIdx.x] *= 2; }
// Its name is not what is wrong with it.
__global__ void misaligned(int* out) { out[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int* out) { out[threadIdx.x] = 1; }

__attribute__((noinline)) void no_kernel_at_all() { printf("called\n"); }

static volatile sig_atomic_t handled = 0;
static void handle(int) { handled = 1; }

static int* data = nullptr;

static void expect_filled(int value) {
  fill<<<1, 32>>>(data, value);
  twice<<<1, 32>>>(data);
  int host[32];
  OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == 2 * (value + i));
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const auto is = [what](const char* name) { return strcmp(what, name) == 0; };
  if (is("own-handler")) signal(SIGINT, handle);
  OK(cudaMalloc(&data, 1024));
  if (is("clean")) {
    expect_filled(5);
    for (int i = 0; i < 2; ++i) {
      OK(cudaDeviceReset());
      OK(cudaMalloc(&data, 1024));
      expect_filled(7 + i);
    }
    return finish();
  }
  if (is("fault")) {
    fill<<<4, 32>>>(data + (1 << 20), 1);
    EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&data, 1024));
    fill<<<1, 32>>>(data, 3);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    int host[32] = {};
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[31]);
    return finish();
  }
  if (is("misnamed")) {
    misaligned<<<1, 32>>>(data + (1 << 20));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  if (is("refused") || is("refused-asked")) {
    bounded<<<1, 128>>>(data);
    OK(cudaDeviceSynchronize());
    if (is("refused-asked")) EXPECT_CODE(cudaGetLastError(), cudaErrorLaunchOutOfResources);
    return finish();
  }
  if (is("cooperative")) {
    void* arguments[] = {&data};
    EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(twice), dim3(1 << 20), dim3(64), arguments, 0,
                                       nullptr) == cudaErrorCooperativeLaunchTooLarge);
    return finish();
  }
  if (is("unregistered")) {
    void* arguments[] = {&data};
    cudaLaunchKernel(reinterpret_cast<const void*>(no_kernel_at_all), dim3(1), dim3(32), arguments, 0, nullptr);
    return finish();
  }
  if (is("array")) {
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&array, &texel, 8, 8));
    const size_t huge = ~size_t{0} - 3;
    EXPECT(cudaMemcpyArrayToArray(array, 0, 0, array, 0, 0, huge, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpyArrayToArray(array, 0, 0, array, 4, 8, 4, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2DToArray(array, huge, 0, data, 32, 8, 1, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemset2D(data, size_t{1} << 63, 0, 4, 3) == cudaErrorInvalidValue);
    OK(cudaMemcpyArrayToArray(array, 0, 0, array, 0, 4, 128, cudaMemcpyDeviceToDevice));
    return finish();
  }
  // Between kernels, a signal.
  expect_filled(1);
  const int signal_number = is("terminate") ? SIGTERM : SIGINT;
  if (is("child")) {
    const pid_t child = fork();
    if (child == 0) {
      raise(SIGINT);
      _exit(1);
    }
    sleep(1);
    expect_filled(2);
    return finish();
  }
  kill(getpid(), signal_number);
  if (is("own-handler")) {
    EXPECT(handled == 1);
    return finish();
  }
  for (;;) pause();
}
