// SPDX-License-Identifier: Apache-2.0
// heddle run --ptx: a kernel of a PTX file, its arguments and results; asynchronous copies on the timed machine.
#include <gmock/gmock.h>

#include "cli_fixture.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

class PtxFile : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    write("scale.ptx",
          ".version 6.4\n.target sm_70\n.address_size 64\n"
          ".entry scale(.param .u64 data, .param .s32 factor, .param .u32 n)\n{ .reg .pred %p; .reg .b32 %r<9>; .reg "
          ".b64 %d<4>;\n"
          "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;\n"
          "ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p exit; ld.param.u64 %d1, [data]; ld.param.s32 %r5, "
          "[factor];\n"
          "mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; ld.global.s32 %r6, [%d1]; mul.lo.s32 %r6, %r6, %r5;\n"
          "st.global.s32 [%d1], %r6; exit; }\n.entry other() { exit; }\n");
  }
};

TEST_F(PtxFile, RunsAKernelWithArgumentsOfItsTypes) {
  const Result functional =
      heddle("run -q --functional --ptx scale.ptx --kernel scale --grid 2 --block 32 --print data=5 iota:s32:40 -3 40");
  EXPECT_EQ(functional.status, 0) << functional.err;
  EXPECT_EQ(functional.out, "data (s32 x 40): 0 -3 -6 -9 -12 ...\n");
  const Result timed = heddle(
      "run -q --machine small --ptx scale.ptx --kernel scale --grid 2 --block 32 --save 0=out.bin iota:s32:40 0x10 40");
  EXPECT_EQ(timed.status, 0) << timed.err;
  const Result again =
      heddle("run -q --functional --ptx scale.ptx --kernel scale --block 8 --print 0=3 file:s32:out.bin 1 8");
  EXPECT_EQ(again.out, "data (s32 x 40): 0 16 32 ...\n") << again.err;
}

TEST_F(PtxFile, ASavedBufferIsReplacedOnlyByForce) {
  const std::string save = "-q --functional --ptx scale.ptx --kernel scale --block 8 --save 0=out.bin iota:s32:8 2 8";
  ASSERT_EQ(heddle("run " + save).status, 0);
  const Result refused = heddle("run " + save);
  EXPECT_EQ(refused.status, 106);
  EXPECT_THAT(refused.err, HasSubstr("out.bin"));
  EXPECT_EQ(heddle("run --force " + save).status, 0);
  ASSERT_EQ(setenv("HEDDLE_FORCE", "1", 1), 0);
  EXPECT_EQ(heddle("run " + save).status, 0);
  unsetenv("HEDDLE_FORCE");
}

TEST_F(PtxFile, SaysWhatIsWrongWithAnArgument) {
  const struct {
    const char *arguments, *message;
  } cases[] = {
      {"--ptx none.ptx", "no such file"},
      {"--ptx scale.ptx zeros:f32:4 1 2", "name one of its kernels with --kernel: scale, other"},
      {"--ptx scale.ptx --kernel nothing", "there is no kernel 'nothing'; it has: scale, other"},
      {"--ptx scale.ptx --kernel scale 1",
       "has 3 parameters but 1 arguments are given; it takes: .u64 data, .s32 factor, .u32 n"},
      {"--ptx scale.ptx --kernel scale zeros:f32 1 2", "write zeros:TYPE:COUNT, as in zeros:f32:1024"},
      {"--ptx scale.ptx --kernel scale zeros:f33:4 1 2", "'f33' is not an element type"},
      {"--ptx scale.ptx --kernel scale zeros:f32:4 1.5 2", "not a number of type s32"},
      {"--ptx scale.ptx --kernel scale zeros:f32:4 5000000000 2", "not a number of type s32"},
      {"--ptx scale.ptx --kernel scale missing.bin 1 2", "not a number of type u64, and there is no such file"},
      {"--ptx scale.ptx --kernel scale --grid 0 zeros:f32:4 1 2", "--grid 0: expected one to three numbers from 1"},
      {"--ptx scale.ptx --kernel scale --save 1=x zeros:f32:4 1 2", "--save factor: its argument is not a buffer"},
      {"--ptx scale.ptx --kernel scale --print z zeros:f32:4 1 2", "has no such parameter"},
      {"--kernel scale ./app", "--kernel has no effect without --ptx"},
  };
  for (const auto& c : cases) {
    const Result result = heddle(std::string("run -q --functional ") + c.arguments);
    EXPECT_EQ(result.status, 2) << c.arguments << result.err;
    EXPECT_THAT(result.err, HasSubstr(c.message)) << c.arguments;
  }
}

TEST_F(PtxFile, AddressesOf32BitsLieLow) {
  write(
      "narrow.ptx",
      ".version 3.0\n.target sm_20\n.address_size 32\n.global .u32 cells[2] = {7, 9};\n.global .u32 where = cells;\n"
      ".entry k(.param .u32 out)\n{ .reg .u32 %r<9>; .shared .u32 s[64]; ld.param.u32 %r1, [out]; mov.u32 %r2, "
      "%tid.x;\n"
      "shl.b32 %r3, %r2, 2; add.u32 %r1, %r1, %r3; mov.u32 %r4, s; cvta.shared.u32 %r4, %r4; add.u32 %r4, %r4, %r3;\n"
      "ld.global.u32 %r5, [where]; ld.u32 %r6, [%r5+4]; add.u32 %r6, %r6, %r2; st.u32 [%r4], %r6; ld.u32 %r7, [%r4];\n"
      "st.u32 [%r1], %r7; exit; }\n");
  for (const char* mode : {"--functional", "--machine small"}) {
    const Result result = heddle(std::string("run -q ") + mode + " --ptx narrow.ptx --print out=3 zeros:u32:32");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "out (u32 x 32): 9 10 11 ...\n") << mode;
  }
}

TEST_F(PtxFile, SystemCallsTakeAddressesOf32Bits) {
  // Text, an integer of `long`, one of `long long`, a string, and a heap cell that is written, read and freed.
  write("calls.ptx",
        ".version 3.0\n.target sm_20\n.address_size 32\n"
        ".extern .func (.param .b32 r) vprintf (.param .b32 format, .param .b32 values);\n"
        ".extern .func (.param .b32 r) malloc (.param .b32 bytes);\n.extern .func free (.param .b32 address);\n"
        ".global .b8 text[24] = {37,108,100,32,37,108,108,100,32,37,115,32,37,112,10,0};\n"  // "%ld %lld %s %p\n"
        ".global .b8 word[4] = {104,105,33,0};\n"                                            // "hi!"
        ".entry k(.param .u32 out)\n{ .reg .u32 %r<12>; .reg .u64 %d<2>; .local .align 8 .b8 values[24];\n"
        "{ .param .b32 bytes; .param .b32 got; st.param.b32 [bytes], 16; call.uni (got), malloc, (bytes); "
        "ld.param.b32 %r1, [got]; }\n"
        "st.u32 [%r1+4], 41; ld.u32 %r2, [%r1+4]; add.u32 %r2, %r2, 1;\n"
        "mov.u64 %d1, -5; st.local.u32 [values], %r2; st.local.u64 [values+8], %d1;\n"
        "mov.u32 %r3, word; cvta.global.u32 %r3, %r3; st.local.u32 [values+16], %r3; mov.u32 %r4, 255; "
        "st.local.u32 [values+20], %r4;\n"
        "mov.u32 %r5, text; cvta.global.u32 %r5, %r5; mov.u32 %r6, values; cvta.local.u32 %r6, %r6;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 n; st.param.b32 [a], %r5; st.param.b32 [b], %r6; "
        "call.uni (n), vprintf, (a, b); ld.param.b32 %r7, [n]; }\n"
        "{ .param .b32 address; st.param.b32 [address], %r1; call.uni free, (address); }\n"
        "ld.param.u32 %r8, [out]; st.u32 [%r8], %r7; exit; }\n");
  write("fails.ptx",
        ".version 3.0\n.target sm_20\n.address_size 32\n"
        ".extern .func __assertfail (.param .b32 m, .param .b32 f, .param .b32 l, .param .b32 n, .param .b32 c);\n"
        ".global .b8 what[4] = {97,62,98,0};\n"  // "a>b"
        ".entry k(.param .u32 out)\n{ .reg .u32 %r<4>; mov.u32 %r1, what; cvta.global.u32 %r1, %r1;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c; .param .b32 d; .param .b32 e; st.param.b32 [a], %r1; "
        "st.param.b32 [b], %r1; st.param.b32 [c], 7; st.param.b32 [d], %r1; st.param.b32 [e], 1; "
        "call.uni __assertfail, (a, b, c, d, e); }\n exit; }\n");
  for (const std::string mode : {"--functional", "--machine small"}) {
    const Result result = heddle("run -q " + mode + " --ptx calls.ptx --block 1 --print out=1 zeros:u32:1");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, testing::HasSubstr("42 -5 hi! 0xff\n")) << mode;
    EXPECT_THAT(result.out, testing::HasSubstr("out (u32 x 1): 4\n")) << mode;
    const Result failed = heddle("run -q " + mode + " --ptx fails.ptx --block 1 zeros:u32:1");
    EXPECT_NE(failed.status, 0) << mode;
    EXPECT_THAT(failed.err, testing::HasSubstr("a>b:7: a>b: block: [0,0,0], thread: [0,0,0] Assertion `a>b` failed."))
        << mode;
  }
}

/// `stages` copies of a warp, each waited for by its group; `waits` between them or at the end.
std::string copies_text(bool waits_for_each) {
  std::string body;
  for (unsigned i = 0; i < 8; ++i) {
    body += "cp.async.ca.shared.global [%r2+" + std::to_string(512 * i) + "], [%d1+" + std::to_string(4096 * i) +
            "], 16;\ncp.async.commit_group;\n";
    if (waits_for_each) body += "cp.async.wait_group 0;\n";
  }
  body += "cp.async.wait_group 1;\nld.shared.u32 %r3, [%r2];\ncp.async.wait_all;\nld.shared.u32 %r4, [%r2+3584];\n";
  return ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out)\n"
         "{ .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 16 .b8 s[4096];\n"
         "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; cvt.u64.u32 %d2, %r2; ld.param.u64 %d1, [in]; add.u64 %d1, %d1, "
         "%d2;\n"
         "mov.u32 %r5, s; add.u32 %r2, %r2, %r5;\n" +
         body +
         "add.u32 %r3, %r3, %r4; ld.param.u64 %d3, [out]; mul.wide.u32 %d4, %r1, 4; add.u64 %d3, %d3, %d4; "
         "st.global.u32 "
         "[%d3], %r3; exit; }\n";
}

TEST_F(PtxFile, CopiesOverlapUntilTheyAreWaitedFor) {
  write("overlap.ptx", copies_text(false));
  write("serial.ptx", copies_text(true));
  unsigned long long cycles[2] = {0, 0};
  for (const bool serial : {false, true}) {
    const std::string file = serial ? "serial.ptx" : "overlap.ptx";
    const Result result = heddle("run --machine small --ptx " + file + " --print out=3 iota:u32:16384 zeros:u32:32");
    ASSERT_EQ(result.status, 0) << result.err;
    // Word 4 * tid of the first page and of the eighth.
    EXPECT_EQ(result.out, "out (u32 x 32): 7168 7176 7184 ...\n");
    const std::size_t at = result.err.find(" cycles, ");
    ASSERT_NE(at, std::string::npos) << result.err;
    const std::size_t begin = result.err.rfind(' ', at - 1);
    cycles[serial ? 1 : 0] = std::stoull(result.err.substr(begin + 1, at - begin - 1));
  }
  // Eight sequential memory accesses take several times as long as eight parallel ones.
  EXPECT_GT(cycles[1], 2 * cycles[0]);
}

TEST_F(PtxFile, AnArrivalBehindCopiesComesWhenTheyAreThere) {
  write(
      "arrive.ptx",
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out)\n"
      "{ .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar;\n"
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;\n"
      "shl.b32 %r2, %r1, 4; cvt.u64.u32 %d2, %r2; ld.param.u64 %d1, [in]; add.u64 %d1, %d1, %d2; mov.u32 %r5, s;\n"
      "add.u32 %r2, %r2, %r5; mov.u32 %r6, 0; cp.async.ca.shared.global [%r2], [%d1], 16;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
      "again: add.u32 %r6, %r6, 1; mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra again;\n"
      "ld.shared.u32 %r3, [%r2]; ld.param.u64 %d3, [out]; mul.wide.u32 %d4, %r1, 8; add.u64 %d3, %d3, %d4;\n"
      "st.global.v2.u32 [%d3], {%r3, %r6}; exit; }\n");
  const Result functional = heddle("run -q --functional --ptx arrive.ptx --print out=4 iota:u32:128 zeros:u32:64");
  EXPECT_EQ(functional.out, "out (u32 x 64): 0 1 4 1 ...\n") << functional.err;
  const Result timed = heddle("run -q --machine small --ptx arrive.ptx --print out=2 iota:u32:128 zeros:u32:64");
  ASSERT_EQ(timed.status, 0) << timed.err;
  // The copy takes time, so the loop iterated more than once.
  unsigned value = 1, turns = 0;
  ASSERT_EQ(std::sscanf(timed.out.c_str(), "out (u32 x 64): %u %u", &value, &turns), 2) << timed.out;
  EXPECT_EQ(value, 0u);
  EXPECT_GT(turns, 3u);
}

}  // namespace
}  // namespace heddle::test
