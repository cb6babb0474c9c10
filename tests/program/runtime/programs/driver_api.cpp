// SPDX-License-Identifier: Apache-2.0
// A host program without kernels that uses the driver API and loads its kernels as PTX. Checks its own results.
#include <cstring>
#include <string>
#include <vector>

#include "driver_check.h"

static const char* const kModule = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .global .align 4 .u32 bias = 5;
.visible .entry add(.param .u64 data, .param .u32 what, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [data];
  ld.param.u32 %r0, [what];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mul.wide.u32 %d1, %r2, 4;
  add.u64 %d0, %d0, %d1;
  ld.global.u32 %r4, [%d0];
  add.u32 %r4, %r4, %r0;
  ld.global.u32 %r5, [bias];
  add.u32 %r4, %r4, %r5;
  st.global.u32 [%d0], %r4;
  ret;
}
)";

static const char* const kCaller = R"(
.version 6.4
.target sm_70
.address_size 64
.extern .func (.param .b32 result) square(.param .b32 x);
.visible .entry squares(.param .u64 data)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [data];
  mov.u32 %r0, %tid.x;
  {
    .param .b32 x;
    .param .b32 result;
    st.param.b32 [x], %r0;
    call.uni (result), square, (x);
    ld.param.b32 %r1, [result];
  }
  mul.wide.u32 %d1, %r0, 4;
  add.u64 %d0, %d0, %d1;
  st.global.u32 [%d0], %r1;
  ret;
}
)";

static const char* const kCallee = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .func (.param .b32 result) square(.param .b32 x)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [x];
  mul.lo.u32 %r1, %r0, %r0;
  st.param.b32 [result], %r1;
  ret;
}
)";

constexpr unsigned kCount = 100;

static void contexts(CUdevice device) {
  CUcontext context, other, current;
  CUdeviceptr memory;
  EXPECT_CODE(cuMemAlloc(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  OK(cuCtxCreate(&other, CU_CTX_SCHED_AUTO, device));
  OK(cuCtxGetCurrent(&current));
  EXPECT(current == other);
  OK(cuCtxPopCurrent(&current));
  EXPECT(current == other);
  OK(cuCtxGetCurrent(&current));
  EXPECT(current == context);
  OK(cuCtxDestroy(other));
  EXPECT_CODE(cuCtxPushCurrent(other), CUDA_ERROR_INVALID_CONTEXT);
  CUdevice found = -1;
  OK(cuCtxGetDevice(&found));
  EXPECT(found == device);
}

static void questions(CUdevice device) {
  char name[64];
  OK(cuDeviceGetName(name, sizeof name, device));
  EXPECT(std::strncmp(name, "Heddle", 6) == 0);
  int sms = 0, major = 0, minor = 0, version = 0;
  OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  EXPECT(sms > 0);
  OK(cuDeviceComputeCapability(&major, &minor, device));
  EXPECT(major == 7);
  OK(cuDriverGetVersion(&version));
  EXPECT(version == CUDA_VERSION);
  std::size_t bytes = 0, free_bytes = 0;
  OK(cuDeviceTotalMem(&bytes, device));
  OK(cuMemGetInfo(&free_bytes, nullptr));
  EXPECT(bytes > 0 && free_bytes <= bytes);
  void* function = nullptr;
  OK(cuGetProcAddress("cuMemAlloc", &function, CUDA_VERSION, 0));
  EXPECT(function == reinterpret_cast<void*>(&cuMemAlloc));
  EXPECT_CODE(cuGetProcAddress("cuNoSuchThing", &function, CUDA_VERSION, 0), CUDA_ERROR_NOT_FOUND);
  const char* text = nullptr;
  OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT(std::strcmp(text, "out of memory") == 0);
}

static void modules() {
  CUmodule module;
  CUfunction add;
  OK(cuModuleLoadData(&module, kModule));
  OK(cuModuleGetFunction(&add, module, "add"));
  EXPECT_CODE(cuModuleGetFunction(&add, module, "subtract"), CUDA_ERROR_NOT_FOUND);
  CUdeviceptr bias, data;
  std::size_t bytes = 0;
  OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
  EXPECT(bytes == 4);
  OK(cuMemAlloc(&data, kCount * 4));
  OK(cuMemsetD32(data, 1000, kCount));
  unsigned what = 7, count = kCount;
  void* arguments[] = {&data, &what, &count};
  CUstream stream;
  CUevent start, end;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  OK(cuEventRecord(start, stream));
  OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  OK(cuEventRecord(end, stream));
  OK(cuStreamSynchronize(stream));
  float milliseconds = -1;
  OK(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0);
  std::vector<unsigned> host(kCount);
  OK(cuMemcpyDtoH(host.data(), data, kCount * 4));
  for (unsigned value : host) EXPECT(value == 1012);

  // The same arguments in one buffer, after the variable changed.
  const unsigned none = 0;
  OK(cuMemcpyHtoD(bias, &none, 4));
  struct {
    CUdeviceptr data;
    unsigned what, count;
  } packed = {data, 1, kCount};
  std::size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  OK(cuMemcpyDtoH(host.data(), data, kCount * 4));
  for (unsigned value : host) EXPECT(value == 1013);
  int registers = 0, blocks = 0;
  OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
  EXPECT(registers > 0);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 0));
  EXPECT(blocks > 0);
  EXPECT_CODE(cuLaunchKernel(add, 0, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuModuleUnload(module));
  EXPECT_CODE(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CODE(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_HANDLE);
  OK(cuMemFree(data));

  char log[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  EXPECT_CODE(cuModuleLoadDataEx(&module, ".version 6.4\n.target sm_70\nnonsense\n", 2, options, values),
              CUDA_ERROR_INVALID_PTX);
  EXPECT(std::strstr(log, "nonsense") != nullptr);
  EXPECT_CODE(cuModuleLoad(&module, "no such file"), CUDA_ERROR_FILE_NOT_FOUND);
}

static void files_links_and_libraries() {
  std::FILE* file = std::fopen("module.ptx", "w");
  std::fputs(kModule, file);
  std::fclose(file);
  CUmodule first, second;
  OK(cuModuleLoad(&first, "module.ptx"));
  OK(cuModuleLoad(&second, "module.ptx"));
  CUdeviceptr here, there;
  OK(cuModuleGetGlobal(&here, nullptr, first, "bias"));
  OK(cuModuleGetGlobal(&there, nullptr, second, "bias"));
  EXPECT(here != there);  // each module has variables of its own
  OK(cuModuleUnload(first));
  OK(cuModuleUnload(second));

  CUlinkState link;
  OK(cuLinkCreate(0, nullptr, nullptr, &link));
  for (const char* text : {kCaller, kCallee})
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1, "part", 0, nullptr,
                     nullptr));
  void* image = nullptr;
  std::size_t size = 0;
  OK(cuLinkComplete(link, &image, &size));
  CUlibrary library;
  OK(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cuLinkDestroy(link));
  CUkernel kernel;
  CUfunction function;
  OK(cuLibraryGetKernel(&kernel, library, "squares"));
  OK(cuKernelGetFunction(&function, kernel));
  CUdeviceptr data;
  OK(cuMemAlloc(&data, 128));
  void* arguments[] = {&data};
  OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  unsigned squares[32];
  OK(cuMemcpyDtoH(squares, data, sizeof squares));
  for (unsigned i = 0; i < 32; ++i) EXPECT(squares[i] == i * i);
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config{2, 1, 1, 32, 1, 1, 0, nullptr, &cluster, 1};
  EXPECT_CODE(cuLaunchKernelEx(&config, function, arguments, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuMemFree(data));
  OK(cuLibraryUnload(library));
}

static void copies_in_two_dimensions() {
  CUdeviceptr data;
  std::size_t pitch = 0;
  OK(cuMemAllocPitch(&data, &pitch, 40, 3, 4));
  OK(cuMemsetD2D8(data, pitch, 9, 40, 3));
  unsigned char host[3][10] = {};
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 10; ++x) host[y][x] = static_cast<unsigned char>(10 * y + x);
  }
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 10;
  copy.srcXInBytes = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = data;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 5;
  copy.WidthInBytes = 8;
  copy.Height = 3;
  OK(cuMemcpy2D(&copy));
  unsigned char back[40];
  OK(cuMemcpyDtoH(back, data + pitch, sizeof back));
  EXPECT(back[4] == 9 && back[5] == 12 && back[12] == 19 && back[13] == 9);
  OK(cuMemFree(data));
}

int main() {
  CUdevice device = -1;
  EXPECT_CODE(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  OK(cuInit(0));
  int count = 0;
  OK(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  OK(cuDeviceGet(&device, 0));
  EXPECT_CODE(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  contexts(device);
  questions(device);
  modules();
  files_links_and_libraries();
  copies_in_two_dimensions();
  return finish();
}
