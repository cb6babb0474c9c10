// SPDX-License-Identifier: Apache-2.0
// Headers as used by programs: guards and versions in C, C++ and CUDA sources, with the driver and with a plain host
// compiler.
#include <algorithm>

#include "../runtime/run_program.h"

namespace heddle::test {
namespace {

class Headers : public RunProgram {
 protected:
  void expect_compiles(const std::string& compiler, const std::string& name) const {
    std::ofstream(folder_ / name) << "#include \"guards.h\"\nint main(void) { return 0; }\n";
    const Result result = shell(compiler + " -I" HEDDLE_SOURCES " -c " + name + " -o object");
    EXPECT_EQ(result.status, 0) << compiler << " " << name << "\n" << result.err;
  }
};

TEST_F(Headers, GuardsAndVersionsAreThereInEveryLanguageOfTheDriver) {
  for (const char* name : {"source.cu", "source.cpp", "source.c"}) {
    expect_compiles(HEDDLE_COMMAND " cc -DHEDDLE_EXPECT_COMPILER", name);
  }
  expect_compiles(HEDDLE_COMMAND " cc -DHEDDLE_EXPECT_COMPILER -dc", "source.cu");
}

TEST_F(Headers, GuardsAndVersionsAreThereForAHostCompilerAlone) {
  expect_compiles("g++ -Wall -Wextra -Werror -isystem " HEDDLE_INCLUDE, "source.cpp");
  expect_compiles("g++ -std=c++11 -isystem " HEDDLE_INCLUDE, "source.cpp");
  expect_compiles("gcc -Wall -Wextra -Werror -isystem " HEDDLE_INCLUDE, "source.c");
}

TEST_F(Headers, CallsOfGraphicsInterfacesAreRefusedByName) {
  const Result result = run("refused_graphics");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(result.out, "all right\n");
  for (const char* name : {"cudaGLSetGLDevice", "cudaGraphicsGLRegisterBuffer", "cudaGraphicsMapResources",
                           "cudaEGLStreamConsumerConnect", "cuGraphicsGLRegisterBuffer"}) {
    EXPECT_NE(result.err.find("error: " + std::string(name) + ": there is no graphics interface"), std::string::npos)
        << name << "\n"
        << result.err;
  }
}

}  // namespace
}  // namespace heddle::test
