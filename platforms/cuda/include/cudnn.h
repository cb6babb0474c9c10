// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuDNN: a program that includes <cudnn.h> cannot be built with it."
