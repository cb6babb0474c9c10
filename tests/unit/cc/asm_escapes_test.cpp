// SPDX-License-Identifier: Apache-2.0
#include "cc/asm_escapes.h"

#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

TEST(AsmEscapes, DoublesALonePercentBeforeARegister) {
  EXPECT_EQ(with_escaped_registers(R"x(asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));)x"),
            R"x(asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));)x");
  EXPECT_EQ(with_escaped_registers("asm(\"mov.u32 %0, %tid.x;\\n\"\n    \"add.u32 %0, %0, %laneid;\" : \"=r\"(x));"),
            "asm(\"mov.u32 %0, %%tid.x;\\n\"\n    \"add.u32 %0, %0, %%laneid;\" : \"=r\"(x));");
  EXPECT_EQ(with_escaped_registers("__asm__ __volatile__(\"mov.u32 %0, %smid;\" : \"=r\"(x))"),
            "__asm__ __volatile__(\"mov.u32 %0, %%smid;\" : \"=r\"(x))");
}

TEST(AsmEscapes, LeavesAloneWhatClangReads) {
  for (const char* text : {
           R"x(asm("mov.u32 %0, %%laneid;" : "=r"(x));)x",
           R"x(asm("add.u32 %0, %1, %[name];" : "=r"(x) : "r"(y), [name] "r"(z));)x",
           R"x(asm("mov %c0, %=;" : : "n"(3));)x",
           R"x(asm("mov.u32 r, %laneid;");)x",
           R"x(printf("%d asm(%s)", 1);
                 asm("" ::: "memory");)x",
           R"x(// asm("mov.u32 %0, %laneid;" : "=r"(x));)x",
           R"x(const char* s = "asm(\"%laneid\" : )";
                 int n = 1'000'000;
                 char c = '"';
                 asm("%0 {" : : "r"(1));)x",
       }) {
    EXPECT_EQ(with_escaped_registers(text), text);
  }
}

TEST(AsmEscapes, BoundOperandsAreNoPartOfTheTemplate) {
  EXPECT_EQ(with_escaped_registers(R"x(asm("mov.u32 %0, %warpid;" : "=r"(a[f("%s") % b])); x = "%d" % y;)x"),
            R"x(asm("mov.u32 %0, %%warpid;" : "=r"(a[f("%s") % b])); x = "%d" % y;)x");
}

}  // namespace
}  // namespace heddle::cc
