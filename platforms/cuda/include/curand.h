// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuRAND: a program that includes <curand.h> cannot be built with it."
