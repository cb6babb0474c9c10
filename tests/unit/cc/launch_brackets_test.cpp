// SPDX-License-Identifier: Apache-2.0
#include "cc/launch_brackets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

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

}  // namespace
}  // namespace heddle::cc
