// SPDX-License-Identifier: Apache-2.0
// Relocatable device code in separate objects, libraries and with other linkers.
#include <map>

#include "cc/object_file.h"
#include "core/error.h"
#include "sandbox.h"

namespace heddle::test {
namespace {

class DeviceLink : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    fs::copy(HEDDLE_TEST_DATA, path("."), fs::copy_options::recursive);
    // All tests use the same three objects; the first test compiles them.
    for (const char* name : {"rdc_main", "rdc_functions", "rdc_scale"}) {
      std::string& object = objects()[name];
      const std::string file = std::string(name) + ".o";
      if (object.empty()) {
        const Result result = cc(std::string("-dc ") + name + ".cu");
        ASSERT_EQ(result.status, 0) << result.err;
        object = read(file);
      }
      write(file, object);
    }
  }
  static std::map<std::string, std::string>& objects() {
    static std::map<std::string, std::string> contents;
    return contents;
  }
  void expect_works(const std::string& program) {
    const Result result = run(program);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(count(result.out, "version=2 modules=3 ptx=yes"), count(result.out, "module "));
    EXPECT_EQ(count(result.out, "kernel _ZL5localv own"), 2u) << "each module's own kernel of that name\n"
                                                              << result.out;
    EXPECT_EQ(count(result.out, "missing"), 0u) << result.out;
    EXPECT_TRUE(contains(result.out, "launch _Z5scalePf grid=1 block=4"));
    EXPECT_EQ(count(result.out, "unregister"), count(result.out, "module "));
  }
};

TEST_F(DeviceLink, JoinsObjects) {
  const Result link = cc("rdc_main.o rdc_functions.o rdc_scale.o -o app");
  ASSERT_EQ(link.status, 0) << link.err;
  expect_works("./app");
}

TEST_F(DeviceLink, TakesMembersOfALibraryThatOnlyDeviceCodeUses) {
  ASSERT_EQ(run("ar rcs libparts.a rdc_functions.o rdc_scale.o").status, 0);
  ASSERT_EQ(cc("rdc_main.o -o by_name -L. -lparts").status, 0);
  expect_works("./by_name");
  ASSERT_EQ(cc("rdc_main.o libparts.a ./libparts.a -o by_path").status, 0);
  expect_works("./by_path");
}

TEST_F(DeviceLink, MakesAnObjectForAnotherLinker) {
  ASSERT_EQ(cc("-dlink rdc_main.o rdc_functions.o rdc_scale.o -o registration.o").status, 0);
  ASSERT_EQ(run("g++ rdc_main.o rdc_functions.o rdc_scale.o registration.o -L\"$HEDDLE_HOME/share/heddle/cuda/lib64\" "
                "-lcudart_static -o app")
                .status,
            0);
  expect_works("./app");
}

TEST_F(DeviceLink, IsNotDoneTwice) {
  ASSERT_EQ(cc("-dlink rdc_main.o rdc_functions.o rdc_scale.o -o registration.o").status, 0);
  ASSERT_EQ(cc("rdc_main.o rdc_functions.o rdc_scale.o registration.o -o app").status, 0);
  expect_works("./app");
}

TEST_F(DeviceLink, HappensInOneCommandToo) {
  const Result build = cc("-rdc=true rdc_main.cu rdc_functions.cu rdc_scale.cu -o app");
  ASSERT_EQ(build.status, 0) << build.err;
  expect_works("./app");
}

TEST_F(DeviceLink, WorksOnPartiallyLinkedObjects) {
  ASSERT_EQ(run("ld -r rdc_functions.o rdc_scale.o -o two.o").status, 0);
  ASSERT_EQ(cc("rdc_main.o two.o -o app").status, 0);
  expect_works("./app");
}

TEST_F(DeviceLink, NamesTheSymbolThatNobodyDefines) {
  const Result link = cc("rdc_main.o rdc_scale.o -o app");
  EXPECT_NE(link.status, 0);
  EXPECT_TRUE(contains(link.err, "square(float)") && contains(link.err, "rdc_main.o")) << link.err;
  EXPECT_FALSE(exists("app"));
}

TEST_F(DeviceLink, OneSourceCompiledTwiceGivesTwoModules) {
  write("part.cu", "__global__ void NAME(int* p) { *p = 1; }\nvoid CALL() { NAME<<<1, 1>>>(nullptr); }\n");
  write("main.cu", "void call_a();\nvoid call_b();\nint main() { call_a(); call_b(); }\n");
  ASSERT_EQ(cc("-dc part.cu -DNAME=a -DCALL=call_a -o a.o").status, 0);
  ASSERT_EQ(cc("-dc part.cu -DNAME=b -DCALL=call_b -o b.o").status, 0);
  const Result link = cc("-rdc=true main.cu a.o b.o -o app");
  ASSERT_EQ(link.status, 0) << link.err;
  const Result app = run("./app");
  EXPECT_TRUE(contains(app.out, "launch _Z1aPi") && contains(app.out, "launch _Z1bPi")) << app.out;
}

TEST_F(DeviceLink, SymbolsOfInternalLinkageAreLocalInThePtx) {
  const std::string ptx = ptx_of("rdc_scale.cu", "-rdc=true");
  EXPECT_TRUE(contains(ptx, "\n.entry _ZL5localv(")) << ptx;
  EXPECT_TRUE(contains(ptx, "\n.global .align 4 .u32 _ZL6hidden;")) << ptx;
  EXPECT_FALSE(contains(ptx, "__static__") || contains(ptx, "__intern__")) << ptx;
  EXPECT_TRUE(contains(ptx, ".visible .entry _Z5scalePf("));
}

TEST_F(DeviceLink, DamagedObjectIsReportedNotTrusted) {
  const std::string whole = read("rdc_functions.o");
  int reported = 0;
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    write("cut.o", whole.substr(0, size));
    cc::DeviceObjects objects;
    try {
      cc::read_device_objects(path("cut.o").string(), objects);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      ++reported;
    }
  }
  EXPECT_GT(reported, 10);
  // Any byte may be damaged.
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    write("changed.o", changed);
    cc::DeviceObjects objects;
    try {
      cc::read_device_objects(path("changed.o").string(), objects);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace heddle::test
