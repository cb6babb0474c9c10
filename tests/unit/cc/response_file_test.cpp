// SPDX-License-Identifier: Apache-2.0
#include "cc/response_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"

namespace heddle::cc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "heddle_response_" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(ResponseFile, WordsSplitAsAShellWould) {
  EXPECT_THAT(split_words(" a  'b c'\n\"d \\\"e\\\"\" f\\ g ''\t"), ElementsAre("a", "b c", "d \"e\"", "f g", ""));
  EXPECT_THAT(split_words("  \n"), IsEmpty());
}

TEST(ResponseFile, StandsForWhatItHoldsUnderEverySpelling) {
  const std::string inner = file_with("inner", "-DX=1\n-DY=2");
  const std::string outer = file_with("outer", "-c @" + inner);
  EXPECT_THAT(expand_response_files({"a.cu", "@" + outer, "z"}), ElementsAre("a.cu", "-c", "-DX=1", "-DY=2", "z"));
  EXPECT_THAT(expand_response_files({"--options-file", inner}), ElementsAre("-DX=1", "-DY=2"));
  EXPECT_THAT(expand_response_files({"--options-file=" + inner}), ElementsAre("-DX=1", "-DY=2"));
  EXPECT_THAT(expand_response_files({"-optf", inner}), ElementsAre("-DX=1", "-DY=2"));
}

TEST(ResponseFile, MissingFileAndCircleAreErrors) {
  EXPECT_THROW(expand_response_files({"@/no/such/file"}), Error);
  EXPECT_THROW(expand_response_files({"--options-file"}), Error);
  const std::string circle = file_with("circle", "@" + testing::TempDir() + "heddle_response_circle");
  EXPECT_THROW(expand_response_files({"@" + circle}), Error);
}

}  // namespace
}  // namespace heddle::cc
