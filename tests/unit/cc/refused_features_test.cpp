// SPDX-License-Identifier: Apache-2.0
#include "cc/refused_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

using testing::HasSubstr;

TEST(RefusedFeatures, AreNamedWithWhatToDo) {
  EXPECT_THAT(refused_features("a.cu:3:34: error: reference to __global__ function 'child' in __global__ function"),
              HasSubstr("kernels that launch kernels are not modelled: launch them from the host"));
  EXPECT_THAT(refused_features("error: no member named 'this_cluster' in namespace 'cg'"), HasSubstr("clusters"));
}

TEST(RefusedFeatures, AreSaidOnceAndOnlyWhereTheyAre) {
  const std::string twice = refused_features(
      "no member named 'this_cluster' in namespace 'cg' and unknown attribute '__cluster_dims__' and 'this_cluster'");
  EXPECT_NE(twice, "");
  EXPECT_EQ(twice.find("block clusters"), twice.rfind("block clusters"));
  EXPECT_EQ(refused_features("error: use of undeclared identifier 'undeclared'"), "");
}

}  // namespace
}  // namespace heddle::cc
