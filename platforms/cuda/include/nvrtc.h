// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide NVRTC: a program that includes <nvrtc.h> cannot be built with it."
