// SPDX-License-Identifier: Apache-2.0
#include "cc/source_overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/file.h"

namespace heddle::cc {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SourceOverlay : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "include");
    fs::create_directories(folder_ / "copies");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const fs::path& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string overlay_of(const fs::path& source) const {
    return source_overlay((folder_ / source).string(), {(folder_ / "include").string()}, folder_ / "copies");
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("overlay-" + std::to_string(::getpid()));
};

TEST_F(SourceOverlay, IncludesAreFoundWhateverStandsAroundThem) {
  EXPECT_THAT(
      included_names("#include \"a.h\"\n  # include <b/c.h> // x\n#if 0\n#include\"d\"\n#endif\n#include MACRO\n"),
      ElementsAre("a.h", "b/c.h", "d"));
}

TEST_F(SourceOverlay, FoldersOfFlagsAreFoundJoinedOrApart) {
  EXPECT_THAT(include_folders({"-DX", "-I", "a", "-Ib", "-isystem", "c", "-I"}), ElementsAre("a", "b", "c"));
}

TEST_F(SourceOverlay, PutsCorrectedCopiesInPlaceOfWhatNeedsThem) {
  write("main.cu", "#include \"plain.h\"\n#include <launch.h>\n#include \"gone.h\"\n");
  write("plain.h", "#include \"main.cu\"\n");
  EXPECT_EQ(overlay_of("main.cu"), "");
  write("include/launch.h", "void f() { k<< <1, 2>> >(); }\n");
  const std::string overlay = overlay_of("main.cu");
  ASSERT_NE(overlay, "");
  EXPECT_THAT(read_file(overlay), HasSubstr((folder_ / "include/launch.h").string()));
  EXPECT_THAT(read_file(overlay), Not(HasSubstr("main.cu\"")));
  EXPECT_EQ(read_file(folder_ / "copies/corrected0.h"), "void f() { k<<< 1, 2>>> (); }\n");
  EXPECT_EQ(source_overlay("nowhere.cu", {}, folder_ / "copies"), "");
}

TEST_F(SourceOverlay, OneCopyHasEveryCorrection) {
  write("both.cu", "k<< <1, 2>> >(); asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));\n");
  ASSERT_NE(overlay_of("both.cu"), "");
  EXPECT_EQ(read_file(folder_ / "copies/corrected0.cu"),
            "k<<< 1, 2>>> (); asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));\n");
}

}  // namespace
}  // namespace heddle::cc
