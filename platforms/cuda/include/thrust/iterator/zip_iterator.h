// SPDX-License-Identifier: Apache-2.0
#error \
    "Heddle does not provide Thrust: a program that includes <thrust/iterator/zip_iterator.h> cannot be built with it."
