// SPDX-License-Identifier: Apache-2.0
// Driver calls for graphics interoperability, which is not modelled: each fails with a message. C and C++.
#ifndef HEDDLE_REFUSED_H
#define HEDDLE_REFUSED_H

#include <stdio.h>

#include "../cuda.h"

typedef struct CUgraphicsResource_st* CUgraphicsResource;

#define HEDDLE_REFUSED_DRIVER_CALL(name, parameters, ...)                                                        \
  static inline CUresult name parameters {                                                                       \
    __VA_ARGS__;                                                                                                 \
    fprintf(stderr,                                                                                              \
            "heddle: error: " #name                                                                              \
            ": there is no graphics interface to share memory with; copy results to the host (cuMemcpyDtoH)\n"); \
    return CUDA_ERROR_NOT_SUPPORTED;                                                                             \
  }

#endif
