// SPDX-License-Identifier: Apache-2.0
// Annotated listings.
#include "cli/annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const char* const kRun = R"({"profile": {
  "files": [{"path": "/x/k.cu", "lines": ["first", "  c[i] = a[i];", "third"]}, {"path": "/x/gone.h", "lines": []}],
  "kernels": [{"name": "copy", "instructions": [
    {"pc": 3, "text": "ld.global.u32 %r1, [%rd1]", "role": "special", "ptx_line": 20, "file": 0, "line": 2,
     "counts": {"issues": 10, "active_lanes": 160, "offered_lanes": 320, "transactions": 12, "l1_hits": 3, "l1_misses": 9},
     "stalls": {"fetch": 25}},
    {"pc": 4, "text": "st.global.u32 [%rd2], %r1", "role": "special", "ptx_line": 21, "file": 0, "line": 2,
     "counts": {"issues": 10, "active_lanes": 320, "offered_lanes": 320, "transactions": 10},
     "stalls": {"memory": 70, "hazard": 5}},
    {"pc": 0, "text": "mov.u32 %r9, %tid.x", "ptx_line": 10, "file": 1, "line": 77, "counts": {"issues": 10}, "stalls": {}},
    {"pc": 9, "text": "ret", "ptx_line": 30, "file": -1, "line": 0, "counts": {"issues": 10}, "stalls": {}}]},
   {"name": "other", "instructions": []}]}})";

std::string listed(const AnnotationRequest& request) { return annotate(parse_json(kRun, "run.json"), request); }

TEST(Annotation, ALineSumsUpItsInstructions) {
  const std::string text = listed({});
  EXPECT_THAT(text,
              ContainsRegex("\n +20 +24.0 +75 % +100 +100 % +22 +25 %  memory 70 %, fetch 25 % +2   c.i. = a.i.;"));
  EXPECT_THAT(text,
              ContainsRegex("\n +10 +32.0 +100 % +75 +75 % +10 +memory 93 %, hazard 7 % +pc 4 +.special. st.global"));
  EXPECT_THAT(text, HasSubstr("kernel copy: 40 instructions issued, 100 cycles waited by its warps"));
}

TEST(Annotation, WhatHasNoSourceIsListedAllTheSame) {
  const std::string text = listed({});
  EXPECT_THAT(text, AllOf(HasSubstr("/x/gone.h\n"), ContainsRegex(" 77 \n"), HasSubstr("without a source line")));
}

TEST(Annotation, PtxIsListedInTheOrderOfItsFile) {
  const std::string text = listed({.source = false});
  EXPECT_LT(text.find("ld.global"), text.find("ret"));
  EXPECT_THAT(text, Not(HasSubstr("/x/k.cu")));
}

TEST(Annotation, RolesAreListedAndMarked) {
  const std::string text = listed({.source = false});
  EXPECT_THAT(text, HasSubstr("\n2 [special] at pc 3, 4\n"));
  EXPECT_THAT(text, HasSubstr("[special] ld.global.u32"));
  EXPECT_THAT(text, ContainsRegex("pc 9 +ret"));
}

TEST(Annotation, TheHottestLinesComeFirst) {
  const std::string text = listed({.instructions = false, .hottest = 1});
  EXPECT_THAT(text, AllOf(HasSubstr("c[i] = a[i];"), Not(HasSubstr("gone.h")), Not(HasSubstr("ld.global"))));
}

TEST(Annotation, TheBusiestLinesOfAllKernelsAreOneTable) {
  const std::string text = busiest_lines(parse_json(kRun, "run.json"), 8);
  EXPECT_THAT(text, testing::StartsWith("\nWhere warps waited\n"));
  EXPECT_THAT(text, ContainsRegex("\n +100 % +20  memory 70 %, fetch 25 % +k.cu:2  c.i. = a.i.;\n"));
  EXPECT_THAT(text, Not(HasSubstr("gone.h"))) << "where nobody waited";
  EXPECT_THAT(busiest_lines(parse_json("{}", "run.json"), 8), HasSubstr("has no profile of its lines"));
}

TEST(Annotation, SaysWhatItLacks) {
  EXPECT_THROW(annotate(parse_json("{}", "run.json"), {}), Error);
  try {
    listed({.kernels = "nobody"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("nobody"), HasSubstr("copy, other")));
  }
}

}  // namespace
}  // namespace heddle::cli
