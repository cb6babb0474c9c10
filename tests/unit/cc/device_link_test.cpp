// SPDX-License-Identifier: Apache-2.0
#include "cc/device_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::cc {
namespace {

using testing::HasSubstr;
using testing::Not;

DeviceObjects two_objects() {
  return {{{"__nv_1", ".extern .func g\n();\n", "a.o"}, {"__nv_2", ".visible .func g()\n{\n}\n", "b.o"}}, {}};
}

std::string error_of(const DeviceObjects& objects) {
  try {
    modules_to_link(objects);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DeviceLinkModules, AllThatAreNotRegisteredYet) {
  DeviceObjects objects = two_objects();
  EXPECT_EQ(modules_to_link(objects).size(), 2u);
  objects.registered = {"__nv_1", "__nv_2"};
  EXPECT_EQ(modules_to_link(objects).size(), 0u);
}

TEST(DeviceLinkModules, UndefinedSymbolIsAnErrorInAnObjectButNotInALibraryMember) {
  DeviceObjects objects = two_objects();
  objects.modules.pop_back();
  EXPECT_THAT(error_of(objects), HasSubstr("'g'"));
  objects.modules[0].origin = "lib.a(a.o)";
  EXPECT_EQ(error_of(objects), "no error");
}

TEST(DeviceLinkModules, ASymbolThatTwoModulesDefineIsAnErrorUnlessItIsWeak) {
  DeviceObjects objects = two_objects();
  objects.modules.push_back({"__nv_3", ".visible .func g()\n{\n}\n", "c.o"});
  EXPECT_THAT(error_of(objects), HasSubstr("device symbol 'g' is defined in b.o and in c.o"));
  objects.modules.back().ptx = ".weak .func g()\n{\n}\n";
  EXPECT_EQ(error_of(objects), "no error");
}

TEST(DeviceLinkModules, FunctionsOfTheModelNeedNoObject) {
  const DeviceObjects objects{{{"__nv_1",
                                ".extern .func (.param .b32 r) vprintf\n();\n.extern .func __assertfail\n();\n.extern "
                                ".func (.param .b64 r) malloc\n();\n",
                                "a.o"}},
                              {}};
  EXPECT_EQ(error_of(objects), "no error");
}

TEST(DeviceLinkModules, OneObjectUnderTwoNamesIsAnError) {
  DeviceObjects objects = two_objects();
  objects.modules[0].id = "__nv_2";
  EXPECT_THAT(error_of(objects), HasSubstr("a.o and b.o"));
}

TEST(DeviceLinkSource, RegistersEveryModuleInOneGroupAndSaysTheFormat) {
  const std::string source = registration_source(two_objects().modules, {"m0.ptx", "m1.ptx"});
  EXPECT_THAT(source, HasSubstr("int version        2"));
  EXPECT_THAT(source, HasSubstr(".incbin \\\"m1.ptx\\\""));
  EXPECT_THAT(source, HasSubstr("group[3]"));
  EXPECT_THAT(source, HasSubstr("void __cudaRegisterLinkedBinary__nv_1("));
  EXPECT_THAT(source, HasSubstr("void __cudaRegisterLinkedBinary__nv_2("));
}

TEST(DeviceLinkSource, WithoutModulesDefinesNothing) {
  EXPECT_THAT(registration_source({}, {}), Not(HasSubstr("Wrapper wrappers")));
}

}  // namespace
}  // namespace heddle::cc
