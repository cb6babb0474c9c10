// SPDX-License-Identifier: Apache-2.0
// OpenGL interoperability, declared so that programs with a fallback build and run. Every call fails with
// cudaErrorNotSupported and a message. C and C++.
#ifndef HEDDLE_CUDA_GL_INTEROP_H
#define HEDDLE_CUDA_GL_INTEROP_H
#define __CUDA_GL_INTEROP_H__

#include "cuda_runtime_api.h"

#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#define HEDDLE_HAS_GL 1
#endif
#endif
#if !defined(HEDDLE_HAS_GL) && !defined(__gl_h_)
typedef unsigned int GLenum;
typedef unsigned int GLuint;
#endif
#undef HEDDLE_HAS_GL

#if defined(__cplusplus)
extern "C" {
#endif

enum cudaGLDeviceList { cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame = 2, cudaGLDeviceListNextFrame = 3 };
enum cudaGLMapFlags { cudaGLMapFlagsNone = 0, cudaGLMapFlagsReadOnly = 1, cudaGLMapFlagsWriteDiscard = 2 };

extern cudaError_t CUDARTAPI cudaGLGetDevices(unsigned int* pCudaDeviceCount, int* pCudaDevices,
                                              unsigned int cudaDeviceCount, enum cudaGLDeviceList deviceList);
extern cudaError_t CUDARTAPI cudaGraphicsGLRegisterImage(struct cudaGraphicsResource** resource, GLuint image,
                                                         GLenum target, unsigned int flags);
extern cudaError_t CUDARTAPI cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource** resource, GLuint buffer,
                                                          unsigned int flags);
extern cudaError_t CUDARTAPI cudaGLSetGLDevice(int device);
extern cudaError_t CUDARTAPI cudaGLRegisterBufferObject(GLuint bufObj);
extern cudaError_t CUDARTAPI cudaGLMapBufferObject(void** devPtr, GLuint bufObj);
extern cudaError_t CUDARTAPI cudaGLUnmapBufferObject(GLuint bufObj);
extern cudaError_t CUDARTAPI cudaGLUnregisterBufferObject(GLuint bufObj);
extern cudaError_t CUDARTAPI cudaGLSetBufferObjectMapFlags(GLuint bufObj, unsigned int flags);
extern cudaError_t CUDARTAPI cudaGLMapBufferObjectAsync(void** devPtr, GLuint bufObj, cudaStream_t stream);
extern cudaError_t CUDARTAPI cudaGLUnmapBufferObjectAsync(GLuint bufObj, cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
