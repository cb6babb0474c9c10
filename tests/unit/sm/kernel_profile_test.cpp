// SPDX-License-Identifier: Apache-2.0
// Profiles of loops: what is read, what is refused, and how a profile is matched with a kernel.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "isa/module.h"
#include "sm/scheduling/locality/kernel_profile.h"

namespace heddle::sm {
namespace {

constexpr const char* kLoad = R"({"pc": 3, "source_line": 8, "divergent": true, "repetition": 1})";

std::string file_with(const std::string& loads, const std::string& kernel_members = "", std::uint32_t loop_pc = 2) {
  return R"({"format": 1, "kernels": [{"kernel": "k", )" + kernel_members + R"("loops": [{"pc": )" +
         std::to_string(loop_pc) + R"(, "source_line": 7, "locality": true, "loads": [)" + loads + "]}]}]}";
}

std::string refusal_of(const std::string& text) {
  try {
    KernelProfiles::parse(text, "loops.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    return error.what();
  }
  return "";
}

struct NoAddresses final : isa::SymbolResolver {
  std::uint64_t address(const isa::Variable&) const override { return 0; }
};

std::shared_ptr<const isa::Kernel> looping_kernel(const std::string& name = "k") {
  return isa::Module::parse(
             ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry " + name + R"((.param .u64 p)
{
  .reg .b64 %d<2>; .reg .b32 %r<4>; .reg .pred %p<2>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, 0;
loop:
  add.u32 %r1, %r1, 1;
  ld.global.u32 %r2, [%d1];
  setp.lt.u32 %p1, %r1, %r2;
  @%p1 bra loop;
  ret;
})",
             "test.ptx")
      ->lower(name, NoAddresses());
}

TEST(KernelProfileTest, ReadsWhatItWrites) {
  const KernelProfiles read = KernelProfiles::parse(file_with(kLoad, R"("warp_limit": 4, )"), "loops.json");
  ASSERT_EQ(read.kernels().size(), 1u);
  const KernelProfile& kernel = read.kernels()[0];
  EXPECT_EQ(kernel.kernel, "k");
  EXPECT_EQ(kernel.warp_limit, 4u);
  ASSERT_NE(kernel.find(2), nullptr);
  EXPECT_EQ(kernel.find(3), nullptr);
  const LoopProfile& loop = *kernel.find(2);
  EXPECT_TRUE(loop.locality);
  EXPECT_EQ(loop.source_line, 7u);
  ASSERT_EQ(loop.loads.size(), 1u);
  EXPECT_EQ(loop.loads[0].pc, 3u);
  EXPECT_TRUE(loop.loads[0].divergent);
  EXPECT_EQ(loop.loads[0].repetition, 1u);
  EXPECT_EQ(KernelProfiles::parse(read.text(), "again.json").text(), read.text());
  EXPECT_NE(read.text().find("warp_limit"), std::string::npos);
}

TEST(KernelProfileTest, RefusesWhatIsMalformedWithFileLineAndReason) {
  const std::pair<std::string, const char*> cases[] = {
      {"[]", "loops.json:1: a profile of loops is an object"},
      {R"({"kernels": []})", "needs a member 'format'"},
      {R"({"format": 2, "kernels": []})", "format 2 is not known; this version reads format 1"},
      {R"({"format": 1, "kernel": []})", "has no member 'kernel'"},
      {R"({"format": 1, "kernels": [{"kernel": 5, "loops": []}]})", "'kernel' is a name"},
      {R"({"format": 1, "kernels": [{"kernel": "k", "loops": []}, {"kernel": "k", "loops": []}]})",
       "kernel 'k' is listed twice"},
      {file_with(kLoad, R"("warp_limit": 0, )"), "'warp_limit' is 1 or more"},
      {file_with(std::string(kLoad) + ", " + kLoad), "the load at PC 3 is listed twice"},
      {file_with(R"({"pc": 3, "divergent": true})"), "a load needs a member 'repetition'"},
      {file_with(R"({"pc": -3, "divergent": true, "repetition": 0})"), "'pc' is a number"},
      {file_with(R"({"pc": 3, "divergent": 1, "repetition": 0})"), "'divergent' is true or false"},
      {file_with(R"({"pc": 3, "divergent": true, "repetitions": 0})"), "has no member 'repetitions'"},
  };
  for (const auto& [text, reason] : cases) {
    EXPECT_NE(refusal_of(text).find(reason), std::string::npos) << text << "\n" << refusal_of(text);
  }
}

TEST(KernelProfileTest, FindsAKernelAndWarnsOnceOfAnother) {
  const KernelProfiles profiles = KernelProfiles::parse(file_with(kLoad), "once.json");
  EXPECT_NE(profiles.find(*looping_kernel()), nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(profiles.find(*looping_kernel("other")), nullptr);
  EXPECT_EQ(profiles.find(*looping_kernel("other")), nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: warning: once.json has no profile of kernel 'other': it runs as without one\n");
}

TEST(KernelProfileTest, RefusesAProfileOfAnotherVersionOfTheKernel) {
  const auto refusal = [](const std::string& text) {
    try {
      KernelProfiles::parse(text, "old.json").find(*looping_kernel());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::configuration);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal(file_with(kLoad, "", 1)).find("no loop that begins at PC 1 (line 7)"), std::string::npos);
  EXPECT_NE(refusal(file_with(kLoad, "", 900)).find("no loop that begins at PC 900"), std::string::npos);
  const std::string no_load = refusal(file_with(R"({"pc": 4, "divergent": true, "repetition": 0})"));
  EXPECT_NE(no_load.find("no load at PC 4 (line 0) in the loop at PC 2"), std::string::npos) << no_load;
  EXPECT_NE(no_load.find("heddle profile-loops"), std::string::npos);
}

}  // namespace
}  // namespace heddle::sm
