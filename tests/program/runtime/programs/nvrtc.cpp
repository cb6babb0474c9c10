// SPDX-License-Identifier: Apache-2.0
// A host program that compiles its kernels at run time and launches them with the driver API. Checks its own results.
#include <nvrtc.h>

#include <string>
#include <vector>

#include "driver_check.h"

static const char* const kSource = R"(
#include "scale.h"
template <typename T>
__global__ void scaled(T* values, T factor) { values[threadIdx.x] = scale(T(threadIdx.x), factor); }
namespace inner { __constant__ int offset; }
extern "C" __global__ void shifted(int* values) { values[threadIdx.x] += inner::offset + STEP; }
)";
static const char* const kHeader =
    "template <typename T> __device__ T scale(T value, T factor) { return value * factor; }\n";

static std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  EXPECT(nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS);
  std::string log(size, '\0');
  EXPECT(nvrtcGetProgramLog(program, &log[0]) == NVRTC_SUCCESS);
  return log;
}

static void compiled_and_run() {
  nvrtcProgram program;
  const char *headers[] = {kHeader}, *names[] = {"scale.h"};
  EXPECT(nvrtcCreateProgram(&program, kSource, "kernels.cu", 1, headers, names) == NVRTC_SUCCESS);
  EXPECT(nvrtcAddNameExpression(program, "scaled<float>") == NVRTC_SUCCESS);
  EXPECT(nvrtcAddNameExpression(program, "&inner::offset") == NVRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT(nvrtcGetLoweredName(program, "scaled<float>", &name) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  const char* options[] = {"--gpu-architecture=compute_70", "-DSTEP=100", "--std=c++14", "-lineinfo",
                           "-default-device"};
  const nvrtcResult result = nvrtcCompileProgram(program, 5, options);
  EXPECT(result == NVRTC_SUCCESS);
  if (result != NVRTC_SUCCESS) std::printf("%s\n", log_of(program).c_str());
  EXPECT(nvrtcAddNameExpression(program, "late") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  std::size_t size = 0;
  EXPECT(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS);
  std::string ptx(size, '\0');
  EXPECT(nvrtcGetPTX(program, &ptx[0]) == NVRTC_SUCCESS);
  EXPECT(ptx.find("kernels.cu") != std::string::npos && ptx.find("heddle_nvrtc") == std::string::npos);
  EXPECT(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS && size == 0);

  CUmodule module;
  CUfunction scaled, shifted;
  CUdeviceptr data, offset;
  OK(cuModuleLoadData(&module, ptx.c_str()));
  EXPECT(nvrtcGetLoweredName(program, "scaled<float>", &name) == NVRTC_SUCCESS);
  OK(cuModuleGetFunction(&scaled, module, name));
  EXPECT(nvrtcGetLoweredName(program, "&inner::offset", &name) == NVRTC_SUCCESS);
  OK(cuModuleGetGlobal(&offset, &size, module, name));
  EXPECT(nvrtcGetLoweredName(program, "none", &name) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  OK(cuModuleGetFunction(&shifted, module, "shifted"));
  OK(cuMemAlloc(&data, 128));
  float factor = 1.5f, floats[32];
  void* arguments[] = {&data, &factor};
  OK(cuLaunchKernel(scaled, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuMemcpyDtoH(floats, data, 128));
  EXPECT(floats[2] == 3.0f && floats[31] == 46.5f);
  const int seven = 7;
  int words[32];
  OK(cuMemcpyHtoD(offset, &seven, 4));
  OK(cuMemsetD32(data, 1, 32));
  OK(cuLaunchKernel(shifted, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuMemcpyDtoH(words, data, 128));
  EXPECT(words[0] == 108 && words[31] == 108);
  OK(cuMemFree(data));
  OK(cuModuleUnload(module));
  EXPECT(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS && program == nullptr);
}

// Functions of every kind without an execution space.
static const char* const kUnmarked = R"(
#include "unmarked.h"
int plain(int value) { return value + 1; }
template <typename T> T generic(T value) { return plain(value) * 2; }
struct Counter {
  explicit Counter(int from) : value(from) {}
  int next() { return ++value; }
  static int twice(int v) { return 2 * v; }
  int value;
};
__device__ int marked(int value) { return value - __popc(value); }
__host__ __device__ int both(int value) { return value; }
extern "C" __global__ void k(int* values) {
  Counter counter(generic(int(threadIdx.x)));
  const auto add = [&](int more) { return both(counter.next()) + more; };
  values[threadIdx.x] = add(Counter::twice(marked(8))) + from_header(1);
}
)";

static void functions_are_the_devices_when_asked_for() {
  for (const char* option : {"-default-device", "--device-as-default-execution-space", "-lineinfo"}) {
    const bool asked = std::string(option) != "-lineinfo";
    const char *header = "inline int from_header(int value) { return 100 * value; }", *name = "unmarked.h";
    nvrtcProgram program;
    EXPECT(nvrtcCreateProgram(&program, kUnmarked, "unmarked.cu", 1, &header, &name) == NVRTC_SUCCESS);
    const nvrtcResult result = nvrtcCompileProgram(program, 1, &option);
    EXPECT(result == (asked ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION));
    if (!asked) EXPECT(log_of(program).find("unmarked.cu:") != std::string::npos);
    std::size_t size = 0;
    if (asked && nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS) {
      std::string ptx(size, '\0');
      EXPECT(nvrtcGetPTX(program, &ptx[0]) == NVRTC_SUCCESS);
      CUmodule module;
      CUfunction k;
      CUdeviceptr data;
      OK(cuModuleLoadData(&module, ptx.c_str()));
      OK(cuModuleGetFunction(&k, module, "k"));
      OK(cuMemAlloc(&data, 128));
      void* arguments[] = {&data};
      OK(cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
      int values[32];
      OK(cuMemcpyDtoH(values, data, 128));
      EXPECT(values[0] == 3 + 14 + 100 && values[31] == 65 + 14 + 100);
      OK(cuMemFree(data));
      OK(cuModuleUnload(module));
    } else if (asked) {
      std::printf("%s\n", log_of(program).c_str());
    }
    EXPECT(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
  }
}

static void what_is_wrong_is_in_the_log() {
  nvrtcProgram program;
  EXPECT(nvrtcCreateProgram(&program, "__global__ void k() { undeclared(); }", "wrong.cu", 0, nullptr, nullptr) ==
         NVRTC_SUCCESS);
  EXPECT(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION);
  EXPECT(log_of(program).find("wrong.cu:1:23: error") != std::string::npos);
  std::size_t size = 0;
  EXPECT(nvrtcGetPTXSize(program, &size) == NVRTC_ERROR_INVALID_PROGRAM);
  const char* option = "--no-such-option";
  EXPECT(nvrtcCompileProgram(program, 1, &option) == NVRTC_ERROR_INVALID_OPTION);
  EXPECT(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
  EXPECT(nvrtcDestroyProgram(&program) == NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT(nvrtcCreateProgram(&program, nullptr, "", 0, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  int major = 0, minor = 0, count = 0;
  EXPECT(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major > 0);
  EXPECT(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0);
  std::vector<int> architectures(static_cast<std::size_t>(count));
  EXPECT(nvrtcGetSupportedArchs(architectures.data()) == NVRTC_SUCCESS && architectures.back() >= 70);
  EXPECT(std::string(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION)) == "NVRTC_ERROR_COMPILATION");
}

int main() {
  CUdevice device;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuCtxCreate(&context, 0, device));
  compiled_and_run();
  functions_are_the_devices_when_asked_for();
  what_is_wrong_is_in_the_log();
  OK(cuCtxDestroy(context));
  return finish();
}
