// SPDX-License-Identifier: Apache-2.0
// Files that grow during a run, and the two line-based formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/error.h"
#include "core/trace/chrome_trace.h"
#include "core/trace/kanata.h"
#include "core/trace/text_buffer.h"
#include "core/trace/trace_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class TraceFormats : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("heddle-trace-formats-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  fs::path folder_;
};

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(TraceFormats, AnEndingChoosesTheCompression) {
  const std::string text = many_lines();
  for (const char* name : {"x.txt", "x.txt.gz", "x.txt.zst"}) {
    TraceFile file(folder_ / name, 0);
    for (std::size_t at = 0; at < text.size(); at += 1000) file.put(std::string_view(text).substr(at, 1000));
    EXPECT_EQ(file.bytes(), text.size());
    file.close();
  }
  EXPECT_EQ(read("x.txt"), text);
  gzFile zipped = gzopen((folder_ / "x.txt.gz").c_str(), "rb");
  std::string out(text.size() + 1, ' ');
  out.resize(static_cast<std::size_t>(gzread(zipped, out.data(), static_cast<unsigned>(out.size()))));
  gzclose(zipped);
  EXPECT_EQ(out, text);
  const std::string packed = read("x.txt.zst");
  EXPECT_LT(packed.size(), text.size() / 4);
  ZSTD_DStream* const stream = ZSTD_createDStream();
  out.assign(text.size() + 1, ' ');
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (in.pos < in.size && ZSTD_isError(ZSTD_decompressStream(stream, &to, &in)) == 0) {
  }
  ZSTD_freeDStream(stream);
  EXPECT_EQ(out.substr(0, to.pos), text);
}

TEST_F(TraceFormats, AFileIsFullAtItsLimit) {
  TraceFile file(folder_ / "x", 10);
  file.put("123456789");
  EXPECT_FALSE(file.full());
  file.put("0");
  EXPECT_TRUE(file.full());
}

TEST_F(TraceFormats, WhatCannotBeWrittenIsAnError) {
  EXPECT_THROW(TraceFile("/dev/null/x", 0), Error);
  EXPECT_THROW(TraceFile("/dev/null/x.gz", 0), Error);
  EXPECT_THROW(TraceFile("/dev/null/x.zst", 0), Error);
  TraceFile full("/dev/full", 0);
  full.put("something");
  EXPECT_THROW(full.close(), Error);
  EXPECT_FALSE(full.is_open());
}

TEST(TextBuffer, WritesPartsAsAFormattingCallWould) {
  TextBuffer text(1);
  text.add("text ");
  text.add(std::uint64_t{18446744073709551615U});
  text.add(' ');
  text.add(std::uint16_t{0});
  text.add(' ');
  text.add(Hexadecimal{0xfa50});
  text.add(' ');
  text.add(Quoted{"a \"name\""});
  EXPECT_EQ(text.text(), "text 18446744073709551615 0 fa50 \"a \\\"name\\\"\"");
  for (const double number : {0.0, -0.0, 7.0, -1.0, 0.25, 2.0 / 3, 999'999'999'999'999.0, 1e15, 1e16, 123456.789e20}) {
    text.clear();
    text.add(number);
    EXPECT_EQ(text.text(), fmt::format("{}", number));
  }
}

TEST_F(TraceFormats, KanataLinesAreThoseOfTheFormat) {
  KanataWriter writer(folder_ / "x.kanata", 0);
  writer.at(7);
  const auto producer = writer.begin(42, 512);
  writer.label(producer, KanataWriter::one_line("ld\ta\nb"));
  writer.detail(producer, "more");
  writer.stage(producer, KanataWriter::kStageLane, "F");
  writer.at(7);
  const auto consumer = writer.begin(43, 512);
  writer.at(9);
  writer.stage(consumer, KanataWriter::kStallLane, "sb");
  writer.end_stage(consumer, KanataWriter::kStallLane, "sb");
  writer.depends(consumer, producer);
  writer.retire(producer, 0, false);
  writer.retire(consumer, 0, true);
  writer.close();
  EXPECT_EQ(read("x.kanata"),
            "Kanata\t0004\nC=\t7\nI\t0\t42\t512\nL\t0\t0\tld a b\nL\t0\t1\tmore\nS\t0\t0\tF\nI\t1\t43\t512\nC\t2\n"
            "S\t1\t1\tsb\nE\t1\t1\tsb\nW\t1\t0\t0\nR\t0\t0\t0\nR\t1\t0\t1\n");
}

TEST_F(TraceFormats, TimelinesAreJson) {
  {
    ChromeTraceWriter writer(folder_ / "x.json", 0, "a \"run\"");
    writer.name_process(3, "SM \\ 0", 5);
    writer.name_thread({3, 4}, "warp 4", 6);
    writer.slice({3, 4}, Plain{"BB0"}, "basic block", 10.0, 2.5, R"({"pc":1})");
    writer.counter(3, "ready", 10, 7);
    writer.flow(ChromeTraceWriter::Flow::begin, 1, {3, 4}, Plain{"load"}, std::uint64_t{11});
    writer.flow(ChromeTraceWriter::Flow::end, 1, {3, 4}, Plain{"load"}, "12");
    writer.close();
  }
  const auto trace = nlohmann::json::parse(read("x.json"));
  EXPECT_EQ(trace["otherData"]["about"], "a \"run\"");
  const auto& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 8u);
  EXPECT_EQ(events[0]["args"]["name"], "SM \\ 0");
  EXPECT_EQ(events[3]["args"]["sort_index"], 6);
  EXPECT_EQ(events[4]["ph"], "X");
  EXPECT_EQ(events[4]["dur"], 2.5);
  EXPECT_EQ(events[4]["args"]["pc"], 1);
  EXPECT_EQ(events[5]["args"]["value"], 7.0);
  EXPECT_EQ(events[6]["ph"], "s");
  EXPECT_EQ(events[7]["bp"], "e");
}

TEST_F(TraceFormats, ATimelineWithoutEventsIsJsonToo) {
  ChromeTraceWriter writer(folder_ / "x.json", 0, "");
  writer.close();
  EXPECT_TRUE(nlohmann::json::parse(read("x.json"))["traceEvents"].empty());
}

}  // namespace
}  // namespace heddle
