// SPDX-License-Identifier: Apache-2.0
// The host functions of the CUDA runtime API. C and C++. docs/cuda-headers.md and docs/runtime-library.md describe them
// and list those that return "not supported".
#ifndef HEDDLE_CUDA_RUNTIME_API_H
#define HEDDLE_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__

#include "builtin_types.h"
#include "cuda_device_runtime_api.h"

#define CUDART_VERSION 11080
#define __CUDART_API_VERSION CUDART_VERSION

#if defined(__cplusplus)
#define HEDDLE_DEFAULT(value) = value
extern "C" {
#else
#define HEDDLE_DEFAULT(value)
#endif
#define HEDDLE_API extern cudaError_t CUDARTAPI

// --- devices -------------------------------------------------------------------------------------------------------
HEDDLE_API cudaDeviceReset(void);
HEDDLE_API cudaDeviceSynchronize(void);
HEDDLE_API cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
HEDDLE_API cudaDeviceGetLimit(size_t* value, enum cudaLimit limit);
HEDDLE_API cudaDeviceGetCacheConfig(enum cudaFuncCache* config);
HEDDLE_API cudaDeviceSetCacheConfig(enum cudaFuncCache config);
HEDDLE_API cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config);
HEDDLE_API cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
HEDDLE_API cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);
HEDDLE_API cudaDeviceGetByPCIBusId(int* device, const char* pciBusId);
HEDDLE_API cudaDeviceGetPCIBusId(char* pciBusId, int len, int device);
HEDDLE_API cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
HEDDLE_API cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);
HEDDLE_API cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* devPtr);
HEDDLE_API cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags);
HEDDLE_API cudaIpcCloseMemHandle(void* devPtr);
HEDDLE_API cudaThreadExit(void);
HEDDLE_API cudaThreadSynchronize(void);
HEDDLE_API cudaThreadSetLimit(enum cudaLimit limit, size_t value);
HEDDLE_API cudaThreadGetLimit(size_t* value, enum cudaLimit limit);
HEDDLE_API cudaThreadGetCacheConfig(enum cudaFuncCache* config);
HEDDLE_API cudaThreadSetCacheConfig(enum cudaFuncCache config);
HEDDLE_API cudaGetDeviceCount(int* count);
HEDDLE_API cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device);
HEDDLE_API cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attr, int device);
HEDDLE_API cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice);
HEDDLE_API cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device);
HEDDLE_API cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device);
HEDDLE_API cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
HEDDLE_API cudaChooseDevice(int* device, const struct cudaDeviceProp* prop);
HEDDLE_API cudaSetDevice(int device);
HEDDLE_API cudaGetDevice(int* device);
HEDDLE_API cudaSetValidDevices(int* devices, int len);
HEDDLE_API cudaSetDeviceFlags(unsigned int flags);
HEDDLE_API cudaGetDeviceFlags(unsigned int* flags);
HEDDLE_API cudaDriverGetVersion(int* driverVersion);
HEDDLE_API cudaRuntimeGetVersion(int* runtimeVersion);

// --- graphics interfaces: refused ------------------------------------------------------------------------------------
HEDDLE_API cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
HEDDLE_API cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags);
HEDDLE_API cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                    cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                      cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaGraphicsResourceGetMappedPointer(void** devPtr, size_t* size, cudaGraphicsResource_t resource);
HEDDLE_API cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array, cudaGraphicsResource_t resource,
                                                 unsigned int arrayIndex, unsigned int mipLevel);
HEDDLE_API cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                                       cudaGraphicsResource_t resource);

// --- errors --------------------------------------------------------------------------------------------------------
HEDDLE_API cudaGetLastError(void);
HEDDLE_API cudaPeekAtLastError(void);
extern const char* CUDARTAPI cudaGetErrorName(cudaError_t error);
extern const char* CUDARTAPI cudaGetErrorString(cudaError_t error);

// --- streams and events --------------------------------------------------------------------------------------------
HEDDLE_API cudaStreamCreate(cudaStream_t* stream);
HEDDLE_API cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
HEDDLE_API cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
HEDDLE_API cudaStreamGetPriority(cudaStream_t stream, int* priority);
HEDDLE_API cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
HEDDLE_API cudaStreamDestroy(cudaStream_t stream);
HEDDLE_API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                 unsigned int flags);
HEDDLE_API cudaStreamSynchronize(cudaStream_t stream);
HEDDLE_API cudaStreamQuery(cudaStream_t stream);
HEDDLE_API cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length HEDDLE_DEFAULT(0),
                                    unsigned int flags HEDDLE_DEFAULT(cudaMemAttachSingle));
HEDDLE_API cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
HEDDLE_API cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
HEDDLE_API cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status);
HEDDLE_API cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus* status, unsigned long long* id);
HEDDLE_API cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                       unsigned long long* id HEDDLE_DEFAULT(0), cudaGraph_t* graph HEDDLE_DEFAULT(0),
                                       const cudaGraphNode_t** dependencies HEDDLE_DEFAULT(0),
                                       size_t* numDependencies HEDDLE_DEFAULT(0));
HEDDLE_API cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode);
HEDDLE_API cudaStreamSetAttribute(cudaStream_t stream, enum cudaStreamAttrID attr,
                                  const union cudaStreamAttrValue* value);
HEDDLE_API cudaStreamGetAttribute(cudaStream_t stream, enum cudaStreamAttrID attr, union cudaStreamAttrValue* value);
HEDDLE_API cudaCtxResetPersistingL2Cache(void);
HEDDLE_API cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData);
HEDDLE_API cudaEventCreate(cudaEvent_t* event);
HEDDLE_API cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
HEDDLE_API cudaEventRecord(cudaEvent_t event, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream HEDDLE_DEFAULT(0),
                                    unsigned int flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaEventQuery(cudaEvent_t event);
HEDDLE_API cudaEventSynchronize(cudaEvent_t event);
HEDDLE_API cudaEventDestroy(cudaEvent_t event);
HEDDLE_API cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);

// --- launches ------------------------------------------------------------------------------------------------------
HEDDLE_API cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem HEDDLE_DEFAULT(0),
                             cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                            cudaStream_t stream);
HEDDLE_API cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                                       cudaStream_t stream);
HEDDLE_API cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams* launchParamsList, unsigned int numDevices,
                                                  unsigned int flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args);
HEDDLE_API cudaFuncSetCacheConfig(const void* func, enum cudaFuncCache config);
HEDDLE_API cudaFuncSetSharedMemConfig(const void* func, enum cudaSharedMemConfig config);
HEDDLE_API cudaFuncGetAttributes(struct cudaFuncAttributes* attr, const void* func);
HEDDLE_API cudaFuncSetAttribute(const void* func, enum cudaFuncAttribute attr, int value);
HEDDLE_API cudaSetDoubleForDevice(double* d);
HEDDLE_API cudaSetDoubleForHost(double* d);
HEDDLE_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                         size_t dynamicSMemSize);
HEDDLE_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func, int blockSize,
                                                                  size_t dynamicSMemSize, unsigned int flags);
HEDDLE_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                     int blockSize);

// --- memory --------------------------------------------------------------------------------------------------------
HEDDLE_API cudaMalloc(void** devPtr, size_t size);
HEDDLE_API cudaMallocHost(void** ptr, size_t size);
HEDDLE_API cudaMallocManaged(void** devPtr, size_t size, unsigned int flags HEDDLE_DEFAULT(cudaMemAttachGlobal));
HEDDLE_API cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height);
HEDDLE_API cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, size_t width,
                           size_t height HEDDLE_DEFAULT(0), unsigned int flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaMalloc3D(struct cudaPitchedPtr* pitchedDevPtr, struct cudaExtent extent);
HEDDLE_API cudaMalloc3DArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, struct cudaExtent extent,
                             unsigned int flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray, const struct cudaChannelFormatDesc* desc,
                                    struct cudaExtent extent, unsigned int numLevels,
                                    unsigned int flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaGetMipmappedArrayLevel(cudaArray_t* levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                      unsigned int level);
HEDDLE_API cudaMallocAsync(void** devPtr, size_t size, cudaStream_t stream);
HEDDLE_API cudaMallocFromPoolAsync(void** devPtr, size_t size, cudaMemPool_t memPool, cudaStream_t stream);
HEDDLE_API cudaMemPoolCreate(cudaMemPool_t* memPool, const struct cudaMemPoolProps* properties);
HEDDLE_API cudaMemPoolDestroy(cudaMemPool_t memPool);
HEDDLE_API cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
HEDDLE_API cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value);
HEDDLE_API cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value);
HEDDLE_API cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc* accesses, size_t count);
HEDDLE_API cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                struct cudaMemLocation* location);
HEDDLE_API cudaFree(void* devPtr);
HEDDLE_API cudaFreeAsync(void* devPtr, cudaStream_t stream);
HEDDLE_API cudaFreeHost(void* ptr);
HEDDLE_API cudaFreeArray(cudaArray_t array);
HEDDLE_API cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);
HEDDLE_API cudaHostAlloc(void** pHost, size_t size, unsigned int flags);
HEDDLE_API cudaHostRegister(void* ptr, size_t size, unsigned int flags);
HEDDLE_API cudaHostUnregister(void* ptr);
HEDDLE_API cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags);
HEDDLE_API cudaHostGetFlags(unsigned int* flags, void* pHost);
HEDDLE_API cudaMemGetInfo(size_t* free, size_t* total);
HEDDLE_API cudaArrayGetInfo(struct cudaChannelFormatDesc* desc, struct cudaExtent* extent, unsigned int* flags,
                            cudaArray_t array);
HEDDLE_API cudaMemcpy(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind);
HEDDLE_API cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count);
HEDDLE_API cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                        enum cudaMemcpyKind kind);
HEDDLE_API cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                               size_t width, size_t height, enum cudaMemcpyKind kind);
HEDDLE_API cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                 size_t width, size_t height, enum cudaMemcpyKind kind);
HEDDLE_API cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                    size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                    enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyDeviceToDevice));
HEDDLE_API cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                             enum cudaMemcpyKind kind);
HEDDLE_API cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                               enum cudaMemcpyKind kind);
HEDDLE_API cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                  size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                                  enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyDeviceToDevice));
HEDDLE_API cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                                  enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                    enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset HEDDLE_DEFAULT(0),
                              enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyHostToDevice));
HEDDLE_API cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset HEDDLE_DEFAULT(0),
                                enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyDeviceToHost));
HEDDLE_API cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                   enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                     enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpyAsync(void* dst, const void* src, size_t count, enum cudaMemcpyKind kind,
                           cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                               cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                                    size_t width, size_t height, enum cudaMemcpyKind kind,
                                    cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                      size_t width, size_t height, enum cudaMemcpyKind kind,
                                      cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpy3D(const struct cudaMemcpy3DParms* p);
HEDDLE_API cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms* p);
HEDDLE_API cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms* p, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemset(void* devPtr, int value, size_t count);
HEDDLE_API cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height);
HEDDLE_API cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent);
HEDDLE_API cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                             cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaGetSymbolAddress(void** devPtr, const void* symbol);
HEDDLE_API cudaGetSymbolSize(size_t* size, const void* symbol);
HEDDLE_API cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice, int device);
HEDDLE_API cudaMemPrefetchAsync_v2(const void* devPtr, size_t count, struct cudaMemLocation location,
                                   unsigned int flags, cudaStream_t stream HEDDLE_DEFAULT(0));
HEDDLE_API cudaMemAdvise_v2(const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                            struct cudaMemLocation location);
HEDDLE_API cudaMemRangeGetAttribute(void* data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                    const void* devPtr, size_t count);
HEDDLE_API cudaMemRangeGetAttributes(void** data, size_t* dataSizes, enum cudaMemRangeAttribute* attributes,
                                     size_t numAttributes, const void* devPtr, size_t count);
HEDDLE_API cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* ptr);
HEDDLE_API cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice);
HEDDLE_API cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
HEDDLE_API cudaDeviceDisablePeerAccess(int peerDevice);

// --- textures and surfaces -----------------------------------------------------------------------------------------
HEDDLE_API cudaGetChannelDesc(struct cudaChannelFormatDesc* desc, cudaArray_const_t array);
extern struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                    enum cudaChannelFormatKind f);
HEDDLE_API cudaBindTexture(size_t* offset, const struct textureReference* texref, const void* devPtr,
                           const struct cudaChannelFormatDesc* desc, size_t size HEDDLE_DEFAULT(UINT_MAX));
HEDDLE_API cudaBindTexture2D(size_t* offset, const struct textureReference* texref, const void* devPtr,
                             const struct cudaChannelFormatDesc* desc, size_t width, size_t height, size_t pitch);
HEDDLE_API cudaBindTextureToArray(const struct textureReference* texref, cudaArray_const_t array,
                                  const struct cudaChannelFormatDesc* desc);
HEDDLE_API cudaBindTextureToMipmappedArray(const struct textureReference* texref,
                                           cudaMipmappedArray_const_t mipmappedArray,
                                           const struct cudaChannelFormatDesc* desc);
HEDDLE_API cudaUnbindTexture(const struct textureReference* texref);
HEDDLE_API cudaGetTextureAlignmentOffset(size_t* offset, const struct textureReference* texref);
HEDDLE_API cudaGetTextureReference(const struct textureReference** texref, const void* symbol);
HEDDLE_API cudaBindSurfaceToArray(const struct surfaceReference* surfref, cudaArray_const_t array,
                                  const struct cudaChannelFormatDesc* desc);
HEDDLE_API cudaGetSurfaceReference(const struct surfaceReference** surfref, const void* symbol);
HEDDLE_API cudaCreateTextureObject(cudaTextureObject_t* texObject, const struct cudaResourceDesc* resDesc,
                                   const struct cudaTextureDesc* texDesc,
                                   const struct cudaResourceViewDesc* resViewDesc);
HEDDLE_API cudaDestroyTextureObject(cudaTextureObject_t texObject);
HEDDLE_API cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* resDesc, cudaTextureObject_t texObject);
HEDDLE_API cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* texDesc, cudaTextureObject_t texObject);
HEDDLE_API cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc* resViewDesc,
                                                cudaTextureObject_t texObject);
HEDDLE_API cudaCreateSurfaceObject(cudaSurfaceObject_t* surfObject, const struct cudaResourceDesc* resDesc);
HEDDLE_API cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
HEDDLE_API cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc* resDesc, cudaSurfaceObject_t surfObject);

// --- code loaded at run time -----------------------------------------------------------------------------------------
HEDDLE_API cudaLibraryLoadData(cudaLibrary_t* library, const void* code, enum cudaJitOption* jitOptions,
                               void** jitValues, unsigned int numJitOptions, enum cudaLibraryOption* libraryOptions,
                               void** libraryValues, unsigned int numLibraryOptions);
HEDDLE_API cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* fileName, enum cudaJitOption* jitOptions,
                                   void** jitValues, unsigned int numJitOptions, enum cudaLibraryOption* libraryOptions,
                                   void** libraryValues, unsigned int numLibraryOptions);
HEDDLE_API cudaLibraryUnload(cudaLibrary_t library);
HEDDLE_API cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name);
HEDDLE_API cudaLibraryGetGlobal(void** dptr, size_t* bytes, cudaLibrary_t library, const char* name);
HEDDLE_API cudaLibraryGetManaged(void** dptr, size_t* bytes, cudaLibrary_t library, const char* name);
HEDDLE_API cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library);
HEDDLE_API cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int numKernels, cudaLibrary_t library);
HEDDLE_API cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                   enum cudaDriverEntryPointQueryResult* status HEDDLE_DEFAULT(0));

// --- graphs ----------------------------------------------------------------------------------------------------------
HEDDLE_API cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
HEDDLE_API cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t numDependencies, const struct cudaKernelNodeParams* params);
HEDDLE_API cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t numDependencies, const struct cudaMemcpy3DParms* params);
HEDDLE_API cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t numDependencies, void* dst, const void* src, size_t count,
                                    enum cudaMemcpyKind kind);
HEDDLE_API cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t numDependencies, const struct cudaMemsetParams* params);
HEDDLE_API cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                size_t numDependencies, const struct cudaHostNodeParams* params);
HEDDLE_API cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t numDependencies, cudaGraph_t childGraph);
HEDDLE_API cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t numDependencies);
HEDDLE_API cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                    size_t numDependencies);
HEDDLE_API cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original);
HEDDLE_API cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes);
HEDDLE_API cudaGraphInstantiate(cudaGraphExec_t* graphExec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                char* logBuffer, size_t bufferSize);
HEDDLE_API cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                            const struct cudaKernelNodeParams* params);
HEDDLE_API cudaGraphExecUpdate(cudaGraphExec_t graphExec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                               enum cudaGraphExecUpdateResult* result);
HEDDLE_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          size_t numDependencies, const void* symbol, const void* src, size_t count,
                                          size_t offset, enum cudaMemcpyKind kind);
HEDDLE_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* dependencies, size_t numDependencies, void* dst,
                                            const void* symbol, size_t count, size_t offset, enum cudaMemcpyKind kind);
HEDDLE_API cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t numDependencies, cudaEvent_t event);
HEDDLE_API cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t numDependencies, cudaEvent_t event);
HEDDLE_API cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t numDependencies, struct cudaMemAllocNodeParams* params);
HEDDLE_API cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t numDependencies, void* dptr);
HEDDLE_API cudaGraphDestroyNode(cudaGraphNode_t node);
HEDDLE_API cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                       size_t numDependencies);
HEDDLE_API cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges);
HEDDLE_API cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* rootNodes, size_t* numRootNodes);
HEDDLE_API cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone);
HEDDLE_API cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, size_t* numDependencies);
HEDDLE_API cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependentNodes,
                                          size_t* numDependentNodes);
HEDDLE_API cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* type);
HEDDLE_API cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph);
HEDDLE_API cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int flags);
HEDDLE_API cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams* params);
HEDDLE_API cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams* params);
HEDDLE_API cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms* params);
HEDDLE_API cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms* params);
HEDDLE_API cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src, size_t count,
                                          enum cudaMemcpyKind kind);
HEDDLE_API cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams* params);
HEDDLE_API cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams* params);
HEDDLE_API cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams* params);
HEDDLE_API cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams* params);
HEDDLE_API cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams* params);
HEDDLE_API cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* dptr);
HEDDLE_API cudaGraphInstantiateWithFlags(cudaGraphExec_t* graphExec, cudaGraph_t graph,
                                         unsigned long long flags HEDDLE_DEFAULT(0));
HEDDLE_API cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                            const struct cudaMemcpy3DParms* params);
HEDDLE_API cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graphExec, cudaGraphNode_t node, void* dst,
                                              const void* src, size_t count, enum cudaMemcpyKind kind);
HEDDLE_API cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                            const struct cudaMemsetParams* params);
HEDDLE_API cudaGraphExecHostNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                          const struct cudaHostNodeParams* params);
HEDDLE_API cudaGraphNodeSetEnabled(cudaGraphExec_t graphExec, cudaGraphNode_t node, unsigned int isEnabled);
HEDDLE_API cudaGraphNodeGetEnabled(cudaGraphExec_t graphExec, cudaGraphNode_t node, unsigned int* isEnabled);
HEDDLE_API cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
HEDDLE_API cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
HEDDLE_API cudaGraphExecDestroy(cudaGraphExec_t graphExec);
HEDDLE_API cudaGraphDestroy(cudaGraph_t graph);

#undef HEDDLE_API
#undef HEDDLE_DEFAULT
#if defined(__cplusplus)
}

// CUDA 12 has three arguments where CUDA 11 had five.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* graphExec, cudaGraph_t graph,
                                               unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(graphExec, graph, flags);
}
#endif

#endif
