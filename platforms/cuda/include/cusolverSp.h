// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuSOLVER: a program that includes <cusolverSp.h> cannot be built with it."
