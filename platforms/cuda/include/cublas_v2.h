// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuBLAS: a program that includes <cublas_v2.h> cannot be built with it."
