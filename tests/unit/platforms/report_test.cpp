// SPDX-License-Identifier: Apache-2.0
// The data that heddle report puts into its page.
#include <gmock/gmock.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "report/columns.h"
#include "report/page.h"
#include "report/run_pack.h"

namespace heddle::report {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  char piece[65536];
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  EXPECT_EQ(status, Z_STREAM_END);
  return out;
}

std::string minimal(const std::string& more = "") {
  return R"({"schema_version": 1, "identity": {"machine": "small", "program": "/x/bfs", "arguments": ["--size", "a b"]},
             "statistics": {"classes": {}})" +
         more + "}";
}

std::string message_of(const std::string& text, ExitCode code) {
  std::string columns;
  try {
    pack_run("a/run.json", text, columns);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "it was taken: " << text;
  return "";
}

TEST(RunPack, KeepsTheRunAndLeavesOutStructures) {
  std::string columns;
  const PackedRun run =
      pack_run("run.json", minimal(R"(, "structures": [{"fields": [{"bits": 3}], "name": "x"}], "complete": true,
    "run": {"cycles": 12, "rate": 1.25e-3, "none": null, "negative": -4}, "last": [1, [2, {}], "</script>"])"),
               columns);
  const json packed = json::parse(run.json);
  EXPECT_FALSE(packed.contains("structures"));
  EXPECT_EQ(packed["run"], json::parse(R"({"cycles": 12, "rate": 0.00125, "none": null, "negative": -4})"));
  EXPECT_EQ(packed["last"], json::parse(R"([1, [2, {}], "</script>"])"));
  EXPECT_EQ(packed["complete"], true);
  EXPECT_EQ(run.machine, "small");
  EXPECT_EQ(run.program, "/x/bfs");
  EXPECT_THAT(run.arguments, ElementsAre("--size", "a b"));
  EXPECT_TRUE(columns.empty());
}

TEST(RunPack, StructuresThatAreNoListAreLeftOutToo) {
  std::string columns;
  for (const char* value : {"1", "\"x\"", "{}", "[]", "[[], {\"a\": [1]}]"}) {
    const PackedRun run =
        pack_run("run.json", minimal(std::string(", \"structures\": ") + value + ", \"after\": 2"), columns);
    const json packed = json::parse(run.json);
    EXPECT_FALSE(packed.contains("structures")) << value;
    EXPECT_EQ(packed["after"], 2) << value;
  }
}

TEST(RunPack, TablesBecomeColumns) {
  std::string columns = "12345678";
  const PackedRun run = pack_run("run.json", minimal(R"(, "time_series": {"every": 100, "columns": ["cycle", "a", "b"],
      "rows": [[99, 300, 1], [199, 4, 0.5], [70000, 5, 2]]},
    "spans": {"truncated": false, "blocks": {"columns": ["sm"], "rows": [[255]]}, "warps": {"columns": ["sm"], "rows": []}})"),
                                 columns);
  const json packed = json::parse(run.json);
  EXPECT_EQ(packed["time_series"]["columns"], json::parse(R"(["cycle", "a", "b"])"));
  EXPECT_FALSE(packed["time_series"].contains("rows"));
  const json& table = packed["time_series"]["table"];
  EXPECT_EQ(table["rows"], 3);
  EXPECT_EQ(table["data"], json::parse(R"([["u32", 8], ["u16", 24], ["f64", 32]])"));
  std::uint32_t cycles[3];
  std::memcpy(cycles, columns.data() + 8, sizeof cycles);
  EXPECT_THAT(cycles, ElementsAre(99, 199, 70000));
  double last[3];
  std::memcpy(last, columns.data() + 32, sizeof last);
  EXPECT_THAT(last, ElementsAre(1, 0.5, 2));
  EXPECT_EQ(packed["spans"]["blocks"]["table"], json::parse(R"({"rows": 1, "data": [["u8", 56]]})"));
  EXPECT_EQ(packed["spans"]["warps"]["table"]["rows"], 0);
  EXPECT_EQ(columns.size() % 8, 0u);
}

TEST(RunPack, AProfileStaysAsItIs) {
  const std::string profile =
      R"({"counts": [{"name": "issues", "unit": "instructions", "sentence": "times a context issued it"}],
      "causes": [{"name": "memory", "unit": "cycles", "sentence": "it waited for data from memory"}],
      "files": [{"path": "/x/bfs.cu", "lines": ["int main() {", "}"]}],
      "kernels": [{"name": "k", "instructions": [{"pc": 0, "ptx_line": 30, "text": "ret", "file": -1, "line": 0,
        "counts": {"issues": 144}, "stalls": {}}]}]})";
  std::string columns;
  const PackedRun run = pack_run("run.json", minimal(", \"profile\": " + profile), columns);
  EXPECT_EQ(json::parse(run.json)["profile"], json::parse(profile));
  EXPECT_TRUE(columns.empty());
}

TEST(RunPack, ColumnsTakeAsFewBytesAsTheirLargestValueNeeds) {
  std::string bytes;
  EXPECT_STREQ(append_column({0, 255}, bytes).type, "u8");
  EXPECT_STREQ(append_column({0, 256}, bytes).type, "u16");
  EXPECT_STREQ(append_column({65535}, bytes).type, "u16");
  EXPECT_STREQ(append_column({65536}, bytes).type, "u32");
  EXPECT_STREQ(append_column({4294967295.0}, bytes).type, "u32");
  EXPECT_STREQ(append_column({4294967296.0}, bytes).type, "f64");
  EXPECT_STREQ(append_column({-1}, bytes).type, "f64");
  EXPECT_STREQ(append_column({0.5}, bytes).type, "f64");
  EXPECT_EQ(bytes.size(), 64u);
}

TEST(RunPack, WhatIsNoRunIsRefusedWithItsReason) {
  EXPECT_THAT(message_of("{", ExitCode::configuration), HasSubstr("a/run.json:1:2: malformed JSON"));
  EXPECT_THAT(message_of("{\n\"a\": 1,\n}", ExitCode::configuration), HasSubstr("a/run.json:3:1: malformed JSON"));
  EXPECT_THAT(message_of("", ExitCode::configuration), HasSubstr("malformed JSON"));
  EXPECT_THAT(message_of("3", ExitCode::configuration), HasSubstr("not the result of a run: it is not an object"));
  EXPECT_THAT(message_of("[1]", ExitCode::configuration), HasSubstr("it is not an object"));
  EXPECT_THAT(message_of("{\"name\": \"gtx480\"}", ExitCode::configuration), HasSubstr("it has no schema_version"));
  EXPECT_THAT(message_of("{\"schema_version\": 1}", ExitCode::configuration), HasSubstr("it has no statistics"));
  EXPECT_THAT(message_of("{\"schema_version\": 2}", ExitCode::io),
              HasSubstr("has schema 2, but this program reads up to 1"));
}

TEST(RunPack, TablesThatAreNoneAreRefused) {
  const auto with_rows = [](const char* rows) {
    return minimal(std::string(R"(, "time_series": {"columns": ["cycle", "a"], "rows": )") + rows + "}");
  };
  EXPECT_THAT(message_of(with_rows("[[1, 2], [3]]"), ExitCode::configuration),
              HasSubstr("row 2 of /time_series has more"));
  EXPECT_THAT(message_of(with_rows("[[1, 2], [3, 4, 5]]"), ExitCode::configuration),
              HasSubstr("row 2 of /time_series"));
  EXPECT_THAT(message_of(with_rows("[[1, 2, 3]]"), ExitCode::configuration),
              HasSubstr("has 2 columns and rows of 3 values"));
  EXPECT_THAT(message_of(with_rows("[[1, \"x\"]]"), ExitCode::configuration),
              HasSubstr("contains '\"x\"' instead of a row"));
  EXPECT_THAT(message_of(with_rows("[7]"), ExitCode::configuration), HasSubstr("contains '7' instead of a row"));
  EXPECT_THAT(message_of(with_rows("[[[1]]]"), ExitCode::configuration), HasSubstr("not lists of numbers"));
  EXPECT_THAT(message_of(with_rows("[{}]"), ExitCode::configuration), HasSubstr("not lists of numbers"));
}

TEST(Labels, TellRunsApart) {
  const auto labels = [](std::vector<std::array<std::string, 4>> given) {
    std::vector<PackedRun> runs;
    for (const auto& [machine, program, argument, file] : given)
      runs.push_back({file, "", machine, program, {argument}});
    return distinct_labels(runs);
  };
  EXPECT_THAT(labels({{"small", "bfs", "1", "a/run.json"}, {"gtx480", "bfs", "1", "b/run.json"}}),
              ElementsAre("small", "gtx480"));
  EXPECT_THAT(labels({{"small", "/x/bfs", "1", "a/run.json"}, {"small", "/x/spmv", "1", "b/run.json"}}),
              ElementsAre("small, bfs", "small, spmv"));
  EXPECT_THAT(labels({{"small", "bfs", "1", "a/run.json"}, {"small", "bfs", "2", "b/run.json"}}),
              ElementsAre("small, 1", "small, 2"));
  EXPECT_THAT(
      labels({{"small", "bfs", "1", "a/run.json"}, {"small", "bfs", "1", "b/run.json"}, {"big", "bfs", "1", "c"}}),
      ElementsAre("small, a", "small, b", "big"));
  EXPECT_THAT(labels({{"small", "bfs", "1", "x/a/run.json"}, {"small", "bfs", "1", "y/a/run.json"}}),
              ElementsAre("small #1", "small #2"));
  EXPECT_THAT(labels({{"", "", "", "run.json"}}), ElementsAre("run"));
}

TEST(Page, GzipAndBase64ReadBackAsTheyWere) {
  std::string bytes;
  for (unsigned i = 0; i < 3000000; ++i) bytes += static_cast<char>(i * i >> 7);
  EXPECT_EQ(gunzip(gzip(bytes)), bytes);
  EXPECT_EQ(gunzip(gzip("")), "");
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Page, NothingInARunEndsTheScriptOrTheTitle) {
  std::string columns;
  const std::string evil = "</script><script>alert(1)</script><!--";
  const PackedRun run =
      pack_run("run.json", minimal(", \"profile\": {\"files\": [{\"lines\": [\"" + evil + "\"]}]}"), columns);
  const std::string data = payload({run}, {evil}, {"1.2", "{}"}, columns);
  const std::string page = make_page("<title>{{heddle:title}}</title><script>{{heddle:data}}</script>", evil, data);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script&gt;"));
  EXPECT_EQ(page.find("</script>"), page.size() - 9);
  // The data itself is complete.
  std::uint64_t length = 0;
  std::memcpy(&length, data.data(), 8);
  const json read = json::parse(data.substr(8, length));
  EXPECT_EQ(read["heddle"], "1.2");
  EXPECT_EQ(read["runs"][0]["label"], evil);
  EXPECT_EQ(read["runs"][0]["run"]["profile"]["files"][0]["lines"][0], evil);
  EXPECT_EQ(length % 8, 0u);
}

TEST(Page, ATemplateThatIsNoneIsRefused) {
  EXPECT_THROW(make_page("<title></title>", "t", "p"), Error);
  EXPECT_THROW(make_page("{{heddle:data}}{{heddle:title}}", "t", "p"), Error);
  try {
    read_template("/nowhere/report.html");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_THAT(error.what(), HasSubstr("apt-get install nodejs npm"));
  }
}

}  // namespace
}  // namespace heddle::report
