// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/error.h"
#include "gpu/occupancy.h"

namespace heddle::gpu {
namespace {

using testing::HasSubstr;

constexpr const char* kHead = ".version 6.4\n.target sm_70\n.address_size 64\n";
constexpr const char* kTwoKernels =
    ".global .align 4 .u32 count = 7;\n.global .align 8 .u64 pointer = count;\n.global .align 4 .b8 room[1000];\n"
    ".visible .entry first(.param .u64 p, .param .u32 n) { ret; }\n"
    ".visible .entry second() { ret; }\n";

class KernelLoading : public testing::Test {
 protected:
  static std::string error_of(const std::function<void()>& work, ExitCode code) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "nothing was thrown";
  }
  template <typename T>
  T at(std::uint64_t address) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
  }
  alignas(256) unsigned char area[4096];
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(area);
  DeviceLimits limits;
  KernelLoader loader{limits, begin, begin + sizeof area};
};

TEST_F(KernelLoading, PlacesVariablesWithWhatTheyHoldAtFirst) {
  std::memset(area, 0xff, sizeof area);
  const auto module = loader.load(std::string(kHead) + kTwoKernels);
  const auto count = loader.find_variable(module, "count"), pointer = loader.find_variable(module, "pointer"),
             room = loader.find_variable(module, "room");
  EXPECT_EQ(at<std::uint32_t>(count.address), 7u);
  EXPECT_EQ(at<std::uint64_t>(pointer.address), count.address);
  EXPECT_EQ(room.bytes, 1000u);
  EXPECT_EQ(at<std::uint32_t>(room.address + 996), 0u);
}

TEST_F(KernelLoading, GivesAKernelOneHandle) {
  const auto module = loader.load(std::string(kHead) + kTwoKernels);
  const auto first = loader.find_kernel(module, "first"), second = loader.find_kernel(module, "second");
  EXPECT_NE(first, second);
  EXPECT_EQ(loader.find_kernel(module, "first"), first);
  EXPECT_EQ(loader.kernel(first)->parameter_bytes, 12u);
}

TEST_F(KernelLoading, SaysWhichKernelsAModuleHas) {
  const auto module = loader.load(std::string(kHead) + kTwoKernels);
  EXPECT_EQ(error_of([&] { loader.find_kernel(module, "third"); }, ExitCode::ptx),
            "module-1.ptx: no kernel 'third'; it has first, second");
}

TEST_F(KernelLoading, RefusesHandlesThatAreNone) {
  EXPECT_EQ(error_of([&] { loader.find_kernel(1, "k"); }, ExitCode::launch),
            "1 is not a module handle; 0 modules are loaded");
  EXPECT_EQ(error_of([&] { loader.kernel(0); }, ExitCode::launch), "0 is not a kernel handle; 0 kernels were found");
}

TEST_F(KernelLoading, RefusesVariablesThatHaveNoRoom) {
  EXPECT_EQ(error_of([&] { loader.load(std::string(kHead) + ".global .b8 much[5000];\n"); }, ExitCode::launch),
            "module-1.ptx: no room for variable 'much' of 5000 bytes; 4096 are left for variables");
  EXPECT_EQ(loader.load(std::string(kHead) + ".global .b8 little[4096];\n"), 1u) << "nothing is lost by the refusal";
}

TEST_F(KernelLoading, RefusesWhatNeedsARuntimeLibrary) {
  const auto module =
      loader.load(std::string(kHead) +
                  ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                  ".visible .entry k() {\n.reg .b64 %rd<3>;\n{\n.param .b64 a;\n.param .b64 b;\n"
                  "st.param.b64 [a], 16;\ncall (b), malloc, (a);\nld.param.b64 %rd1, [b];\n}\nret;\n}\n");
  EXPECT_THAT(error_of([&] { loader.find_kernel(module, "k"); }, ExitCode::ptx), HasSubstr("malloc or free"));
  EXPECT_THAT(error_of([&] { loader.load(std::string(kHead) + ".global .texref t;\n"); }, ExitCode::ptx),
              HasSubstr("texture reference 't'"));
}

TEST_F(KernelLoading, RefusesNarrowAddressesWhereMemoryLiesBeyondThem) {
  EXPECT_THAT(error_of([&] { loader.load(".version 6.4\n.target sm_70\n.address_size 32\n"); }, ExitCode::ptx),
              HasSubstr("addresses of 32 bits"));
}

TEST_F(KernelLoading, FitsAKernelToBlocksThatLeaveItFewRegisters) {
  // 40 values that are all needed at the end.
  std::string body =
      ".visible .entry wide(.param .u64 p) {\n.reg .b32 %r<50>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n";
  for (int i = 0; i < 40; ++i)
    body += "ld.global.u32 %r" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 40; ++i)
    body += "st.global.u32 [%rd1+" + std::to_string(400 - 4 * i) + "], %r" + std::to_string(i) + ";\n";
  limits.registers_per_sm = 1024 * 24;
  const auto handle = loader.find_kernel(loader.load(kHead + body + "ret;\n}\n"), "wide");
  EXPECT_GT(loader.kernel(handle)->registers, 40u);
  EXPECT_EQ(loader.fit(handle, 32, 0), loader.kernel(handle));
  const auto narrow = loader.fit(handle, 1024, 0);
  EXPECT_LE(narrow->registers, 24u);
  EXPECT_EQ(loader.fit(handle, 1024, 0), narrow);
}

TEST_F(KernelLoading, ForgetsEverythingWhenCleared) {
  loader.load(std::string(kHead) + kTwoKernels);
  loader.clear();
  EXPECT_EQ(loader.load(std::string(kHead) + ".global .b8 all[4096];\n"), 1u);
}

}  // namespace
}  // namespace heddle::gpu
