// SPDX-License-Identifier: Apache-2.0
// A separate folder for each test, in which it runs commands and examines their output.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace heddle::test {

namespace fs = std::filesystem;

struct Result {
  int status = -1;
  std::string out;
  std::string err;
};

class Sandbox : public testing::Test {
 protected:
  // HEDDLE_HOME is a folder laid out like an installation, with a recording runtime library (recording_runtime.cpp).
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "heddle-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "tmp");
    setenv("HEDDLE_HOME", HEDDLE_TEST_HOME, 1);
    setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    setenv("CC_UNDER_TEST", HEDDLE_CC, 1);
    for (const char* variable : {"CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH"}) unsetenv(variable);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("TMPDIR");  // the next test's folder is made where this one's was
  }

  fs::path path(const std::string& name) const { return folder_ / name; }
  bool exists(const std::string& name) const { return fs::exists(path(name)); }

  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// Runs a shell command in the folder. "$CC_UNDER_TEST" in it is the compiler driver.
  Result run(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' && { " + command + "\n} >.out 2>.err </dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
  }

  /// The driver with these arguments.
  Result cc(const std::string& arguments) const { return run("\"$CC_UNDER_TEST\" " + arguments); }

  /// PTX of a source with these options; a failed compilation is reported with its output.
  std::string ptx_of(const std::string& source, const std::string& options) const {
    const Result result = cc("-ptx " + options + " " + source + " -o of.ptx");
    EXPECT_EQ(result.status, 0) << result.err;
    return read("of.ptx");
  }

  /// Files that commands left in the temporary folder.
  std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "tmp")) names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  fs::path folder_;
};

/// How often `part` occurs in `text`.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++times;
  return times;
}

inline bool contains(const std::string& text, const std::string& part) { return count(text, part) > 0; }

}  // namespace heddle::test
