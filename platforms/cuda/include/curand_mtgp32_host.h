// SPDX-License-Identifier: Apache-2.0
#error \
    "Heddle does not provide the MTGP32 generator of cuRAND: a program that includes <curand_mtgp32_host.h> cannot be built with it."
