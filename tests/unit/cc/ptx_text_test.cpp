// SPDX-License-Identifier: Apache-2.0
#include "cc/ptx_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(PtxText, RegisterLimitStandsBetweenHeaderAndBody) {
  EXPECT_EQ(with_register_limit(".visible .entry k(\n\t.param .u64 p\n)\n{\n\tret;\n}\n", 20),
            ".visible .entry k(\n\t.param .u64 p\n)\n.maxnreg 20\n{\n\tret;\n}\n");
}

TEST(PtxText, LaunchBoundsOverrideTheRegisterLimit) {
  const std::string bounded = ".visible .entry k()\n.maxntid 256, 1, 1\n{\n\tret;\n}\n";
  EXPECT_EQ(with_register_limit(bounded, 20), bounded);
}

TEST(PtxText, RegisterLimitLeavesFunctionsAndInnerBlocksAlone) {
  const std::string text = ".visible .func f()\n{\n\t{ // callseq 0, 0\n\t} // callseq 0\n\tret;\n}\n";
  EXPECT_EQ(with_register_limit(text, 20), text);
}

TEST(PtxText, CacheOperatorsGoWhereNoneIsStated) {
  EXPECT_EQ(with_cache_operators("\tld.global.f32 \t%f1, [%rd1];\n", "cg", ""), "\tld.global.cg.f32 \t%f1, [%rd1];\n");
  EXPECT_EQ(with_cache_operators("\t@%p1 ld.global.v4.u32 \t{a}, [b];", "cs", ""),
            "\t@%p1 ld.global.cs.v4.u32 \t{a}, [b];");
  EXPECT_EQ(with_cache_operators("\tld.f64 \t%fd1, [%rd1];", "cv", ""), "\tld.cv.f64 \t%fd1, [%rd1];");
  EXPECT_EQ(with_cache_operators("\tst.global.b8 \t[%rd1], 1;", "cg", "wt"), "\tst.global.wt.b8 \t[%rd1], 1;");
}

TEST(PtxText, CacheOperatorsLeaveOtherSpacesAndQualifiedAccessesAlone) {
  for (const char* line :
       {"\tld.param.u64 \t%rd1, [p];", "\tld.shared.f32 \t%f1, [a];", "\tld.global.nc.f32 \t%f1, [a];",
        "\tld.volatile.global.u32 \t%r1, [a];", "\tld.global.ca.u32 \t%r1, [a];", "\tld.local.u32 \t%r1, [a];",
        "\tst.shared.u32 \t[a], %r1;", "\tadd.s32 \t%r1, %r2, %r3;", "// ld.global.f32"}) {
    EXPECT_EQ(with_cache_operators(line, "cg", "cg"), line);
  }
}

TEST(PtxText, MarkedNamesBecomeLocalUnderTheirOwnName) {
  const std::string text = with_local_names(
      ".extern .global .align 4 .u32 _ZL1x;\n"
      ".visible .global .align 4 .u32 _ZL1x__static__0123456789abcdef;\n"
      ".visible .global .align 4 .u32 y;\n"
      ".extern .func  (.param .b32 func_retval0) _Z1gf\n"
      ".weak .entry _ZL1kPi__intern__0123456789abcdef(\n"
      "\t.param .u64 _ZL1kPi__intern__0123456789abcdef_param_0\n"
      ")\n{\n\tst.global.u32 \t[_ZL1x], %r1;\n}\n");
  EXPECT_EQ(text,
            "\n"
            ".global .align 4 .u32 _ZL1x;\n"
            ".visible .global .align 4 .u32 y;\n"
            ".extern .func  (.param .b32 func_retval0) _Z1gf\n"
            ".entry _ZL1kPi(\n"
            "\t.param .u64 _ZL1kPi_param_0\n"
            ")\n{\n\tst.global.u32 \t[_ZL1x], %r1;\n}\n");
}

TEST(PtxText, WithoutMarksNothingChanges) {
  const std::string text = ".visible .global .u32 a__static__x;\n.extern .func f\n";
  EXPECT_EQ(with_local_names(text), text);
}

TEST(PtxText, SymbolsOfAModuleAreItsLinkedDeclarations) {
  const DeviceSymbols symbols = device_symbols(
      ".extern .func  (.param .b32 func_retval0) _Z6helperf\n(\n\t.param .b32 _Z6helperf_param_0\n)\n;\n"
      ".extern .func later\n();\n"
      ".extern .global .align 4 .b8 table[16];\n"
      ".extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .const .align 4 .u32 limits[2] = {1, 2};\n"
      ".global .align 4 .u32 own;\n"
      ".weak .func (.param .b64 r) _Z3maxv(\n)\n{\n\t.extern .func inside\n\tret;\n}\n"
      ".visible .func later()\n{\n}\n"
      ".visible .entry _Z1kv()\n{\n\tret;\n}\n");
  EXPECT_THAT(symbols.undefined, ElementsAre("_Z6helperf", "table"));
  EXPECT_THAT(symbols.defined, ElementsAre("_Z1kv", "_Z3maxv", "later", "limits"));
  EXPECT_THAT(symbols.strong, ElementsAre("_Z1kv", "later", "limits"));
}

}  // namespace
}  // namespace heddle::cc
