// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide CUB: a program that includes <cub/block/block_radix_sort.cuh> cannot be built with it."
