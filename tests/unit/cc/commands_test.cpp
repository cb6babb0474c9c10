// SPDX-License-Identifier: Apache-2.0
#include "cc/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::cc {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class Commands : public testing::Test {
 protected:
  Commands() {
    tools_.clang = "clang";
    tools_.host_compiler = "g++";
    tools_.c_compiler = "gcc";
    tools_.archiver = "ar";
    tools_.paths.cuda_include = "/home/include";
    tools_.paths.runtime_library = "/home/lib";
    tools_.openmp_library = "/llvm/libomp.so";
  }
  Build build(const std::vector<std::string>& arguments) {
    options_ = parse_options(arguments);
    return {options_, tools_, choose_architecture(options_.architectures), "/empty"};
  }
  Command device(const std::vector<std::string>& arguments) {
    return device_command(build(arguments), "a.cu", "a.ptx");
  }
  Command host(const std::vector<std::string>& arguments) {
    return host_command(build(arguments), "a.cu", "a.ptx", "a.o");
  }

  Options options_;
  Toolchain tools_;
};

TEST_F(Commands, CudaSourcesAreAtLeastCxx11) {
  EXPECT_THAT(device({}), Contains("-std=gnu++17"));
  EXPECT_THAT(device({"-std=c++20"}), Contains("-std=c++20"));
  EXPECT_THAT(device({"-std=c++03"}), Contains("-std=c++11"));
  EXPECT_THAT(host({"-std=gnu++98"}), Contains("-std=gnu++11"));
}

TEST_F(Commands, NeitherPassLooksForAToolkit) {
  for (const Command& command : {device({}), host({})}) {
    EXPECT_THAT(command, IsSupersetOf({"-nocudainc", "-nocudalib", "--cuda-path=/empty", "-target-sdk-version=9.2"}));
    EXPECT_THAT(command, IsSupersetOf({"-isystem", "/home/include", "-include", "cuda_runtime.h"}));
  }
}

TEST_F(Commands, HostPassEmbedsWhatTheDevicePassWrote) {
  EXPECT_THAT(device({}), IsSupersetOf({"--cuda-device-only", "-S", "a.ptx", "+ptx64", "--cuda-gpu-arch=sm_70"}));
  EXPECT_THAT(host({}), IsSupersetOf({"--cuda-host-only", "-fcuda-include-gpubinary", "a.ptx", "-c", "a.o"}));
  EXPECT_THAT(host({}), Not(Contains("+ptx64"))) << "the host pass refuses it";
}

TEST_F(Commands, ArgumentsMayBeUndefinedInTheWordsOfEachClang) {
  EXPECT_THAT(device({}), Contains("-disable-noundef-analysis"));
  tools_.clang_version = 15;
  EXPECT_THAT(device({}), Contains("-no-enable-noundef-analysis"));
  EXPECT_THAT(device({}), Not(Contains("-disable-noundef-analysis")));
}

TEST_F(Commands, RelocatableCodeIsAskedOfBothPasses) {
  EXPECT_THAT(device({"-dc"}), IsSupersetOf({"-fgpu-rdc", "-cuid=heddle"}));
  EXPECT_THAT(host({"-dc"}), IsSupersetOf({"-fgpu-rdc", "-fuse-cuid=none"}));
  EXPECT_THAT(device({"-c"}), Not(Contains("-fgpu-rdc")));
}

TEST_F(Commands, OptimisationOptionIsTheHostsAndDebugTurnsTheDevicesOff) {
  EXPECT_THAT(device({"-O0"}), Contains("-O3"));
  EXPECT_THAT(host({"-O0"}), Contains("-O0"));
  EXPECT_THAT(host({}), Contains("-O2"));
  EXPECT_THAT(host({"-g"}), IsSupersetOf({"-O0", "-g"}));
  EXPECT_THAT(device({"-G"}), IsSupersetOf({"-O0", "-gline-directives-only"}));
  EXPECT_THAT(device({"-lineinfo"}), IsSupersetOf({"-O3", "-gline-directives-only", "-emit-llvm"}));
  EXPECT_THAT(device({}), Not(Contains("-emit-llvm")));
  EXPECT_THAT(device({}), Not(Contains("-gline-directives-only")));
}

TEST_F(Commands, DevicePassInTwoKeepsWhatComesBetweenUnoptimised) {
  EXPECT_THAT(unoptimized_command(build({"-DX"}), "a.cu", "a.ll"),
              IsSupersetOf({"--cuda-device-only", "-DX", "-emit-llvm", "-disable-llvm-passes", "a.cu", "a.ll"}));
  const Command command = optimization_command(build({"-use_fast_math"}), "a.ll", "a.ptx");
  EXPECT_THAT(command, IsSupersetOf({"-O3", "ir", "a.ll", "a.ptx", "-march=sm_70", "-nvptx-fma-level=2"}));
  EXPECT_THAT(command, Contains("-nvptx-prec-divf32=0"));
  EXPECT_THAT(command, Not(Contains("-disable-llvm-passes")));
  EXPECT_THAT(command, Not(Contains("-emit-llvm")));
  EXPECT_THAT(optimization_command(build({"-lineinfo"}), "a.ll", "b.ll"), Contains("-emit-llvm"));
  EXPECT_THAT(code_command(build({"-lineinfo"}), "b.ll", "a.ptx"), Contains("-disable-llvm-passes"));
  EXPECT_TRUE(optimizes_device(parse_options({"-g"})));
  EXPECT_FALSE(optimizes_device(parse_options({"-G"})));
}

TEST_F(Commands, HostFlagsReachDeviceCodeOnlyWhenTheySayWhatTheSourceMeans) {
  const std::vector<std::string> flags{"-Xcompiler", "-DX,-fopenmp,-march=native,-fno-exceptions,-I,d"};
  EXPECT_THAT(device(flags), IsSupersetOf({"-DX", "-fno-exceptions", "-I", "d"}));
  EXPECT_THAT(device(flags), Not(Contains("-fopenmp")));
  EXPECT_THAT(device(flags), Not(Contains("-march=native")));
  EXPECT_THAT(host(flags), IsSupersetOf({"-DX", "-fopenmp", "-march=native"}));
}

TEST_F(Commands, WithoutClangsOpenmpThePragmasAreDroppedAndGccsHeaderIsFound) {
  EXPECT_THAT(link_command(build({"-Xcompiler", "-fopenmp"}), {}, "app"), Contains("/llvm/libomp.so"));
  EXPECT_THAT(link_command(build({"-Xcompiler", "-fopenmp"}), {}, "app"), Not(Contains("-fopenmp")));
  tools_.openmp_library = "";
  EXPECT_THAT(link_command(build({"-Xcompiler", "-fopenmp"}), {}, "app"), Contains("-fopenmp"));
  tools_.gcc_include = "/gcc/include";
  EXPECT_THAT(host({"-Xcompiler", "-fopenmp"}), Not(Contains("-fopenmp")));
  EXPECT_THAT(host({"-Xcompiler", "-fopenmp"}), IsSupersetOf({"-idirafter", "/gcc/include"}));
}

TEST_F(Commands, PlainSourcesGoToTheHostCompilerWithoutTheCudaPrelude) {
  const Command cxx = plain_command(build({"-std=c++14", "-DX"}), "a.cpp", Language::cxx, "a.o");
  EXPECT_EQ(cxx.front(), "g++");
  EXPECT_THAT(cxx, IsSupersetOf({"-std=c++14", "-DX", "/home/include", "-D__NVCC__=1"}));
  EXPECT_THAT(cxx, Not(Contains("cuda_runtime.h")));
  const Command c = plain_command(build({"-std=c++14"}), "a.c", Language::c, "a.o");
  EXPECT_EQ(c.front(), "gcc");
  EXPECT_THAT(c, Not(Contains("-std=c++14")));
}

TEST_F(Commands, LinkFindsOurRuntimeBeforeAnyOther) {
  const Command link = link_command(build({"-L/theirs"}), {"a.o", "-lx"}, "app");
  const auto at = [&](const std::string& word) { return std::find(link.begin(), link.end(), word) - link.begin(); };
  EXPECT_LT(at("-L/home/lib"), at("-L/theirs"));
  EXPECT_THAT(link, IsSupersetOf({"-Wl,--enable-new-dtags", "-Wl,-rpath,/home/lib", "-lcudart_static"}));
  EXPECT_LT(at("-lx"), at("-lcudart_static"));
  EXPECT_THAT(link_command(build({"-cudart", "shared"}), {}, "app"), Contains("-lcudart"));
  EXPECT_THAT(link_command(build({"-cudart=none"}), {}, "app"), Each(Not(HasSubstr("cudart"))));
}

TEST_F(Commands, LibrariesAreLinkedBehindTheObjectsTheyServe) {
  const auto order = [&](const std::vector<std::string>& items) {
    const Command link = link_command(build({}), items, "app");
    const auto begin = std::find(link.begin(), link.end(), "-Wl,--start-group"),
               end = std::find(begin, link.end(), "-Wl,--end-group");
    return std::vector<std::string>(begin + 1, end);
  };
  EXPECT_THAT(order({"-lx", "a.o", "-ly", "b.a"}), ElementsAre("a.o", "b.a", "-lx", "-ly"));
  EXPECT_THAT(order({"-Wl,--whole-archive", "-lx", "-Wl,--no-whole-archive", "a.o"}),
              ElementsAre("-Wl,--whole-archive", "-lx", "-Wl,--no-whole-archive", "a.o"));
}

TEST_F(Commands, ShellTextQuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_text({"a", "-DX=1", "b c", "$d", "e\"f", ""}), "a -DX=1 \"b c\" \"\\$d\" \"e\\\"f\" \"\"");
}

}  // namespace
}  // namespace heddle::cc
