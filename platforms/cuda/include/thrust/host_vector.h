// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide Thrust: a program that includes <thrust/host_vector.h> cannot be built with it."
