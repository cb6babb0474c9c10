// SPDX-License-Identifier: Apache-2.0
// make_cudaPitchedPtr(), make_cudaPos(), make_cudaExtent(). C and C++.
#ifndef HEDDLE_DRIVER_FUNCTIONS_H
#define HEDDLE_DRIVER_FUNCTIONS_H
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void* ptr, size_t pitch, size_t xsize, size_t ysize) {
  struct cudaPitchedPtr p = {ptr, pitch, xsize, ysize};
  return p;
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p = {x, y, z};
  return p;
}

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent e = {width, height, depth};
  return e;
}

#endif
