// SPDX-License-Identifier: Apache-2.0
// Calls that answer "not supported": graphs and capture, other processes' memory, mip maps, surfaces, memory pools; and
// peer access, which is refused as CUDA refuses it on a machine with one device.
#include "runtime/runtime.h"

using heddle::runtime::api;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

cudaError_t not_supported() {
  return api([](Runtime&) { require(false, cudaErrorNotSupported); });
}

cudaError_t no_such_device() {
  return api([](Runtime&) { require(false, cudaErrorInvalidDevice); });
}

}  // namespace

// -- peers

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&](Runtime&) {
    require(can != nullptr, cudaErrorInvalidValue);
    require(device == 0 && peer == 0, cudaErrorInvalidDevice);
    *can = 0;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return no_such_device(); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return no_such_device(); }
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) { return no_such_device(); }
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms*) { return not_supported(); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms*, cudaStream_t) { return not_supported(); }

// -- other processes

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) { return not_supported(); }
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) { return not_supported(); }
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return not_supported(); }
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) { return not_supported(); }
cudaError_t cudaIpcCloseMemHandle(void*) { return not_supported(); }

// -- memory pools, mip maps, surfaces

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) { return not_supported(); }
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned,
                                     unsigned) {
  return not_supported();
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t*, cudaMipmappedArray_const_t, unsigned) { return not_supported(); }
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t) { return not_supported(); }
cudaError_t cudaBindTextureToMipmappedArray(const textureReference*, cudaMipmappedArray_const_t,
                                            const cudaChannelFormatDesc*) {
  return not_supported();
}
cudaError_t cudaBindSurfaceToArray(const surfaceReference*, cudaArray_const_t, const cudaChannelFormatDesc*) {
  return not_supported();
}
cudaError_t cudaGetSurfaceReference(const surfaceReference**, const void*) { return not_supported(); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*) { return not_supported(); }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return not_supported(); }

// -- graphs

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return not_supported(); }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) { return not_supported(); }
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return api([&](Runtime& runtime) {
    require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle);
    require(status != nullptr, cudaErrorInvalidValue);
    *status = cudaStreamCaptureStatusNone;
  });
}
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned) { return not_supported(); }
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                   const cudaKernelNodeParams*) {
  return not_supported();
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                   const cudaMemcpy3DParms*) {
  return not_supported();
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t, void*,
                                     const void*, std::size_t, cudaMemcpyKind) {
  return not_supported();
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                   const cudaMemsetParams*) {
  return not_supported();
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                 const cudaHostNodeParams*) {
  return not_supported();
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                       cudaGraph_t) {
  return not_supported();
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t) {
  return not_supported();
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t*, const cudaGraphNode_t*, std::size_t) {
  return not_supported();
}
cudaError_t cudaGraphClone(cudaGraph_t*, cudaGraph_t) { return not_supported(); }
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, std::size_t*) { return not_supported(); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, cudaGraphNode_t*, char*, std::size_t) {
  return not_supported();
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const cudaKernelNodeParams*) {
  return not_supported();
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t*, cudaGraphExecUpdateResult*) {
  return not_supported();
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return not_supported(); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return not_supported(); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return not_supported(); }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return not_supported(); }
