// SPDX-License-Identifier: Apache-2.0
#error "Heddle does not provide cuSPARSE: a program that includes <cusparse.h> cannot be built with it."
