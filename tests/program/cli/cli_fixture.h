// SPDX-License-Identifier: Apache-2.0
// Runs the command in an empty folder and keeps what it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace heddle::test {

struct Result {
  int status;
  std::string out, err;
};

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) / ("cli-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Result heddle(const std::string& arguments) {
    const auto errors = folder / "stderr";
    const std::string command =
        "cd '" + folder.string() + "' && '" HEDDLE_COMMAND "' " + arguments + " 2>'" + errors.string() + "'";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    Result result{};
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.out.append(buffer, got);
    result.status = WEXITSTATUS(::pclose(pipe));
    std::ifstream in(errors);
    result.err.assign(std::istreambuf_iterator<char>(in), {});
    return result;
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

  std::filesystem::path folder;
};

}  // namespace heddle::test
