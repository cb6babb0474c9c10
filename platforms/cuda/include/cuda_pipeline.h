// SPDX-License-Identifier: Apache-2.0
#error \
    "Heddle does not provide the pipeline primitives of sm_80: a program that includes <cuda_pipeline.h> cannot be built with it."
