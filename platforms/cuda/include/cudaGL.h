// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide OpenGL interoperation: a program that includes <cudaGL.h> cannot be built with it."
