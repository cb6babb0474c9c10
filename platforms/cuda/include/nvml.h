// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide NVML: a program that includes <nvml.h> cannot be built with it."
