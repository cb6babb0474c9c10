// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide tensor-core (WMMA) functions: a program that includes <mma.h> cannot be built with it."
