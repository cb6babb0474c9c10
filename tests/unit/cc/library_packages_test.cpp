// SPDX-License-Identifier: Apache-2.0
#include "cc/library_packages.h"

#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

TEST(LibraryPackages, AHeaderThatWasNotFoundNamesItsPackage) {
  EXPECT_EQ(missing_packages_note("app.o: app.cu /usr/include/stdio.h thrust/sort.h \\\n /opt/cub/cub/cub.cuh\n"),
            "<thrust/sort.h> is part of Thrust, provided by the distribution: apt-get install libthrust-dev");
  EXPECT_EQ(missing_packages_note("app.o: app.cu cub/cub.cuh cuda/std/atomic\n"),
            "<cub/cub.cuh> is part of CUB, provided by the distribution: apt-get install libcub-dev; <cuda/std/atomic> "
            "is part of libcu++, provided by the distribution: "
            "apt-get install libcu++-dev");
}

TEST(LibraryPackages, HeadersThatWereFoundAndAProjectsOwnSayNothing) {
  EXPECT_EQ(missing_packages_note("app.o: app.cu /usr/include/thrust/sort.h lib/cub/cub.cuh\n"), "");
  EXPECT_EQ(missing_packages_note("app.o: app.cu cuda/kernels.h\n"), "");
}

}  // namespace
}  // namespace heddle::cc
