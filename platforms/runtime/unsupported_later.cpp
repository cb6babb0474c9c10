// SPDX-License-Identifier: Apache-2.0
// More calls that answer "not supported": those that CUDA's headers declare and ours do not, so that a program that
// names one still starts. Their arguments are not looked at; a C function may be called with more than it takes.
#include "runtime/runtime.h"

using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

#define HEDDLE_NOT_SUPPORTED(name)                                       \
  extern "C" cudaError_t name() {                                        \
    return api([](Runtime&) { require(false, cudaErrorNotSupported); }); \
  }                                                                      \
  static_assert(true, "a semicolon follows")

// -- graphs: questions and changes
HEDDLE_NOT_SUPPORTED(cudaGraphAddEventRecordNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddEventWaitNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddExternalSemaphoresSignalNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddExternalSemaphoresWaitNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddMemAllocNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddMemFreeNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddMemcpyNodeFromSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphAddMemcpyNodeToSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphAddNode);
HEDDLE_NOT_SUPPORTED(cudaGraphChildGraphNodeGetGraph);
HEDDLE_NOT_SUPPORTED(cudaGraphDebugDotPrint);
HEDDLE_NOT_SUPPORTED(cudaGraphDestroyNode);
HEDDLE_NOT_SUPPORTED(cudaGraphEventRecordNodeGetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphEventRecordNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphEventWaitNodeGetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphEventWaitNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphExecChildGraphNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphExecEventRecordNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphExecEventWaitNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphExecGetFlags);
HEDDLE_NOT_SUPPORTED(cudaGraphExecHostNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemcpyNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemcpyNodeSetParams1D);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemcpyNodeSetParamsFromSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemcpyNodeSetParamsToSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemsetNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphExecNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphGetEdges);
HEDDLE_NOT_SUPPORTED(cudaGraphGetRootNodes);
HEDDLE_NOT_SUPPORTED(cudaGraphHostNodeGetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphHostNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphInstantiateWithFlags);
HEDDLE_NOT_SUPPORTED(cudaGraphInstantiateWithParams);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeCopyAttributes);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeGetAttribute);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeGetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeSetAttribute);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphMemAllocNodeGetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphMemFreeNodeGetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeGetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeSetParams1D);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeSetParamsFromSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeSetParamsToSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphMemsetNodeGetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphMemsetNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeFindInClone);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeGetDependencies);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeGetDependentNodes);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeGetEnabled);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeGetType);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeSetEnabled);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphReleaseUserObject);
HEDDLE_NOT_SUPPORTED(cudaGraphRemoveDependencies);
HEDDLE_NOT_SUPPORTED(cudaGraphRetainUserObject);
HEDDLE_NOT_SUPPORTED(cudaUserObjectCreate);
HEDDLE_NOT_SUPPORTED(cudaUserObjectRelease);
HEDDLE_NOT_SUPPORTED(cudaUserObjectRetain);
HEDDLE_NOT_SUPPORTED(cudaDeviceGetGraphMemAttribute);
HEDDLE_NOT_SUPPORTED(cudaDeviceGraphMemTrim);
HEDDLE_NOT_SUPPORTED(cudaDeviceSetGraphMemAttribute);

// -- capture
HEDDLE_NOT_SUPPORTED(cudaStreamUpdateCaptureDependencies);
HEDDLE_NOT_SUPPORTED(cudaStreamBeginCaptureToGraph);
HEDDLE_NOT_SUPPORTED(cudaStreamCopyAttributes);
HEDDLE_NOT_SUPPORTED(cudaThreadExchangeStreamCaptureMode);

// -- memory pools
HEDDLE_NOT_SUPPORTED(cudaDeviceGetMemPool);
HEDDLE_NOT_SUPPORTED(cudaDeviceSetMemPool);
HEDDLE_NOT_SUPPORTED(cudaMallocFromPoolAsync);
HEDDLE_NOT_SUPPORTED(cudaMemPoolCreate);
HEDDLE_NOT_SUPPORTED(cudaMemPoolDestroy);
HEDDLE_NOT_SUPPORTED(cudaMemPoolExportPointer);
HEDDLE_NOT_SUPPORTED(cudaMemPoolExportToShareableHandle);
HEDDLE_NOT_SUPPORTED(cudaMemPoolGetAccess);
HEDDLE_NOT_SUPPORTED(cudaMemPoolGetAttribute);
HEDDLE_NOT_SUPPORTED(cudaMemPoolImportFromShareableHandle);
HEDDLE_NOT_SUPPORTED(cudaMemPoolImportPointer);
HEDDLE_NOT_SUPPORTED(cudaMemPoolSetAccess);
HEDDLE_NOT_SUPPORTED(cudaMemPoolSetAttribute);
HEDDLE_NOT_SUPPORTED(cudaMemPoolTrimTo);

// -- memory and semaphores of other interfaces
HEDDLE_NOT_SUPPORTED(cudaDestroyExternalMemory);
HEDDLE_NOT_SUPPORTED(cudaDestroyExternalSemaphore);
HEDDLE_NOT_SUPPORTED(cudaExternalMemoryGetMappedBuffer);
HEDDLE_NOT_SUPPORTED(cudaExternalMemoryGetMappedMipmappedArray);
HEDDLE_NOT_SUPPORTED(cudaImportExternalMemory);
HEDDLE_NOT_SUPPORTED(cudaImportExternalSemaphore);
HEDDLE_NOT_SUPPORTED(cudaSignalExternalSemaphoresAsync);
HEDDLE_NOT_SUPPORTED(cudaWaitExternalSemaphoresAsync);

// -- the driver, launches with attributes
HEDDLE_NOT_SUPPORTED(cudaGetDriverEntryPoint);
HEDDLE_NOT_SUPPORTED(cudaLaunchKernelExC);
HEDDLE_NOT_SUPPORTED(cudaOccupancyMaxActiveClusters);
HEDDLE_NOT_SUPPORTED(cudaOccupancyMaxPotentialClusterSize);

namespace {

/// No stream captures. Both forms of the question start alike.
cudaError_t capture_status(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(status != nullptr, cudaErrorInvalidValue);
    *status = cudaStreamCaptureStatusNone;
    if (id != nullptr) *id = 0;
  });
}

}  // namespace

extern "C" cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                unsigned long long* id) {
  return capture_status(stream, status, id);
}
extern "C" cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, void*, const void*, std::size_t*) {
  return capture_status(stream, status, id);
}
