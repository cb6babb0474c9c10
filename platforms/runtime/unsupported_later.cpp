// SPDX-License-Identifier: Apache-2.0
// More calls that return "not supported": declared by CUDA's headers but not by ours, so that programs referring to
// them still start. Arguments are ignored, as a C function may be called with more arguments than it declares.
#include "runtime/runtime.h"

using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

#define HEDDLE_NOT_SUPPORTED(name)                                       \
  extern "C" cudaError_t name() {                                        \
    return api([](Runtime&) { require(false, cudaErrorNotSupported); }); \
  }                                                                      \
  static_assert(true, "a semicolon follows")

// -- graphs: queries and changes
HEDDLE_NOT_SUPPORTED(cudaGraphAddExternalSemaphoresSignalNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddExternalSemaphoresWaitNode);
HEDDLE_NOT_SUPPORTED(cudaGraphAddNode);
HEDDLE_NOT_SUPPORTED(cudaGraphEventRecordNodeGetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphEventRecordNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphEventWaitNodeGetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphEventWaitNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphExecChildGraphNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphExecEventRecordNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphExecEventWaitNodeSetEvent);
HEDDLE_NOT_SUPPORTED(cudaGraphExecGetFlags);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemcpyNodeSetParamsFromSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphExecMemcpyNodeSetParamsToSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphExecNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphInstantiateWithParams);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeCopyAttributes);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeGetAttribute);
HEDDLE_NOT_SUPPORTED(cudaGraphKernelNodeSetAttribute);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeSetParamsFromSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphMemcpyNodeSetParamsToSymbol);
HEDDLE_NOT_SUPPORTED(cudaGraphNodeSetParams);
HEDDLE_NOT_SUPPORTED(cudaGraphReleaseUserObject);
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

// -- memory pools
HEDDLE_NOT_SUPPORTED(cudaMemPoolExportPointer);
HEDDLE_NOT_SUPPORTED(cudaMemPoolExportToShareableHandle);
HEDDLE_NOT_SUPPORTED(cudaMemPoolImportFromShareableHandle);
HEDDLE_NOT_SUPPORTED(cudaMemPoolImportPointer);

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
HEDDLE_NOT_SUPPORTED(cudaOccupancyMaxActiveClusters);
HEDDLE_NOT_SUPPORTED(cudaOccupancyMaxPotentialClusterSize);
