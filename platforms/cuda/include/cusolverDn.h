// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuSOLVER: a program that includes <cusolverDn.h> cannot be built with it."
