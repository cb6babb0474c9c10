// SPDX-License-Identifier: Apache-2.0
// Driver API: streams and events, shared with the runtime API.
#include "runtime/driver.h"

using namespace heddle::runtime;

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return driver::call([&] { return cudaStreamCreateWithFlags(stream, flags); });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return driver::call([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

CUresult cuStreamDestroy(CUstream stream) {
  return driver::call([&] { return cudaStreamDestroy(stream); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return driver::call([&] { return cudaStreamGetFlags(stream, flags); });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return driver::call([&] { return cudaStreamGetPriority(stream, priority); });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return driver::call([&] {
    if (context == nullptr) return cudaErrorInvalidValue;
    *context = driver::current_context();
    return api([&](Runtime& runtime) { require(runtime.streams().valid(stream), cudaErrorInvalidResourceHandle); });
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return driver::call([&] { return cudaStreamSynchronize(stream); });
}

CUresult cuStreamQuery(CUstream stream) {
  return driver::call([&] { return cudaStreamQuery(stream); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return driver::call([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  // Both interfaces use the same numbers for error codes.
  return driver::call(
      [&] { return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags); });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return driver::call([&] { return cudaLaunchHostFunc(stream, function, data); });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return driver::call([&] { return cudaEventCreateWithFlags(event, flags); });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return driver::call([&] { return cudaEventRecord(event, stream); });
}

CUresult cuEventQuery(CUevent event) {
  return driver::call([&] { return cudaEventQuery(event); });
}

CUresult cuEventSynchronize(CUevent event) {
  return driver::call([&] { return cudaEventSynchronize(event); });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return driver::call([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

CUresult cuEventDestroy(CUevent event) {
  return driver::call([&] { return cudaEventDestroy(event); });
}
