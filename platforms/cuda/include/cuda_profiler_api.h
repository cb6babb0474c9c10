// SPDX-License-Identifier: Apache-2.0
// cudaProfilerStart() and cudaProfilerStop().
#ifndef HEDDLE_CUDA_PROFILER_API_H
#define HEDDLE_CUDA_PROFILER_API_H
#define __CUDA_PROFILER_API_H__

#include "driver_types.h"

#if defined(__cplusplus)
extern "C" {
#endif
extern cudaError_t CUDARTAPI cudaProfilerInitialize(const char* configFile, const char* outputFile,
                                                    enum cudaOutputMode outputMode);
extern cudaError_t CUDARTAPI cudaProfilerStart(void);
extern cudaError_t CUDARTAPI cudaProfilerStop(void);
#if defined(__cplusplus)
}
#endif

#endif
