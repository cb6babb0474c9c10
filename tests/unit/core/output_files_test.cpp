// SPDX-License-Identifier: Apache-2.0
// Outputs that are refused before the work, and those that are not.
#include "core/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("outputs-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void touch(const std::string& name) const { std::ofstream(folder_ / name) << "before"; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  template <typename Check>
  static std::string refusal(const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return error.what();
    }
    return {};
  }
  std::string refusal_of(const std::string& name, bool replace = false) const {
    return refusal([&] { OutputCheck(replace).file(folder_ / name); });
  }
  std::string refusal_of_folder(const std::string& name, bool replace = false) const {
    return refusal([&] { OutputCheck(replace).folder(folder_ / name, {"run.json", "run.csv"}); });
  }

  fs::path folder_;
};

TEST_F(OutputFiles, AFileInAnyFolderThatCanBeCreatedIsAcceptedAndNothingIsLeft) {
  EXPECT_EQ(refusal_of("new.vcd"), "");
  EXPECT_EQ(refusal_of("not/yet/there/new.vcd"), "");
  EXPECT_EQ(refusal_of_folder("results"), "");
  EXPECT_EQ(refusal([] { OutputCheck(false).file(""); }), "") << "no output";
  EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFiles, WhatExistsIsRefusedUnlessItMayBeReplaced) {
  touch("old.vcd");
  EXPECT_THAT(refusal_of("old.vcd"), AllOf(HasSubstr("old.vcd: exists already"), HasSubstr("--force")));
  EXPECT_EQ(refusal_of("old.vcd", true), "");
  fs::create_symlink("old.vcd", folder_ / "link");
  EXPECT_THAT(refusal_of("link"), HasSubstr("link: exists already"));
  EXPECT_EQ(refusal([&] { OutputCheck(false, "OTHER=1").file(folder_ / "old.vcd"); }).find("--force"),
            std::string::npos);
  std::ifstream in(folder_ / "old.vcd");
  std::string text;
  in >> text;
  EXPECT_EQ(text, "before");
}

TEST_F(OutputFiles, AFolderIsRefusedForResultsInItAndForNothingElse) {
  fs::create_directories(folder_ / "results");
  touch("results/notes.txt");
  EXPECT_EQ(refusal_of_folder("results"), "");
  touch("results/run.csv");
  EXPECT_THAT(refusal_of_folder("results"),
              AllOf(HasSubstr("results: holds the results of an earlier run (run.csv)"), HasSubstr("--force")));
  EXPECT_EQ(refusal_of_folder("results", true), "");
  touch("file");
  EXPECT_THAT(refusal_of_folder("file", true), HasSubstr("file: cannot be written: it is a file"));
}

TEST_F(OutputFiles, PlacesThatCannotBeWrittenAreRefusedWithTheReason) {
  touch("file");
  fs::create_directories(folder_ / "folder");
  fs::create_symlink("nowhere", folder_ / "dangling");
  EXPECT_THAT(refusal_of("folder", true), HasSubstr("it is a folder"));
  EXPECT_THAT(refusal_of("file/below", true), HasSubstr("file/below: cannot be written: Not a directory"));
  EXPECT_THAT(refusal_of("file/far/below", true), HasSubstr("Not a directory"));
  EXPECT_THAT(refusal_of("dangling/below", true), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal_of(std::string(300, 'x'), true), HasSubstr("File name too long"));
  EXPECT_THAT(refusal_of("folder/" + std::string(300, 'x') + "/file", true), HasSubstr("File name too long"));
  // The superuser may write everywhere but here.
  EXPECT_THAT(refusal([] { OutputCheck(false).file("/proc/none/file"); }),
              HasSubstr("/proc/none/file: cannot be written"));
  EXPECT_EQ(entries(), 3u);
}

TEST_F(OutputFiles, DevicesAndPipesAreAlwaysAccepted) {
  for (const char* through : {"/dev/null", "/dev/stdout", "/dev/full"})
    EXPECT_EQ(refusal([&] { OutputCheck(false).file(through); }), "") << through;
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of("pipe"), "") << "and nobody waits for a reader";
}

TEST_F(OutputFiles, AnUnusedPathIsThePathItselfOrNumbered) {
  EXPECT_EQ(unused_path(folder_ / "sm0.lockstep.vcd"), folder_ / "sm0.lockstep.vcd");
  touch("sm0.lockstep.vcd");
  EXPECT_EQ(unused_path(folder_ / "sm0.lockstep.vcd"), folder_ / "sm0.lockstep-2.vcd");
  touch("sm0.lockstep-2.vcd");
  EXPECT_EQ(unused_path(folder_ / "sm0.lockstep.vcd"), folder_ / "sm0.lockstep-3.vcd");
}

TEST(WrittenText, NamesEveryFileAndWhatItIs) {
  EXPECT_EQ(written_text({{"out", "results"}, {"a.vcd", "waveform"}}), "wrote out (results), a.vcd (waveform)");
}

}  // namespace
}  // namespace heddle
