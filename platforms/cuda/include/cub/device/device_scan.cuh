// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide CUB: a program that includes <cub/device/device_scan.cuh> cannot be built with it."
