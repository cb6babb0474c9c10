// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide NCCL: a program that includes <nccl.h> cannot be built with it."
