// SPDX-License-Identifier: Apache-2.0
// The driver API's EGL interoperability: types, and calls that fail with CUDA_ERROR_NOT_SUPPORTED and a message. C and
// C++.
#ifndef HEDDLE_CUDAEGL_H
#define HEDDLE_CUDAEGL_H
#define CUDAEGL_H

#include "cuda.h"
#include "heddle_device/refused.h"

#if defined(__has_include)
#if __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define HEDDLE_HAS_EGL 1
#endif
#endif
#if !defined(HEDDLE_HAS_EGL)
typedef void* EGLStreamKHR;
typedef void* EGLImageKHR;
typedef void* EGLSyncKHR;
typedef int EGLint;
#endif
#undef HEDDLE_HAS_EGL

#define MAX_PLANES 3

typedef enum CUeglFrameType_enum { CU_EGL_FRAME_TYPE_ARRAY = 0, CU_EGL_FRAME_TYPE_PITCH = 1 } CUeglFrameType;
typedef enum CUeglResourceLocationFlags_enum {
  CU_EGL_RESOURCE_LOCATION_SYSMEM = 0,
  CU_EGL_RESOURCE_LOCATION_VIDMEM = 1
} CUeglResourceLocationFlags;
typedef enum CUeglColorFormat_enum {
  CU_EGL_COLOR_FORMAT_YUV420_PLANAR = 0,
  CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR = 1,
  CU_EGL_COLOR_FORMAT_YUV422_PLANAR = 2,
  CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR = 3,
  CU_EGL_COLOR_FORMAT_RGB = 4,
  CU_EGL_COLOR_FORMAT_BGR = 5,
  CU_EGL_COLOR_FORMAT_ARGB = 6,
  CU_EGL_COLOR_FORMAT_RGBA = 7,
  CU_EGL_COLOR_FORMAT_L = 8,
  CU_EGL_COLOR_FORMAT_R = 9
} CUeglColorFormat;
typedef struct CUeglStreamConnection_st* CUeglStreamConnection;
typedef struct CUeglFrame_st {
  union {
    CUarray pArray[MAX_PLANES];
    void* pPitch[MAX_PLANES];
  } frame;
  unsigned int width, height, depth, pitch, planeCount, numChannels;
  CUeglFrameType frameType;
  CUeglColorFormat eglColorFormat;
  int cuFormat;
} CUeglFrame;

HEDDLE_REFUSED_DRIVER_CALL(cuGraphicsEGLRegisterImage,
                           (CUgraphicsResource * resource, EGLImageKHR image, unsigned int flags), (void)resource,
                           (void)image, (void)flags)
HEDDLE_REFUSED_DRIVER_CALL(cuGraphicsResourceGetMappedEglFrame,
                           (CUeglFrame * frame, CUgraphicsResource resource, unsigned int index, unsigned int level),
                           (void)frame, (void)resource, (void)index, (void)level)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamConsumerConnect, (CUeglStreamConnection * connection, EGLStreamKHR stream),
                           (void)connection, (void)stream)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamConsumerConnectWithFlags,
                           (CUeglStreamConnection * connection, EGLStreamKHR stream, unsigned int flags),
                           (void)connection, (void)stream, (void)flags)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamConsumerDisconnect, (CUeglStreamConnection * connection), (void)connection)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamConsumerAcquireFrame,
                           (CUeglStreamConnection * connection, CUgraphicsResource* resource, CUstream* stream,
                            unsigned int timeout),
                           (void)connection, (void)resource, (void)stream, (void)timeout)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamConsumerReleaseFrame,
                           (CUeglStreamConnection * connection, CUgraphicsResource resource, CUstream* stream),
                           (void)connection, (void)resource, (void)stream)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamProducerConnect,
                           (CUeglStreamConnection * connection, EGLStreamKHR stream, EGLint width, EGLint height),
                           (void)connection, (void)stream, (void)width, (void)height)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamProducerDisconnect, (CUeglStreamConnection * connection), (void)connection)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamProducerPresentFrame,
                           (CUeglStreamConnection * connection, CUeglFrame frame, CUstream* stream), (void)connection,
                           (void)frame, (void)stream)
HEDDLE_REFUSED_DRIVER_CALL(cuEGLStreamProducerReturnFrame,
                           (CUeglStreamConnection * connection, CUeglFrame* frame, CUstream* stream), (void)connection,
                           (void)frame, (void)stream)
HEDDLE_REFUSED_DRIVER_CALL(cuEventCreateFromEGLSync, (CUevent * event, EGLSyncKHR sync, unsigned int flags),
                           (void)event, (void)sync, (void)flags)

#endif
