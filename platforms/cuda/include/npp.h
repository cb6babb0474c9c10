// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide NPP: a program that includes <npp.h> cannot be built with it."
