// SPDX-License-Identifier: Apache-2.0
// Calls that return "not supported": copies between devices, and peer access, which CUDA refuses in the same way on a
// machine with one device.
#include <fmt/core.h>

#include "runtime/messages.h"
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
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  heddle::runtime::say_error(
      fmt::format("cudaDeviceEnablePeerAccess({}): the model has one device, which has no peers", peer));
  return no_such_device();
}
cudaError_t cudaDeviceDisablePeerAccess(int) { return no_such_device(); }
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) { return no_such_device(); }
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms*) { return not_supported(); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms*, cudaStream_t) { return not_supported(); }
