// SPDX-License-Identifier: Apache-2.0
#include "cc/asm_escapes.h"

#include <gtest/gtest.h>

#include <fstream>

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

TEST(AsmEscapes, FindsWhatASourceIncludes) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "asm_escapes";
  fs::create_directories(folder / "include");
  fs::create_directories(folder / "work");
  const auto write = [&](const fs::path& name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("a.cu", "#include \"own.h\"\n#  include <named.h>\n#include <missing.h>\n");
  write("own.h", "#include \"a.cu\"\nasm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));\n");
  write("include/named.h", "asm(\"mov.u32 %0, %smid;\" : \"=r\"(x));\n");
  const std::string overlay =
      escape_overlay(folder / "a.cu", include_folders({"-DX", "-I", (folder / "include").string()}), folder / "work");
  ASSERT_FALSE(overlay.empty());
  std::ifstream file(overlay);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("own.h"), std::string::npos);
  EXPECT_NE(text.find("named.h"), std::string::npos);
  EXPECT_EQ(text.find("a.cu\","), std::string::npos);
  write("own.h", "");
  write("include/named.h", "");
  EXPECT_EQ(escape_overlay(folder / "a.cu", {folder / "include"}, folder / "work"), "");
}

}  // namespace
}  // namespace heddle::cc
