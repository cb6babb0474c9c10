// SPDX-License-Identifier: Apache-2.0
// Calls that share memory with OpenGL or EGL: each fails with "not supported", and the program continues.
#include <cudaGL.h>
#include <cuda_egl_interop.h>
#include <cuda_gl_interop.h>

#include "check.h"

#define EXPECT_REFUSED(call)                                                            \
  expect_equal(#call, static_cast<int>(call), static_cast<int>(cudaErrorNotSupported)); \
  expect_equal("the error behind " #call, static_cast<int>(cudaGetLastError()), static_cast<int>(cudaErrorNotSupported))

int main() {
  cudaGraphicsResource* resource = nullptr;
  cudaEglStreamConnection connection = nullptr;
  cudaEglFrame frame{};
  void* pointer = nullptr;
  size_t bytes = 0;
  unsigned count = 0;
  int device = 0;
  EXPECT_REFUSED(cudaGLSetGLDevice(0));
  EXPECT_REFUSED(cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll));
  EXPECT_REFUSED(cudaGraphicsGLRegisterBuffer(&resource, 1, cudaGraphicsRegisterFlagsNone));
  EXPECT_REFUSED(cudaGraphicsGLRegisterImage(&resource, 1, 0, cudaGraphicsRegisterFlagsNone));
  EXPECT_REFUSED(cudaGraphicsMapResources(1, &resource));
  EXPECT_REFUSED(cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource));
  EXPECT_REFUSED(cudaGraphicsUnmapResources(1, &resource));
  EXPECT_REFUSED(cudaGraphicsUnregisterResource(resource));
  EXPECT_REFUSED(cudaGLRegisterBufferObject(1));
  EXPECT_REFUSED(cudaGLMapBufferObject(&pointer, 1));
  EXPECT_REFUSED(cudaEGLStreamConsumerConnect(&connection, nullptr));
  EXPECT_REFUSED(cudaEGLStreamProducerPresentFrame(&connection, frame, nullptr));
  expect_equal("cuGraphicsGLRegisterBuffer", static_cast<int>(cuGraphicsGLRegisterBuffer(nullptr, 1, 0)),
               static_cast<int>(CUDA_ERROR_NOT_SUPPORTED));
  expect_equal("cuEGLStreamConsumerConnect", static_cast<int>(cuEGLStreamConsumerConnect(nullptr, nullptr)),
               static_cast<int>(CUDA_ERROR_NOT_SUPPORTED));
  Mirror<int> still(1);
  still.fetch();
  return finish();
}
