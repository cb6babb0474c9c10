// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide CUB: a program that includes <cub/util_allocator.cuh> cannot be built with it."
