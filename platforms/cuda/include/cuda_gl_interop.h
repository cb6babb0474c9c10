// SPDX-License-Identifier: Apache-2.0
#error \
    "Heddle does not provide OpenGL interoperation: a program that includes <cuda_gl_interop.h> cannot be built with it."
