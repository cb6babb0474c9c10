// SPDX-License-Identifier: Apache-2.0
// All forms of memory in the driver API, and its queries and settings. Checks its own results.
#include <cstring>
#include <vector>

#include "driver_check.h"

static const char* const kModule = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .global .align 4 .u32 seed = 5;
.visible .entry fill(.param .u64 data, .param .u32 value)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [data];
  ld.param.u32 %r0, [value];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d1, %r1, 4;
  add.u64 %d0, %d0, %d1;
  st.global.u32 [%d0], %r0;
  ret;
}
)";

template <typename T>
static bool all(const std::vector<T>& values, T wanted) {
  for (T value : values) {
    if (value != wanted) return false;
  }
  return true;
}

static void fills() {
  CUdeviceptr data;
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  OK(cuMemAlloc(&data, 64));
  std::vector<unsigned char> bytes(64);
  std::vector<unsigned short> halves(32);
  std::vector<unsigned> words(16);
  OK(cuMemsetD8(data, 0x12, 64));
  OK(cuMemcpyDtoH(bytes.data(), data, 64));
  EXPECT(all<unsigned char>(bytes, 0x12));
  OK(cuMemsetD16(data, 0x1234, 32));
  OK(cuMemcpyDtoH(halves.data(), data, 64));
  EXPECT(all<unsigned short>(halves, 0x1234));
  OK(cuMemsetD8Async(data, 7, 64, stream));
  OK(cuMemsetD16Async(data, 0x4321, 16, stream));
  OK(cuMemcpyDtoHAsync(halves.data(), data, 64, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT(halves[15] == 0x4321 && halves[16] == 0x0707);
  OK(cuMemsetD32Async(data, 0x01020304, 16, stream));
  OK(cuMemcpyDtoH(words.data(), data, 64));
  EXPECT(all<unsigned>(words, 0x01020304));
  OK(cuMemsetD2D16(data, 16, 0xaaaa, 2, 4));  // two of eight elements of each row
  OK(cuMemcpyDtoH(halves.data(), data, 64));
  EXPECT(halves[0] == 0xaaaa && halves[1] == 0xaaaa && halves[2] == 0x0304 && halves[8] == 0xaaaa);
  OK(cuMemsetD2D32(data, 32, 9, 3, 2));
  OK(cuMemcpyDtoH(words.data(), data, 64));
  EXPECT(words[2] == 9 && words[3] != 9 && words[8] == 9 && words[10] == 9);
  EXPECT_CODE(cuMemsetD32(data + 2, 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CODE(cuMemsetD8(data, 0, 1 << 20), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(data));
  OK(cuStreamDestroy(stream));
}

static void copies() {
  CUdeviceptr a, b;
  OK(cuMemAlloc(&a, 64));
  OK(cuMemAlloc(&b, 64));
  std::vector<unsigned> host(16), back(16);
  for (unsigned i = 0; i < 16; ++i) host[i] = i;
  OK(cuMemcpyHtoDAsync(a, host.data(), 64, nullptr));
  OK(cuMemcpyDtoD(b, a, 64));
  OK(cuMemcpyDtoDAsync(b, a + 32, 32, nullptr));
  OK(cuMemcpyDtoH(back.data(), b, 64));
  EXPECT(back[0] == 8 && back[7] == 15 && back[8] == 8);
  OK(cuMemcpy(b, a, 64));
  OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(back.data()), b, 64, nullptr));
  EXPECT(back[0] == 0 && back[15] == 15);

  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = a;
  box.srcPitch = 16;
  box.srcHeight = 2;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = back.data();
  box.dstPitch = 16;
  box.dstHeight = 2;
  box.WidthInBytes = 8;
  box.Height = 2;
  box.Depth = 2;
  back.assign(16, 99);
  OK(cuMemcpy3D(&box));
  EXPECT(back[0] == 0 && back[1] == 1 && back[2] == 99 && back[4] == 4 && back[8] == 8 && back[13] == 13);
  OK(cuMemcpy3DAsync(&box, nullptr));

  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = a;
  rows.srcPitch = 16;
  rows.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.dstDevice = b;
  rows.dstPitch = 16;
  rows.WidthInBytes = 4;
  rows.Height = 4;
  OK(cuMemsetD8(b, 0, 64));
  OK(cuMemcpy2DAsync(&rows, nullptr));
  OK(cuMemcpy2DUnaligned(&rows));
  OK(cuMemcpyDtoH(back.data(), b, 64));
  EXPECT(back[4] == 4 && back[5] == 0 && back[12] == 12);
  rows.srcMemoryType = static_cast<CUmemorytype>(17);
  EXPECT_CODE(cuMemcpy2D(&rows), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CODE(cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(a));
  OK(cuMemFree(b));
}

static void arrays() {
  CUarray line, box;
  const CUDA_ARRAY_DESCRIPTOR description{16, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  OK(cuArrayCreate(&line, &description));
  CUDA_ARRAY_DESCRIPTOR asked{};
  OK(cuArrayGetDescriptor(&asked, line));
  EXPECT(asked.Width == 16 && asked.Format == CU_AD_FORMAT_UNSIGNED_INT32 && asked.NumChannels == 1);
  std::vector<unsigned> host(16), back(16);
  for (unsigned i = 0; i < 16; ++i) host[i] = 100 + i;
  CUdeviceptr data;
  OK(cuMemAlloc(&data, 64));
  OK(cuMemcpyHtoA(line, 0, host.data(), 64));
  OK(cuMemcpyAtoD(data, line, 16, 32));
  OK(cuMemcpyDtoH(back.data(), data, 32));
  EXPECT(back[0] == 104 && back[7] == 111);
  OK(cuMemcpyDtoA(line, 0, data, 32));
  OK(cuMemcpyAtoH(back.data(), line, 0, 64));
  EXPECT(back[0] == 104 && back[7] == 111 && back[8] == 108);
  OK(cuArrayDestroy(line));
  const CUDA_ARRAY3D_DESCRIPTOR deep{4, 2, 2, CU_AD_FORMAT_FLOAT, 2, 0};
  OK(cuArray3DCreate(&box, &deep));
  OK(cuArrayGetDescriptor(&asked, box));
  EXPECT(asked.Width == 4 && asked.Height == 2 && asked.NumChannels == 2 && asked.Format == CU_AD_FORMAT_FLOAT);
  CUDA_MEMCPY3D copy{};
  std::vector<float> floats(32), again(32);
  for (unsigned i = 0; i < 32; ++i) floats[i] = static_cast<float>(i);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = floats.data();
  copy.srcPitch = 32;
  copy.srcHeight = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = box;
  copy.WidthInBytes = 32;
  copy.Height = 2;
  copy.Depth = 2;
  OK(cuMemcpy3D(&copy));
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = box;
  copy.srcXInBytes = 8;
  copy.srcZ = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = again.data();
  copy.dstPitch = 16;
  copy.dstHeight = 2;
  copy.WidthInBytes = 16;
  copy.Height = 2;
  copy.Depth = 1;
  OK(cuMemcpy3D(&copy));
  EXPECT(again[0] == 18 && again[3] == 21 && again[4] == 26);
  OK(cuArrayDestroy(box));
  EXPECT_CODE(cuArrayDestroy(box), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(data));
}

static void kinds_of_memory(CUdevice device) {
  CUdeviceptr managed, pooled, base, address;
  void* pinned;
  std::size_t bytes = 0;
  OK(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAdvise(managed, 8192, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
  OK(cuMemPrefetchAsync(managed, 8192, device, nullptr));
  unsigned is_managed = 0, type = 0;
  OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT(is_managed == 1);
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* into[] = {&base, &bytes};
  OK(cuPointerGetAttributes(2, which, into, managed + 100));
  EXPECT(base == managed && bytes == 8192);
  OK(cuMemGetAddressRange(&base, &bytes, managed + 8191));
  EXPECT(base == managed && bytes == 8192);
  OK(cuMemFree(managed));
  EXPECT_CODE(cuMemGetAddressRange(&base, &bytes, managed), CUDA_ERROR_NOT_FOUND);

  OK(cuMemAllocHost(&pinned, 100));
  OK(cuMemHostGetDevicePointer(&address, pinned, 0));
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
  EXPECT(type == CU_MEMORYTYPE_HOST);
  OK(cuMemFreeHost(pinned));
  unsigned flags = 0;
  OK(cuMemHostAlloc(&pinned, 100, CU_MEMHOSTALLOC_PORTABLE));
  OK(cuMemHostGetFlags(&flags, pinned));
  EXPECT((flags & CU_MEMHOSTALLOC_PORTABLE) != 0);
  OK(cuMemFreeHost(pinned));
  std::vector<unsigned> own(64, 3);
  OK(cuMemHostRegister(own.data(), 256, 0));
  EXPECT_CODE(cuMemHostRegister(own.data(), 256, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  OK(cuMemHostUnregister(own.data()));

  CUmemoryPool pool, current;
  OK(cuDeviceGetDefaultMemPool(&pool, device));
  OK(cuDeviceSetMemPool(device, pool));
  OK(cuDeviceGetMemPool(&current, device));
  EXPECT(current == pool);
  OK(cuMemAllocAsync(&pooled, 64, nullptr));
  OK(cuMemFreeAsync(pooled, nullptr));
  OK(cuMemAllocFromPoolAsync(&pooled, 64, pool, nullptr));
  OK(cuMemFree(pooled));
  EXPECT_CODE(cuMemFree(pooled), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CODE(cuMemAlloc(&pooled, 0), CUDA_ERROR_INVALID_VALUE);
}

static void settings(CUdevice device) {
  unsigned flags = 0, version = 0;
  int active = 0, can = 7, least = 0, greatest = 0;
  std::size_t value = 0;
  CUcontext context;
  OK(cuCtxGetCurrent(&context));
  OK(cuCtxGetFlags(&flags));
  OK(cuCtxGetApiVersion(context, &version));
  EXPECT(version > 0);
  OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT(value == 4096);
  CUfunc_cache cache;
  OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  OK(cuCtxGetCacheConfig(&cache));
  EXPECT(cache == CU_FUNC_CACHE_PREFER_L1);
  CUsharedconfig banks;
  OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
  OK(cuCtxGetSharedMemConfig(&banks));
  EXPECT(banks == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  OK(cuCtxSynchronize());
  EXPECT_CODE(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  EXPECT_CODE(cuCtxDisablePeerAccess(context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  OK(cuDeviceCanAccessPeer(&can, device, device));
  EXPECT(can == 0);
  OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
  EXPECT(active == 1);
  OK(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN));
  OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
  EXPECT(flags == CU_CTX_SCHED_SPIN);
  CUdevprop properties;
  OK(cuDeviceGetProperties(&properties, device));
  EXPECT(properties.SIMDWidth == 32 && properties.maxThreadsPerBlock > 0 && properties.clockRate > 0);
  CUuuid uuid;
  OK(cuDeviceGetUuid(&uuid, device));
  char bus[32];
  CUdevice same = -1;
  OK(cuDeviceGetPCIBusId(bus, sizeof bus, device));
  OK(cuDeviceGetByPCIBusId(&same, bus));
  EXPECT(same == device);
  OK(cuProfilerStart());
  OK(cuProfilerStop());
}

static void count_up(void* data) { ++*static_cast<int*>(data); }
static void called_back(CUstream, CUresult status, void* data) {
  if (status == CUDA_SUCCESS) ++*static_cast<int*>(data);
}

static void queues() {
  CUstream stream;
  int least = 0, greatest = 0, priority = 1, calls = 0;
  unsigned flags = 0;
  OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest));
  OK(cuStreamGetPriority(stream, &priority));
  EXPECT(priority == greatest);
  OK(cuStreamGetFlags(stream, &flags));
  EXPECT(flags == CU_STREAM_NON_BLOCKING);
  CUcontext context, current;
  OK(cuStreamGetCtx(stream, &context));
  OK(cuCtxGetCurrent(&current));
  EXPECT(context == current);
  CUevent event;
  OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  OK(cuEventRecord(event, stream));
  OK(cuStreamWaitEvent(nullptr, event, 0));
  OK(cuEventQuery(event));
  OK(cuEventSynchronize(event));
  OK(cuLaunchHostFunc(stream, count_up, &calls));
  OK(cuStreamAddCallback(stream, called_back, &calls, 0));
  OK(cuStreamQuery(stream));
  EXPECT(calls == 2);
  float milliseconds = 0;
  EXPECT_CODE(cuEventElapsedTime(&milliseconds, event, event), CUDA_ERROR_INVALID_HANDLE);
  OK(cuEventDestroy(event));
  EXPECT_CODE(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  OK(cuStreamDestroy(stream));
  EXPECT_CODE(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

static void functions() {
  CUmodule module, owner;
  CUfunction fill;
  OK(cuModuleLoadFatBinary(&module, kModule));
  OK(cuModuleGetFunction(&fill, module, "fill"));
  OK(cuFuncGetModule(&owner, fill));
  EXPECT(owner == module);
  OK(cuFuncSetCacheConfig(fill, CU_FUNC_CACHE_PREFER_SHARED));
  OK(cuFuncSetSharedMemConfig(fill, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
  OK(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
  int blocks = 0, grid = 0, block = 0;
  std::size_t shared = 0;
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, fill, 64, 0, 0));
  EXPECT(blocks > 0);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, nullptr, 0, 256));
  EXPECT(grid > 0 && block > 0 && block <= 256);
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, fill, 1, 64));
  EXPECT(shared > 0);
  CUdeviceptr data;
  OK(cuMemAlloc(&data, 128));
  unsigned value = 17, back[32];
  void* arguments[] = {&data, &value};
  OK(cuLaunchCooperativeKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments));
  OK(cuMemcpyDtoH(back, data, 128));
  EXPECT(back[0] == 17 && back[31] == 17);
  EXPECT_CODE(cuLaunchCooperativeKernel(fill, 100000, 1, 1, 1024, 1, 1, 0, nullptr, arguments),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  OK(cuModuleUnload(module));

  std::FILE* file = std::fopen("library.ptx", "w");
  std::fputs(kModule, file);
  std::fclose(file);
  CUlinkState link;
  void* image = nullptr;
  std::size_t size = 0;
  OK(cuLinkCreate(0, nullptr, nullptr, &link));
  OK(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "library.ptx", 0, nullptr, nullptr));
  EXPECT_CODE(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "none", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  OK(cuLinkComplete(link, &image, &size));
  OK(cuModuleLoadData(&module, image));
  OK(cuLinkDestroy(link));
  OK(cuModuleUnload(module));
  CUlibrary library;
  CUkernel kernel;
  CUdeviceptr seed;
  OK(cuLibraryLoadFromFile(&library, "library.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cuLibraryGetKernel(&kernel, library, "fill"));
  OK(cuLibraryGetModule(&module, library));
  OK(cuLibraryGetGlobal(&seed, &size, library, "seed"));
  EXPECT(size == 4);
  EXPECT_CODE(cuLibraryGetGlobal(&seed, &size, library, "none"), CUDA_ERROR_NOT_FOUND);
  int registers = 0;
  OK(cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
  EXPECT(registers > 0);
  OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 512, kernel, 0));
  OK(cuLibraryUnload(library));
  EXPECT_CODE(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  OK(cuMemFree(data));
}

int main() {
  CUdevice device;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxPushCurrent(context));
  fills();
  copies();
  arrays();
  kinds_of_memory(device);
  settings(device);
  queues();
  functions();
  OK(cuDevicePrimaryCtxReset(device));
  OK(cuDevicePrimaryCtxRelease(device));
  EXPECT_CODE(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
  return finish();
}
