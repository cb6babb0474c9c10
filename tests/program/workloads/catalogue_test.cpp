// SPDX-License-Identifier: Apache-2.0
// workloads.json agrees with the header comment of each program; tests select programs by it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "catalogue.h"

namespace {

using heddle::test::programs;

const std::filesystem::path kFolder = HEDDLE_WORKLOADS;

// The comment at the top of a program, its lines joined by single spaces.
std::string header_comment(const std::string& name) {
  std::ifstream file(kFolder / (name + ".cu"));
  std::string line, text;
  while (std::getline(file, line) && line.compare(0, 2, "//") == 0) {
    std::istringstream words(line.substr(2));
    for (std::string word; words >> word;) text += word + ' ';
  }
  return text;
}

std::string blocks_as_text(const nlohmann::json& blocks) {
  std::string text;
  for (const auto& block : blocks) {
    const int x = block.at(0), y = block.at(1);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", y == 1 ? fmt::format("{}", x) : fmt::format("{}x{}", x, y));
  }
  return text;
}

TEST(WorkloadCatalogue, NamesExactlyTheProgramsOfTheFolder) {
  std::set<std::string> listed, present;
  for (const auto& program : programs()) EXPECT_TRUE(listed.insert(program.at("name")).second) << program.at("name");
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".cu") present.insert(entry.path().stem());
  EXPECT_EQ(listed, present);
}

TEST(WorkloadCatalogue, SaysWhatTheHeaderCommentsSay) {
  for (const auto& program : programs()) {
    const std::string name = program.at("name"), comment = header_comment(name);
    const auto says = [&](const std::string& text) {
      EXPECT_NE(comment.find(text + ' '), std::string::npos) << name << ": the header comment lacks '" << text << "'";
    };
    says(program.at("what"));
    says(fmt::format("order dependent: {}", program.at("order_dependent") ? "yes" : "no"));
    says("digest: " + program.at("digest").get<std::string>());
    says(fmt::format("blocks: {} shared memory:", blocks_as_text(program.at("blocks"))));
    says(fmt::format("shared memory: {}{}", program.at("shared_bytes").get<int>(),
                     program.at("shared_is_dynamic") ? ", dynamic" : ""));
    says(fmt::format("warp instructions: {}", program.at("warp_instructions") ? "yes" : "no"));
    says("size: " + program.at("size").at("unit").get<std::string>());
    std::string threads;
    for (const auto& count : program.value("threads_option", nlohmann::json::array()))
      threads += fmt::format("{}{}", threads.empty() ? "--threads " : "|", count.get<int>());
    if (!threads.empty()) {
      EXPECT_NE(comment.find(threads + ", threads of a block"), std::string::npos)
          << name << ": the header comment lacks '" << threads << "'";
    }
  }
}

TEST(WorkloadCatalogue, GivesTheSizesOfTheSources) {
  for (const auto& program : programs()) {
    const std::string name = program.at("name");
    std::ifstream file(kFolder / (name + ".cu"));
    std::stringstream source;
    source << file.rdbuf();
    const auto& size = program.at("size");
    const std::string sizes = fmt::format("parse_size(argc, argv, {{{}, ", size.at("small").get<long>());
    EXPECT_NE(source.str().find(sizes), std::string::npos) << name << ": the source has no '" << sizes << "'";
    EXPECT_LT(size.at("small"), size.at("medium")) << name;
    EXPECT_LT(size.at("medium"), size.at("large")) << name;
  }
}

TEST(WorkloadCatalogue, BlocksFitEveryPreset) {
  for (const auto& program : programs()) {
    EXPECT_LT(program.at("shared_bytes"), 16 * 1024) << program.at("name");
    for (const auto& block : program.at("blocks"))
      EXPECT_LE(block.at(0).get<int>() * block.at(1).get<int>() * block.at(2).get<int>(), 256) << program.at("name");
  }
}

// A result that is exact has a digest to compare with; one that depends on the order of threads has none.
TEST(WorkloadCatalogue, GivesTheDigestOfExactResultsOnly) {
  for (const auto& program : programs()) {
    const std::string digest = program.at("digest");
    EXPECT_TRUE(digest == "reference" || digest == "stable" || digest == "none") << program.at("name");
    EXPECT_EQ(program.contains("small_digest"), digest == "reference") << program.at("name");
    EXPECT_EQ(program.at("order_dependent").get<bool>(), digest == "none") << program.at("name");
    EXPECT_TRUE(digest != "reference" || program.at("small_digest").get<std::string>().size() == 16)
        << program.at("name");
  }
}

}  // namespace
