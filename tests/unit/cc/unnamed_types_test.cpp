// SPDX-License-Identifier: Apache-2.0
#include "cc/unnamed_types.h"

#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

TEST(UnnamedTypes, AreSuspectedWhereASourceMayDeclareVariablesOfThem) {
  EXPECT_TRUE(may_have_unnamed_types("__constant__ struct { int n; } p;"));
  EXPECT_TRUE(may_have_unnamed_types("int x;\n__device__ static union\n{ int n; } p;"));
  EXPECT_TRUE(may_have_unnamed_types("__device__ __managed__ struct{int n;} p;"));
  EXPECT_FALSE(may_have_unnamed_types("__constant__ struct Named { int n; } p;"));
  EXPECT_FALSE(may_have_unnamed_types("__device__ int f(struct S s) { return 0; }"));
  EXPECT_FALSE(may_have_unnamed_types("__device__ int n; struct { int n; } of_the_host;"));
  EXPECT_FALSE(may_have_unnamed_types("__device__ int structure{3};"));
  EXPECT_FALSE(may_have_unnamed_types("__device__ struct"));
}

TEST(UnnamedTypes, TheirVariablesBecomeVisible) {
  EXPECT_EQ(with_visible_variables("@p = internal addrspace(4) global %struct.anon zeroinitializer, align 4\n"),
            "@p = addrspace(4) externally_initialized global %struct.anon zeroinitializer, align 4\n");
  EXPECT_EQ(with_visible_variables("@u = internal addrspace(1) global [2 x %union.anon.3] undef, align 4\n"),
            "@u = addrspace(1) externally_initialized global [2 x %union.anon.3] undef, align 4\n");
}

TEST(UnnamedTypes, OtherLinesStay) {
  for (const char* line : {"", "\n", "@s = internal addrspace(3) global %struct.anon undef, align 4\n",
                           "@n = internal addrspace(1) global %struct.Named undef, align 4\n",
                           "@v = addrspace(1) externally_initialized global %struct.anon undef\n", "  ret void\n}\n"})
    EXPECT_EQ(with_visible_variables(line), line);
}

}  // namespace
}  // namespace heddle::cc
