// SPDX-License-Identifier: Apache-2.0
// The driver API's OpenGL interoperability: every call fails with CUDA_ERROR_NOT_SUPPORTED and a message. C and C++.
#ifndef HEDDLE_CUDAGL_H
#define HEDDLE_CUDAGL_H
#define CUDAGL_H

#include "cuda.h"
#include "cuda_gl_interop.h"
#include "heddle_device/refused.h"

typedef enum CUGLDeviceList_enum {
  CU_GL_DEVICE_LIST_ALL = 1,
  CU_GL_DEVICE_LIST_CURRENT_FRAME = 2,
  CU_GL_DEVICE_LIST_NEXT_FRAME = 3
} CUGLDeviceList;

HEDDLE_REFUSED_DRIVER_CALL(cuGraphicsGLRegisterBuffer,
                           (CUgraphicsResource * resource, GLuint buffer, unsigned int flags), (void)resource,
                           (void)buffer, (void)flags)
HEDDLE_REFUSED_DRIVER_CALL(cuGraphicsGLRegisterImage,
                           (CUgraphicsResource * resource, GLuint image, GLenum target, unsigned int flags),
                           (void)resource, (void)image, (void)target, (void)flags)
HEDDLE_REFUSED_DRIVER_CALL(cuGLGetDevices,
                           (unsigned int* count, CUdevice* devices, unsigned int room, CUGLDeviceList list),
                           (void)count, (void)devices, (void)room, (void)list)
HEDDLE_REFUSED_DRIVER_CALL(cuGLCtxCreate, (CUcontext * context, unsigned int flags, CUdevice device), (void)context,
                           (void)flags, (void)device)
HEDDLE_REFUSED_DRIVER_CALL(cuGLInit, (void), (void)0)

#endif
