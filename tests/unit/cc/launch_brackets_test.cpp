// SPDX-License-Identifier: Apache-2.0
#include "cc/launch_brackets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/file.h"

namespace heddle::cc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LaunchBrackets, AreJoinedInPlace) {
  EXPECT_EQ(with_joined_brackets("k<< <1, 32>> >(p);"), "k<<< 1, 32>>> (p);");
  EXPECT_EQ(with_joined_brackets("k<< < 1, 32 >> > (p);"), "k<<<  1, 32 >>>  (p);");
  EXPECT_EQ(with_joined_brackets("k<<\t<1, 32>>>(p);"), "k<<<\t1, 32>>>(p);");
  EXPECT_EQ(with_joined_brackets("k<<<1, 32>>  >(p);"), "k<<<1, 32>>>  (p);");
  EXPECT_EQ(with_joined_brackets("k<</*!*/<1, 32>>>(p);"), "k<<</*!*/1, 32>>>(p);");
  EXPECT_EQ(with_joined_brackets("k<<<1,\n 32>>\n>(p);"), "k<<<1,\n 32>>>\n(p);") << "lines stay where they are";
  EXPECT_EQ(with_joined_brackets("k<T><< <g, b>> >(p); j<2> << <g, b>> > (p);"),
            "k<T><<< g, b>>> (p); j<2> <<< g, b>>>  (p);");
  EXPECT_EQ(with_joined_brackets("table[i]<< <f(a >> b), (x > y)>> >(p);"), "table[i]<<< f(a >> b), (x > y)>>> (p);");
  EXPECT_EQ(with_joined_brackets("#define LAUNCH(k) \\\n  k<< <1, \\\n 2>> >()"),
            "#define LAUNCH(k) \\\n  k<<< 1, \\\n 2>>> ()");
}

TEST(LaunchBrackets, NothingElseIsTouched) {
  for (const char* text :
       {"k<<<1, 32>>>(p);", "vector<vector<vector<int>> > v;", "V<T>& operator<< <T>(V<T>&, const T&);",
        "friend ostream& operator << <> (ostream&, const V&);", "a = b << c; d = e >> f;", "x = a >> (b) > c;",
        "// k<< <1, 32>> >(p);\n", "/* k<< <1, 32>> >(p); */", "s = \"k<< <1, 32>> >(p);\";",
        "s = R\"x(k<< <1, 2>> >(p)\")x\";", "int n = 1'000'000; vector<set<pair<int, int>> > v;", "", "<<", ">> >",
        "'<' << '<'"}) {
    EXPECT_THAT(with_joined_brackets(text), IsEmpty()) << text;
  }
}

TEST(LaunchBrackets, AreFoundBehindWhatLooksLikeText) {
  EXPECT_THAT(with_joined_brackets("char c = '\"'; k<< <1, 2>> >(p);"), HasSubstr("k<<< 1, 2>>> (p)"));
  EXPECT_THAT(with_joined_brackets("int n = 1'000; k<< <n, 2>> >(p);"), HasSubstr("k<<< n, 2>>> (p)"));
  EXPECT_THAT(with_joined_brackets("// it's\nk<< <1, 2>> >(p); // it's"), HasSubstr("k<<< 1, 2>>> (p)"));
}

TEST(LaunchBrackets, IncludesAreFoundWhateverStandsAroundThem) {
  EXPECT_THAT(
      included_names("#include \"a.h\"\n  # include <b/c.h> // x\n#if 0\n#include\"d\"\n#endif\n#include MACRO\n"),
      ElementsAre("a.h", "b/c.h", "d"));
}

TEST(LaunchBrackets, AnOverlayPutsCorrectedCopiesInPlace) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("brackets-" + std::to_string(::getpid()));
  fs::create_directories(folder / "include");
  fs::create_directories(folder / "copies");
  std::ofstream(folder / "main.cu") << "#include \"plain.h\"\n#include <launch.h>\n#include \"gone.h\"\n";
  std::ofstream(folder / "plain.h") << "#include \"main.cu\"\n";
  const std::vector<std::string> folders = {(folder / "include").string()};
  EXPECT_EQ(bracket_overlay((folder / "main.cu").string(), folders, folder / "copies"), "");
  std::ofstream(folder / "include/launch.h") << "void f() { k<< <1, 2>> >(); }\n";
  const std::string overlay = bracket_overlay((folder / "main.cu").string(), folders, folder / "copies");
  ASSERT_NE(overlay, "");
  EXPECT_THAT(read_file(overlay), HasSubstr((folder / "include/launch.h").string()));
  EXPECT_EQ(read_file(folder / "copies/brackets0.h"), "void f() { k<<< 1, 2>>> (); }\n");
  EXPECT_EQ(bracket_overlay("nowhere.cu", folders, folder / "copies"), "");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace heddle::cc
