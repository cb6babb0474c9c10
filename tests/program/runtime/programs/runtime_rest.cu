// SPDX-License-Identifier: Apache-2.0
// Rarely used calls of the runtime API: settings, queries, old names, asynchronous forms of copies. Checks its own
// results.
#include <cuda_profiler_api.h>

#include "expect.h"

extern "C" cudaError_t cudaSetupArgument(const void* argument, size_t size, size_t offset);
extern "C" cudaError_t cudaLaunch(const void* function);

__device__ int symbol[4];

__global__ void mark(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }

static void devices() {
  int device = -1, version = 0, runtime_version = 0, least = 0, greatest = 0;
  cudaDeviceProp wanted{};
  OK(cudaChooseDevice(&device, &wanted));
  EXPECT(device == 0);
  OK(cudaDriverGetVersion(&version));
  OK(cudaRuntimeGetVersion(&runtime_version));
  EXPECT(version == runtime_version && version == CUDART_VERSION);
  char bus[32];
  OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  OK(cudaDeviceGetByPCIBusId(&device, bus));
  EXPECT(device == 0);
  EXPECT_CODE(cudaDeviceGetPCIBusId(bus, 3, 0), cudaErrorInvalidValue);
  OK(cudaSetValidDevices(&device, 1));
  OK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  unsigned flags = 0;
  OK(cudaGetDeviceFlags(&flags));
  EXPECT((flags & cudaDeviceScheduleSpin) != 0);
  cudaFuncCache cache;
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  OK(cudaDeviceGetCacheConfig(&cache));
  EXPECT(cache == cudaFuncCachePreferL1);
  OK(cudaThreadSetCacheConfig(cudaFuncCachePreferNone));
  OK(cudaThreadGetCacheConfig(&cache));
  EXPECT(cache == cudaFuncCachePreferNone);
  cudaSharedMemConfig banks;
  OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
  OK(cudaDeviceGetSharedMemConfig(&banks));
  EXPECT(banks == cudaSharedMemBankSizeFourByte);
  OK(cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(mark), cudaSharedMemBankSizeEightByte));
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  OK(cudaCtxResetPersistingL2Cache());
  size_t value = 0;
  OK(cudaThreadSetLimit(cudaLimitStackSize, 2048));
  OK(cudaThreadGetLimit(&value, cudaLimitStackSize));
  EXPECT(value == 2048);
  OK(cudaThreadSynchronize());
  double number = 1;
  OK(cudaSetDoubleForDevice(&number));
  OK(cudaSetDoubleForHost(&number));
  OK(cudaProfilerInitialize("settings", "profile", cudaCSV));
  OK(cudaProfilerStart());
  OK(cudaProfilerStop());
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault, &found));
  EXPECT(function != nullptr && found == cudaDriverEntryPointSuccess);
}

static void streams() {
  cudaStream_t stream;
  int priority = 1;
  unsigned flags = 7;
  OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1));
  OK(cudaStreamGetPriority(stream, &priority));
  OK(cudaStreamGetFlags(stream, &flags));
  EXPECT(priority == -1 && flags == cudaStreamNonBlocking);
  cudaStreamAttrValue attribute{};
  OK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &attribute));
  OK(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &attribute));
  int* managed;
  OK(cudaMallocManaged(&managed, 64));
  OK(cudaStreamAttachMemAsync(stream, managed));
  OK(cudaFree(managed));
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
  OK(cudaEventSynchronize(event));
  OK(cudaEventDestroy(event));
  OK(cudaStreamDestroy(stream));
}

static void launches() {
  int *out, result[64];
  OK(cudaMalloc(&out, sizeof result));
  cudaLaunchParams launch{};
  int value = 3;
  void* arguments[] = {&out, &value};
  launch.func = reinterpret_cast<void*>(mark);
  launch.gridDim = dim3(2);
  launch.blockDim = dim3(32);
  launch.args = arguments;
  OK(cudaLaunchCooperativeKernelMultiDevice(&launch, 1));
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  EXPECT(result[0] == 3 && result[63] == 3);
  int blocks = 0;
  size_t shared = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, mark, 32, 0, cudaOccupancyDefault));
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, mark, 1, 32));
  EXPECT(blocks > 0 && shared > 0);
  // The interface of programs compiled before CUDA 9.2, and launches described by a structure.
  value = 8;
  OK(cudaConfigureCall(dim3(2), dim3(32)));
  OK(cudaSetupArgument(&out, sizeof out, 0));
  OK(cudaSetupArgument(&value, sizeof value, sizeof out));
  OK(cudaLaunch(reinterpret_cast<const void*>(mark)));
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  EXPECT(result[63] == 8);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  value = 9;
  OK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(mark), arguments));
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  EXPECT(result[63] == 9);
  OK(cudaFree(out));
}

texture<int, cudaTextureType1D, cudaReadModeElementType> reference;
__global__ void fetch(int* out) { out[threadIdx.x] = tex1Dfetch(reference, threadIdx.x); }

static void textures() {
  int* data;
  OK(cudaMalloc(&data, 1024));
  size_t offset = 1;
  OK(cudaBindTexture(&offset, reference, data, 1024));
  OK(cudaGetTextureAlignmentOffset(&offset, &reference));
  EXPECT(offset == 0);
  const textureReference* found = nullptr;
  OK(cudaGetTextureReference(&found, &reference));
  EXPECT(found == &reference);
  int first = 0;
  OK(cudaMemset(data, 1, 1024));
  fetch<<<1, 32>>>(data + 64);
  OK(cudaMemcpy(&first, data + 64, sizeof first, cudaMemcpyDeviceToHost));
  EXPECT(first == 0x01010101);
  OK(cudaUnbindTexture(reference));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 1024;
  cudaTextureDesc description{}, asked{};
  description.addressMode[0] = cudaAddressModeClamp;
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  OK(cudaGetTextureObjectTextureDesc(&asked, object));
  EXPECT(asked.addressMode[0] == cudaAddressModeClamp);
  OK(cudaDestroyTextureObject(object));
  OK(cudaFree(data));
}

static void copies() {
  char host[64], back[64] = {};
  for (int i = 0; i < 64; ++i) host[i] = static_cast<char>(i);
  char* data;
  OK(cudaMalloc(&data, 64));
  OK(cudaMemcpyPeer(data, 0, data, 0, 8));
  OK(cudaMemcpyPeerAsync(data, 0, data, 0, 8));
  EXPECT_CODE(cudaMemcpyPeer(data, 1, data, 0, 8), cudaErrorInvalidDevice);
  OK(cudaMemcpy2DAsync(data, 16, host, 16, 16, 4, cudaMemcpyHostToDevice));
  OK(cudaMemset2DAsync(data, 16, 99, 4, 2));
  OK(cudaMemset3DAsync(make_cudaPitchedPtr(data + 8, 16, 8, 2), 77, make_cudaExtent(4, 2, 1)));
  OK(cudaMemcpy(back, data, 64, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 99 && back[4] == 4 && back[8] == 77 && back[12] == 12 && back[24] == 77 && back[32] == 32);
  int numbers[4] = {1, 2, 3, 4}, again[4] = {};
  OK(cudaMemcpyToSymbolAsync(symbol, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromSymbolAsync(again, symbol, sizeof again, 0, cudaMemcpyDeviceToHost));
  EXPECT(again[3] == 4);
  cudaArray_t deep, flat;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  OK(cudaMalloc3DArray(&deep, &format, make_cudaExtent(4, 2, 2)));
  OK(cudaMallocArray(&flat, &format, 8, 2));
  cudaChannelFormatDesc asked{};
  OK(cudaGetChannelDesc(&asked, flat));
  EXPECT(asked.x == 32 && asked.f == cudaChannelFormatKindSigned);
  OK(cudaMemcpy2DToArrayAsync(flat, 0, 0, host, 32, 32, 2, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DFromArrayAsync(back, 32, flat, 0, 0, 32, 2, cudaMemcpyDeviceToHost));
  EXPECT(std::memcmp(back, host, 64) == 0);
  OK(cudaMemcpyToArrayAsync(flat, 0, 1, host, 8, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromArrayAsync(back, flat, 0, 1, 8, cudaMemcpyDeviceToHost));
  EXPECT(std::memcmp(back, host, 8) == 0);
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(host, 16, 4, 2);
  box.dstArray = deep;
  box.extent = make_cudaExtent(4, 2, 2);
  box.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3DAsync(&box));
  OK(cudaFreeArray(deep));
  OK(cudaFreeArray(flat));
  OK(cudaFree(data));
}

static void pools_and_ranges() {
  void* pinned = nullptr;
  OK(cudaMallocHost(&pinned, 100));
  OK(cudaFreeHost(pinned));
  cudaMemPool_t pool;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolTrimTo(pool, 0));
  const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(pool, &access, 1));
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  cudaMemAccessFlags flags;
  OK(cudaMemPoolGetAccess(&flags, pool, &here));
  EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
  int *managed, mostly = 0, place = 0;
  OK(cudaMallocManaged(&managed, 4096));
  OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, 0));
  OK(cudaMemPrefetchAsync_v2(managed, 4096, here, 0));
  void* answers[] = {&mostly, &place};
  size_t sizes[] = {sizeof mostly, sizeof place};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeLastPrefetchLocation};
  OK(cudaMemRangeGetAttributes(answers, sizes, which, 2, managed, 4096));
  EXPECT(mostly == 1 && place == 0);
  OK(cudaFree(managed));
}

static void libraries() {
  const char* const code =
      ".version 6.4\n.target sm_70\n.address_size 64\n.visible .global .u32 seed = 40;\n"
      ".visible .entry one() { ret; }\n.visible .entry two() { ret; }\n";
  std::FILE* file = std::fopen("code.ptx", "w");
  std::fputs(code, file);
  std::fclose(file);
  cudaLibrary_t library;
  OK(cudaLibraryLoadFromFile(&library, "code.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernels[2] = {};
  OK(cudaLibraryEnumerateKernels(kernels, 2, library));
  EXPECT(kernels[0] != nullptr && kernels[1] != nullptr && kernels[0] != kernels[1]);
  void* seed = nullptr;
  size_t bytes = 0;
  int value = 0;
  OK(cudaLibraryGetGlobal(&seed, &bytes, library, "seed"));
  OK(cudaMemcpy(&value, seed, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(bytes == 4 && value == 40);
  void* managed = nullptr;
  OK(cudaLibraryGetManaged(&managed, &bytes, library, "seed"));
  EXPECT(managed == seed);
  OK(cudaLibraryUnload(library));
  EXPECT_CODE(cudaLibraryLoadFromFile(&library, "none.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaErrorFileNotFound);
  (void)cudaGetLastError();
}

/// Properties that the machine defines are not zero.
static void properties() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.name[0] != '\0' && p.totalGlobalMem > 0 && p.sharedMemPerBlock > 0 && p.regsPerBlock > 0);
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock > 0 && p.clockRate > 0 && p.totalConstMem > 0);
  EXPECT(p.multiProcessorCount > 0 && p.maxThreadsPerMultiProcessor > 0 && p.maxBlocksPerMultiProcessor > 0);
  EXPECT(p.sharedMemPerMultiprocessor > 0 && p.regsPerMultiprocessor > 0 && p.sharedMemPerBlockOptin > 0);
  EXPECT(p.major > 0 && p.maxGridSize[0] > 0 && p.maxThreadsDim[2] > 0 && p.memPitch > 0 && p.textureAlignment > 0);
  std::printf("memory %d kHz, %d bits, L2 %d bytes\n", p.memoryClockRate, p.memoryBusWidth, p.l2CacheSize);
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mark, 32, 0));
  EXPECT(blocks > 0 && blocks <= p.maxBlocksPerMultiProcessor);
}

// Expectations of a program that checks the version.
#if CUDART_VERSION < 11080 || __CUDACC_VER_MAJOR__ != 11 || __CUDACC_VER_MINOR__ < 8
#error "an older version"
#endif
__global__ void store(const __grid_constant__ int value, int* out) { *out = value; }
static void names_of_the_version_are_there() {
  cudaGraph_t graph;
  cudaGraphExec_t first, second;
  cudaLaunchConfig_t config{dim3(1), dim3(1)};
  int *out, value = 5, cluster = 1;
  void* entry;
  OK(cudaMalloc(&out, sizeof *out));
  void* arguments[] = {&value, &out};
  OK(cudaLaunchKernelExC(&config, reinterpret_cast<void*>(store), arguments));
  OK(cudaLaunchKernelEx(&config, store, 6, out));
  OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 6);
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphInstantiate(&first, graph, nullptr, nullptr, 0));
  OK(cudaGraphInstantiateWithFlags(&second, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  OK(cudaGetDriverEntryPoint("cuInit", &entry, cudaEnableDefault));
  OK(cudaDeviceGetAttribute(&cluster, cudaDevAttrClusterLaunch, 0));
  EXPECT(cluster == 0);
  EXPECT_CODE(cudaFuncSetAttribute(store, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), cudaErrorInvalidValue);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidClusterSize), "cudaErrorInvalidClusterSize") == 0);
  cudaGetLastError();
}

int main(int count, char**) {
  if (count > 1) {
    properties();
    return finish();
  }
  devices();
  streams();
  launches();
  textures();
  copies();
  pools_and_ranges();
  libraries();
  names_of_the_version_are_there();
  OK(cudaThreadExit());
  return finish();
}
