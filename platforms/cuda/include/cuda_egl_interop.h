// SPDX-License-Identifier: Apache-2.0
// The runtime API's EGL interoperability: types, and calls that fail with cudaErrorNotSupported and a message. C and
// C++.
#ifndef HEDDLE_CUDA_EGL_INTEROP_H
#define HEDDLE_CUDA_EGL_INTEROP_H
#define _CUDA_EGL_INTEROP_H

#include "cudaEGL.h"
#include "cuda_runtime_api.h"

#define CUDA_EGL_MAX_PLANES 3

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum cudaEglFrameType_enum { cudaEglFrameTypeArray = 0, cudaEglFrameTypePitch = 1 } cudaEglFrameType;
typedef enum cudaEglResourceLocationFlags_enum {
  cudaEglResourceLocationSysmem = 0,
  cudaEglResourceLocationVidmem = 1
} cudaEglResourceLocationFlags;
typedef enum cudaEglColorFormat_enum {
  cudaEglColorFormatYUV420Planar = 0,
  cudaEglColorFormatYUV420SemiPlanar = 1,
  cudaEglColorFormatYUV422Planar = 2,
  cudaEglColorFormatYUV422SemiPlanar = 3,
  cudaEglColorFormatARGB = 6,
  cudaEglColorFormatRGBA = 7,
  cudaEglColorFormatL = 8,
  cudaEglColorFormatR = 9
} cudaEglColorFormat;
typedef struct CUeglStreamConnection_st* cudaEglStreamConnection;
typedef struct cudaEglPlaneDesc_st {
  unsigned int width, height, depth, pitch, numChannels;
  struct cudaChannelFormatDesc channelDesc;
  unsigned int reserved[4];
} cudaEglPlaneDesc;
typedef struct cudaEglFrame_st {
  union {
    cudaArray_t pArray[CUDA_EGL_MAX_PLANES];
    struct cudaPitchedPtr pPitch[CUDA_EGL_MAX_PLANES];
  } frame;
  cudaEglPlaneDesc planeDesc[CUDA_EGL_MAX_PLANES];
  unsigned int planeCount;
  cudaEglFrameType frameType;
  cudaEglColorFormat eglColorFormat;
} cudaEglFrame;

extern cudaError_t CUDARTAPI cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource** resource, EGLImageKHR image,
                                                          unsigned int flags);
extern cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame* frame, cudaGraphicsResource_t resource,
                                                                   unsigned int index, unsigned int mipLevel);
extern cudaError_t CUDARTAPI cudaEGLStreamConsumerConnect(cudaEglStreamConnection* conn, EGLStreamKHR eglStream);
extern cudaError_t CUDARTAPI cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection* conn,
                                                                   EGLStreamKHR eglStream, unsigned int flags);
extern cudaError_t CUDARTAPI cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection* conn);
extern cudaError_t CUDARTAPI cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection* conn,
                                                               cudaGraphicsResource_t* resource, cudaStream_t* stream,
                                                               unsigned int timeout);
extern cudaError_t CUDARTAPI cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection* conn,
                                                               cudaGraphicsResource_t resource, cudaStream_t* stream);
extern cudaError_t CUDARTAPI cudaEGLStreamProducerConnect(cudaEglStreamConnection* conn, EGLStreamKHR eglStream,
                                                          EGLint width, EGLint height);
extern cudaError_t CUDARTAPI cudaEGLStreamProducerDisconnect(cudaEglStreamConnection* conn);
extern cudaError_t CUDARTAPI cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection* conn, cudaEglFrame eglframe,
                                                               cudaStream_t* stream);
extern cudaError_t CUDARTAPI cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection* conn, cudaEglFrame* eglframe,
                                                              cudaStream_t* stream);
extern cudaError_t CUDARTAPI cudaEventCreateFromEGLSync(cudaEvent_t* event, EGLSyncKHR eglSync, unsigned int flags);

#if defined(__cplusplus)
}
#endif

#endif
