// SPDX-License-Identifier: Apache-2.0
#error \
    "Heddle does not provide Thrust: a program that includes <thrust/iterator/counting_iterator.h> cannot be built with it."
