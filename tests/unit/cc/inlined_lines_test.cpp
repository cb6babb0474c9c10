// SPDX-License-Identifier: Apache-2.0
#include "cc/inlined_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kIr = R"ir(define void @k() !dbg !10 {
  ret void, !dbg !20
}
!1 = !DIFile(filename: "a.cu", directory: "/home/u")
!2 = !DIFile(filename: "/opt/cuda/include/m\22.h", directory: "")
!10 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 2, unit: !3)
!11 = distinct !DISubprogram(name: "mul(int, int)", scope: !2, file: !2, line: 9, unit: !3)
!12 = distinct !DILexicalBlock(scope: !11, file: !2, line: 9, column: 3)
!20 = !DILocation(line: 5, column: 7, scope: !10)
!21 = !DILocation(line: 30, column: 1, scope: !12, inlinedAt: !22)
!22 = distinct !DILocation(line: 6, scope: !10)
!23 = !DILocation(line: 31, column: 2, scope: !11, inlinedAt: !24)
!24 = distinct !DILocation(line: 32, column: 4, scope: !11, inlinedAt: !22)
)ir";

TEST(InlinedLines, NumbersLocationsByColumnAndLeavesTheRest) {
  const InlinedLines lines(kIr);
  const std::string& ir = lines.numbered();
  EXPECT_THAT(ir, HasSubstr("  ret void, !dbg !20\n}\n!1 = !DIFile(filename: \"a.cu\", directory: \"/home/u\")\n"));
  EXPECT_THAT(ir, HasSubstr("!20 = !DILocation(line: 5, column: 1, scope: !10)\n"));
  EXPECT_THAT(ir, HasSubstr("!21 = !DILocation(line: 30, column: 2, scope: !12, inlinedAt: !22)\n"));
  EXPECT_THAT(ir, HasSubstr("!22 = distinct !DILocation(line: 6, column: 3, scope: !10)\n"));
  EXPECT_THAT(ir, HasSubstr("!12 = distinct !DILexicalBlock(scope: !11, file: !2, line: 9, column: 3)\n"));
}

TEST(InlinedLines, PutsColumnsBackAndAddsTheCalls) {
  const InlinedLines lines(kIr);
  EXPECT_EQ(lines.with_calls("{\n\t.loc\t1 5 1\n\tadd;\n\t.loc\t1 30 2\n\tmul;\n\t.loc\t1 31 4\n\tmul;\n}\n"
                             "\t.file\t1 \"/opt/cuda/include/m\".h\"\n"),
            "{\n\t.loc\t1 5 7\n\tadd;\n"
            "\t.loc\t2 6 0\n"
            "\t.loc\t1 30 1, function_name $L__info_string0, inlined_at 2 6 0\n\tmul;\n"
            "\t.loc\t1 32 4, function_name $L__info_string0, inlined_at 2 6 0\n"
            "\t.loc\t1 31 2, function_name $L__info_string0, inlined_at 1 32 4\n\tmul;\n}\n"
            "\t.file\t1 \"/opt/cuda/include/m\".h\"\n"
            "\t.file\t2 \"/home/u/a.cu\"\n"
            "\t.section\t.debug_str\n\t{\n$L__info_string0:\n\t.b8 "
            "109,117,108,40,105,110,116,44,32,105,110,116,41,0\n\t}\n");
}

TEST(InlinedLines, ALocationOfTheCodeGeneratorsOwnKeepsItsLineOnly) {
  const InlinedLines lines(kIr);
  const std::string ptx = lines.with_calls("\t.loc\t1 99 1\n\t.loc\t1 2 0\n\t.loc\t1 30 77\n");
  EXPECT_EQ(ptx, "\t.loc\t1 99 0\n\t.loc\t1 2 0\n\t.loc\t1 30 0\n");
}

TEST(InlinedLines, MoreLocationsThanColumnsLoseTheirCalls) {
  std::string ir = kIr;
  for (unsigned i = 0; i < 70'000; ++i)
    ir += "!" + std::to_string(100 + i) + " = !DILocation(line: 8, column: 9, scope: !10, inlinedAt: !22)\n";
  const InlinedLines lines(ir);
  EXPECT_THAT(lines.numbered(),
              HasSubstr("!65629 = !DILocation(line: 8, column: 65535, scope: !10, inlinedAt: !22)\n"));
  EXPECT_THAT(lines.numbered(), HasSubstr("!65630 = !DILocation(line: 8, column: 0, scope: !10, inlinedAt: !22)\n"));
  EXPECT_THAT(lines.numbered(), Not(HasSubstr("column: 65536")));
}

}  // namespace
}  // namespace heddle::cc
