// SPDX-License-Identifier: Apache-2.0
// Runs a command and captures its output.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace heddle::test {

namespace fs = std::filesystem;

struct Result {
  int status = -1;  ///< 128 + signal when one ended it
  std::string out, err;
};

class RunProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "heddle-runtime-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A shell command in an empty folder.
  Result shell(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' && { " + command + "\n} >.out 2>.err </dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
  }
  /// `heddle run options program arguments`, the program being one of this folder's. Replaces earlier results.
  Result run(const std::string& program, const std::string& options = "--functional") const {
    return shell(std::string(HEDDLE_COMMAND) + " run --force " + options + " " + HEDDLE_PROGRAMS + "/" + program);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }
  fs::path folder_;
};

}  // namespace heddle::test
