// SPDX-License-Identifier: Apache-2.0
// Registration of symbols that the device code lacks, as a compiler writes it for every module.
#include "expect.h"

extern "C" void** __cudaRegisterFatBinary(void* wrapper);
extern "C" void __cudaRegisterFunction(void** module, const char* host, char* device, const char* name, int limit,
                                       void* thread, void* block, void* block_size, void* grid_size, int* warp_size);
extern "C" void __cudaRegisterVar(void** module, char* host, char* device, const char* name, int external, size_t size,
                                  int constant, int global);

static const char kPtx[] = R"(
.version 6.4
.target sm_70
.address_size 64
.extern .func absent_function;
.visible .entry present() { ret; }
.visible .entry calls_absent()
{
  call absent_function;
  ret;
}
)";
struct Wrapper {
  unsigned magic, version;
  const void* data;
  const void* members;
};
static Wrapper wrapper = {0x466243b1, 1, kPtx, nullptr};
static char present, absent, calls_absent, variable;
__attribute__((section("heddle_managed"))) static int managed = 1;

int main() {
  void** module = __cudaRegisterFatBinary(&wrapper);
  const auto add = [&](char* host, const char* name) {
    __cudaRegisterFunction(module, host, const_cast<char*>(name), name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  add(&present, "present");
  add(&absent, "absent_kernel");
  add(&calls_absent, "calls_absent");
  __cudaRegisterVar(module, &variable, const_cast<char*>("absent_variable"), "absent_variable", 0, 4, 0, 0);
  __cudaRegisterVar(module, reinterpret_cast<char*>(&managed), const_cast<char*>("absent_managed"), "absent_managed", 0, 4, 0, 0);
  const auto launch = [](const char* host) { return cudaLaunchKernel(host, dim3(1), dim3(1), nullptr, 0, nullptr); };
  EXPECT_CODE(launch(&absent), cudaErrorInvalidDeviceFunction);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  OK(cudaGetLastError());
  EXPECT_CODE(launch(&calls_absent), cudaErrorInvalidPtx);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidPtx);
  int value = 0;
  EXPECT_CODE(cudaMemcpyToSymbol(variable, &value, 4), cudaErrorInvalidSymbol);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidSymbol);
  OK(launch(&present));
  OK(cudaDeviceSynchronize());
  return finish();
}
