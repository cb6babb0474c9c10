// SPDX-License-Identifier: Apache-2.0
// A full disk: the error is reported, and existing results are not lost.
#include <gmock/gmock.h>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FullDisk : public RunProgram {
 protected:
  static std::string heddle_run(const std::string& options, const std::string& program) {
    return std::string(HEDDLE_COMMAND) + " run -m small " + options + " " + HEDDLE_PROGRAMS + "/" + program;
  }
  std::size_t files_in(const std::string& folder) const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_ / folder)) ++count;
    return count;
  }
};

TEST_F(FullDisk, AResultThatCannotBeWrittenIsSaidAndTheOneBeforeStays) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  const std::string before = read("out/run.json");
  // The largest file is limited, as a full disk would: the write fails half way.
  const Result result = shell("trap '' XFSZ; ulimit -f 4; " + heddle_run("--force -o out", "regions"));
  EXPECT_EQ(result.status, 106) << result.err;
  EXPECT_EQ(result.out, "PASS\n") << "the program's own output is whole";
  EXPECT_THAT(result.err, AllOf(HasSubstr("out/run.json: cannot be written"), HasSubstr("4 launches on Heddle small")));
  EXPECT_EQ(read("out/run.json"), before);
  EXPECT_EQ(files_in("out"), 2u) << "no part of a file is left";
}

TEST_F(FullDisk, AFullFileSystemIsNamedAsSuch) {
  const std::string enter = "unshare --user --map-root-user --mount sh -c ";
  if (shell(enter + "'mkdir out && mount -t tmpfs -o size=8k none out'").status != 0) {
    GTEST_SKIP() << "this system lets nobody mount a small file system";
  }
  const Result result = shell("mkdir -p out; " + enter + "'mount -t tmpfs -o size=8k none out && " +
                              heddle_run("-o out", "regions") + "; s=$?; ls -A out >listing; exit $s'");
  EXPECT_EQ(result.status, 106) << result.err;
  EXPECT_EQ(result.out, "PASS\n");
  EXPECT_THAT(result.err, AllOf(HasSubstr("No space left on device"), HasSubstr("make room or choose another folder")));
  EXPECT_EQ(read("listing"), "");
}

TEST_F(FullDisk, AWaveformThatFindsNoRoomIsSaid) {
  const Result result = shell(heddle_run("-o out --vcd /dev/full", "regions"));
  EXPECT_EQ(result.status, 106) << result.err;
  EXPECT_EQ(result.out, "PASS\n");
  EXPECT_THAT(result.err, HasSubstr("/dev/full"));
  EXPECT_NE(read("out/run.json"), "") << "the rest of the results is there";
}

}  // namespace
}  // namespace heddle::test
