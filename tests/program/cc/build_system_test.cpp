// SPDX-License-Identifier: Apache-2.0
// Ordinary projects built by make and CMake with only the compiler's name changed.
#include "sandbox.h"

namespace heddle::test {
namespace {

class BuildSystem : public Sandbox {
 protected:
  void copy_project(const std::string& name) {
    fs::copy(fs::path(HEDDLE_TEST_PROJECTS) / name, path("project"), fs::copy_options::recursive);
  }
};

TEST_F(BuildSystem, MakeBuildsAProjectWithNvccReplaced) {
  copy_project("make_project");
  const Result build = run("make -C project NVCC='" HEDDLE_COMMAND " cc'");
  ASSERT_EQ(build.status, 0) << build.out << build.err;
  EXPECT_TRUE(contains(run("project/app").out, "launch _Z5twicePfi grid=1 block=32"));
  EXPECT_TRUE(contains(run("make -C project NVCC='" HEDDLE_COMMAND " cc'").out, "is up to date"));
  // The rules the compiler wrote know the header.
  run("sleep 0.01; touch project/twice.h");
  EXPECT_TRUE(contains(run("make -C project NVCC='" HEDDLE_COMMAND " cc'").out, "-o twice.o"));
}

TEST_F(BuildSystem, CmakeBuildsAProjectWithItsCudaLanguage) {
  copy_project("cmake_project");
  const Result configure = run("cmake -S project -B build -G Ninja -DCMAKE_CUDA_COMPILER=\"$CC_UNDER_TEST\"");
  ASSERT_EQ(configure.status, 0) << configure.out << configure.err;
  EXPECT_TRUE(contains(configure.out, "Check for working CUDA compiler"));
  const Result build = run("ninja -C build -j2");
  ASSERT_EQ(build.status, 0) << build.out;
  EXPECT_TRUE(contains(run("build/plain").out, "launch _Z4fillPi grid=1 block=16"));
  EXPECT_TRUE(contains(run("build/separable").out, "version=2 modules=2"));
  EXPECT_TRUE(contains(run("build/user").out, "launch _Z10in_libraryPi grid=3"));
  EXPECT_TRUE(contains(run("build/host_only").out, "devices 0"));
  EXPECT_TRUE(contains(run("ninja -C build").out, "no work to do"));
}

}  // namespace
}  // namespace heddle::test
