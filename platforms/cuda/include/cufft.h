// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuFFT: a program that includes <cufft.h> cannot be built with it."
