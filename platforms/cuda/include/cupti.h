// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide CUPTI: a program that includes <cupti.h> cannot be built with it."
