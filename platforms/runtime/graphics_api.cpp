// SPDX-License-Identifier: Apache-2.0
// OpenGL and EGL interoperability calls: each is refused with a message that names it. Arguments are ignored, as a C
// function may be called with more arguments than it declares.
#include "runtime/messages.h"
#include "runtime/runtime.h"

namespace {

cudaError_t refuse(const char* name) {
  return heddle::runtime::api([&](heddle::runtime::Runtime&) {
    heddle::runtime::say_error(std::string(name) +
                               ": there is no graphics interface to share memory with; run the program without "
                               "graphics, or copy results to the host with cudaMemcpy");
    heddle::runtime::require(false, cudaErrorNotSupported);
  });
}

}  // namespace

#define HEDDLE_REFUSED(name)                                       \
  extern "C" cudaError_t heddle_##name() __asm__(#name);           \
  extern "C" cudaError_t heddle_##name() { return refuse(#name); } \
  static_assert(true, "a semicolon follows")

HEDDLE_REFUSED(cudaGraphicsUnregisterResource);
HEDDLE_REFUSED(cudaGraphicsResourceSetMapFlags);
HEDDLE_REFUSED(cudaGraphicsMapResources);
HEDDLE_REFUSED(cudaGraphicsUnmapResources);
HEDDLE_REFUSED(cudaGraphicsResourceGetMappedPointer);
HEDDLE_REFUSED(cudaGraphicsSubResourceGetMappedArray);
HEDDLE_REFUSED(cudaGraphicsResourceGetMappedMipmappedArray);

HEDDLE_REFUSED(cudaGLGetDevices);
HEDDLE_REFUSED(cudaGLSetGLDevice);
HEDDLE_REFUSED(cudaGraphicsGLRegisterImage);
HEDDLE_REFUSED(cudaGraphicsGLRegisterBuffer);
HEDDLE_REFUSED(cudaGLRegisterBufferObject);
HEDDLE_REFUSED(cudaGLUnregisterBufferObject);
HEDDLE_REFUSED(cudaGLSetBufferObjectMapFlags);
HEDDLE_REFUSED(cudaGLMapBufferObject);
HEDDLE_REFUSED(cudaGLMapBufferObjectAsync);
HEDDLE_REFUSED(cudaGLUnmapBufferObject);
HEDDLE_REFUSED(cudaGLUnmapBufferObjectAsync);

HEDDLE_REFUSED(cudaGraphicsEGLRegisterImage);
HEDDLE_REFUSED(cudaGraphicsResourceGetMappedEglFrame);
HEDDLE_REFUSED(cudaEGLStreamConsumerConnect);
HEDDLE_REFUSED(cudaEGLStreamConsumerConnectWithFlags);
HEDDLE_REFUSED(cudaEGLStreamConsumerDisconnect);
HEDDLE_REFUSED(cudaEGLStreamConsumerAcquireFrame);
HEDDLE_REFUSED(cudaEGLStreamConsumerReleaseFrame);
HEDDLE_REFUSED(cudaEGLStreamProducerConnect);
HEDDLE_REFUSED(cudaEGLStreamProducerDisconnect);
HEDDLE_REFUSED(cudaEGLStreamProducerPresentFrame);
HEDDLE_REFUSED(cudaEGLStreamProducerReturnFrame);
HEDDLE_REFUSED(cudaEventCreateFromEGLSync);
