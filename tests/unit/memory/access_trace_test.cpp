// SPDX-License-Identifier: Apache-2.0
#include "memory/access_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::memory {
namespace {

using ::testing::HasSubstr;

std::string message_of(std::string_view text, unsigned ports = 65536) {
  try {
    parse_access_trace(text, "t.csv", ports);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    return error.what();
  }
  return "no error";
}

TEST(AccessTrace, ReadsEveryColumnInAnyOrder) {
  const auto trace = parse_access_trace(
      "# remark\n"
      "hint,bytes,address,kind,source,sm,cycle\r\n"
      "\n"
      "1,128,0xFf80,read,7,3,1000\r\n"
      " 0 , 4 , 4096 , write ,,, \n"
      "0,8,0x10,atomic,0,0,0\n"
      "0,8,16,reduction,65535,1,5",
      "t.csv");
  ASSERT_EQ(trace.size(), 4u);
  EXPECT_EQ(trace[0].address, 0xff80u);
  EXPECT_EQ(trace[0].at, 1000u);
  EXPECT_EQ(trace[0].bytes, 128u);
  EXPECT_EQ(trace[0].port, 3u);
  EXPECT_EQ(trace[0].source, 7u);
  EXPECT_EQ(trace[0].kind, TraceKind::read);
  EXPECT_TRUE(trace[0].hint);
  EXPECT_EQ(trace[1].address, 4096u);
  EXPECT_EQ(trace[1].at, 0u) << "an empty cycle: as soon as the queue allows";
  EXPECT_EQ(trace[1].kind, TraceKind::write);
  EXPECT_FALSE(trace[1].hint);
  EXPECT_EQ(trace[2].kind, TraceKind::atomic);
  EXPECT_EQ(trace[3].kind, TraceKind::reduction);
  EXPECT_EQ(trace[3].source, 65535u);
}

TEST(AccessTrace, TheColumnsThatMayBeAbsentAreZero) {
  const auto trace = parse_access_trace("kind,address,bytes\nread,0,1\n", "t.csv");
  ASSERT_EQ(trace.size(), 1u);
  EXPECT_EQ(trace[0].at + trace[0].port + trace[0].source + trace[0].hint, 0u);
}

TEST(AccessTrace, AWrongColumnIsNamedWithWhatItMayBe) {
  EXPECT_THAT(message_of("kind,adress,bytes\n"),
              HasSubstr("t.csv:1: column 2 has unknown name 'adress'; did you mean 'address'?"));
  EXPECT_THAT(message_of("# remark\nkind,bytes\n"), HasSubstr("t.csv:2: column 'address' is missing"));
  EXPECT_THAT(message_of("port,kind,address,bytes,sm\n"), HasSubstr("t.csv:1: column 5 (sm) is a duplicate"));
  EXPECT_THAT(message_of(""), HasSubstr("t.csv: not a trace"));
  EXPECT_THAT(message_of("kind,address,bytes\n# nothing\n"), HasSubstr("t.csv: has a header but no accesses"));
}

TEST(AccessTrace, AWrongValueIsNamedWithItsLineAndColumn) {
  const std::string head = "cycle,kind,address,bytes,port,hint\n0,read,0,4,0,0\n";
  const auto of = [&](const char* line) { return message_of(head + line, 15); };
  EXPECT_THAT(of("0,raed,0,4,0,0"), HasSubstr("t.csv:3: column 2 (kind) is 'raed'; legal: read, write, atomic"));
  EXPECT_THAT(of("0,read,0xzz,4,0,0"), HasSubstr("t.csv:3: column 3 (address) is '0xzz'; expected a number"));
  EXPECT_THAT(of("0,read,,4,0,0"), HasSubstr("column 3 (address) is ''"));
  EXPECT_THAT(of("0,read,12 4,4,0,0"), HasSubstr("column 3 (address) is '12 4'"));
  EXPECT_THAT(of("-1,read,0,4,0,0"), HasSubstr("column 1 (cycle) is '-1'"));
  EXPECT_THAT(of("0,read,0x10000000000000000,4,0,0"), HasSubstr("column 3 (address) is 0x10000000000000000; legal: 0"));
  EXPECT_THAT(of("0,read,0,0,0,0"), HasSubstr("column 4 (bytes) is 0; legal: 1 to 65536"));
  EXPECT_THAT(of("0,read,0,65537,0,0"), HasSubstr("column 4 (bytes) is 65537"));
  EXPECT_THAT(of("0,read,0,4,15,0"), HasSubstr("column 5 (port) is 15; legal: 0 to 14"));
  EXPECT_THAT(of("0,read,0,4,0,2"), HasSubstr("column 6 (hint) is 2; legal: 0 to 1"));
  EXPECT_THAT(of("0,read,0,4,0"), HasSubstr("t.csv:3: column 6 (hint) is missing: the line has 5 of 6 columns"));
  EXPECT_THAT(of("0,read,0,4,0,0,9"), HasSubstr("t.csv:3: column 7 ('9') has no name"));
}

TEST(AccessTrace, AFileThatIsNotThereIsAnErrorOfItsOwn) {
  try {
    read_trace_file("/nowhere/trace.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/trace.csv: cannot be read: No such file"));
  }
}

}  // namespace
}  // namespace heddle::memory
