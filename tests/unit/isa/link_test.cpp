// SPDX-License-Identifier: Apache-2.0
// Several modules linked into one: relocatable device code.
#include "front_end_fixture.h"

namespace heddle::isa {
namespace {

std::shared_ptr<const Module> link(const std::vector<std::string>& texts) {
  std::vector<std::shared_ptr<const Module>> modules;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    modules.push_back(Module::parse(module_text(texts[i]), fmt::format("m{}.ptx", i)));
  }
  return Module::link(modules, "linked");
}

std::vector<std::string> lowered_texts(const Module& module, const std::string& kernel) {
  const auto lowered = module.lower(kernel, TestAddresses());
  std::vector<std::string> out;
  for (const MicroOp& op : lowered->ops) out.push_back(lowered->text(op));
  return out;
}

TEST(Link, BindsFunctionsAndVariablesAcrossModules) {
  const auto module = link({R"(
.extern .func (.param .b32 r) f(.param .b32 x);
.extern .global .align 4 .u32 counter;
.visible .entry k() { .reg .b32 %r<9>; ld.global.u32 %r1, [counter];
{ .param .b32 p; st.param.b32 [p], %r1; .param .b32 q; call (q), f, (p); ld.param.b32 %r2, [q]; } st.global.u32 [counter], %r2; ret; })",
                            R"(
.visible .global .align 4 .u32 counter = 5;
.visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<9>; ld.param.u32 %r1, [x]; neg.s32 %r2, %r1; st.param.b32 [r], %r2; ret; })"});
  EXPECT_EQ(lowered_texts(*module, "k"), (std::vector<std::string>{"ld.global.u32 %r1, [counter]", "neg.s32 %r2, %r1",
                                                                   "st.global.u32 [counter], %r2", "ret"}));
  ASSERT_EQ(module->variables().size(), 1u);
  EXPECT_FALSE(module->find_variable("counter")->external);
  EXPECT_EQ(module->find_variable("counter")->initial.size(), 4u);
  const auto kernel = module->lower("k", TestAddresses());
  EXPECT_EQ(kernel->ptx_name, "m0.ptx");
}

TEST(Link, KeepsPrivateNamesApart) {
  const auto module =
      link({".global .u32 x = 1;\n.func f() { st.global.u32 [x], 1; ret; }\n.visible .entry a() { call f; ret; }",
            ".global .u32 x = 2;\n.func f() { st.global.u32 [x+4], 2; ret; }\n.visible .entry b() { call f; ret; "
            "}\n.global .u64 p[2] = {x, f};"});
  ASSERT_EQ(module->variables().size(), 3u);
  EXPECT_EQ(module->variables()[0].name, "x");
  EXPECT_EQ(module->variables()[1].name, "x@m1.ptx");
  const auto a = module->lower("a", TestAddresses()), b = module->lower("b", TestAddresses());
  EXPECT_EQ(a->text(a->ops[0]), "st.global.u32 [x], 1");
  EXPECT_EQ(b->text(b->ops[0]), "st.global.u32 [x+4], 2");
  const Variable& p = *module->find_variable("p");
  EXPECT_EQ(p.relocations[0].symbol, "x@m1.ptx") << "the relocation names what it means";
  EXPECT_NE(module->function_address(p.relocations[1].symbol), module->function_address("f"));
}

TEST(Link, MergesWeakDefinitionsAndPrefersStrongOnes) {
  const auto module =
      link({".weak .func f() { st.global.u32 [0], 1; ret; }\n.visible .entry k() { call f; ret; }\n.weak .global .u32 "
            "v = 1;",
            ".visible .func f() { st.global.u32 [0], 2; ret; }\n.visible .global .u32 v = 2;",
            ".weak .func f() { st.global.u32 [0], 3; ret; }\n.weak .global .u32 v = 3;"});
  EXPECT_EQ(lowered_texts(*module, "k")[0], "st.global.u32 [0], 2");
  ASSERT_EQ(module->variables().size(), 1u);
  EXPECT_EQ(module->variables()[0].initial[0], std::byte{2});
}

TEST(Link, RefusesTwoStrongDefinitions) {
  EXPECT_EQ(message_of([] {
              link({".visible .func f() { ret; }", ".visible .func f() { ret; }"});
            }),
            "m1.ptx:4:10: 'f' is also defined in another module");
  EXPECT_EQ(message_of([] {
              link({".visible .global .u32 v;", ".visible .global .u32 v;"});
            }),
            "m1.ptx:4:23: 'v' is also defined in another module");
}

TEST(Link, LeavesWhatNobodyDefinesToItsUse) {
  const auto module = link(
      {".extern .func missing();\n.visible .entry bad() { call missing; ret; }\n.visible .entry good() { ret; }", ""});
  EXPECT_NO_THROW(module->lower("good", TestAddresses()));
  EXPECT_EQ(message_of([&] { module->lower("bad", TestAddresses()); }),
            "m0.ptx:5:25: function 'missing' is called but not defined in any module");
}

TEST(Link, SharesDynamicMemoryAndVisibleSharedVariables) {
  const auto module = link({R"(
.extern .shared .align 4 .b8 mine[]; .visible .shared .align 4 .b8 table[12]; .extern .func f();
.visible .entry k() { .reg .b32 %r; st.shared.u32 [mine], 1; st.shared.u32 [table], 1; call f; ret; })",
                            R"(
.extern .shared .align 32 .b8 theirs[]; .extern .shared .align 4 .b8 table[12];
.visible .func f() { st.shared.u32 [theirs], 2; st.shared.u32 [table+4], 2; ret; })"});
  const auto kernel = module->lower("k", TestAddresses());
  EXPECT_EQ(kernel->ops[0].address_offset, 32);
  EXPECT_EQ(kernel->ops[1].address_offset, 0);
  EXPECT_EQ(kernel->ops[2].address_offset, 32);
  EXPECT_EQ(kernel->ops[3].address_offset, 4);
  EXPECT_EQ(kernel->static_shared_bytes, 32u);
}

TEST(Link, FollowsAliases) {
  const auto module =
      link({".visible .func real() { st.global.u32 [0], 1; ret; }\n.visible .func other();\n.alias other, real;",
            ".extern .func other();\n.visible .entry k() { call other; ret; }"});
  EXPECT_EQ(lowered_texts(*module, "k")[0], "st.global.u32 [0], 1");
}

TEST(Link, FunctionsOfAllModulesCanBeMeantIndirectly) {
  const auto module = link({".extern .func f();\n.visible .global .u64 table[1] = {f};",
                            ".visible .func f() { st.global.u32 [0], 1; ret; }",
                            ".visible .entry k(.param .u64 a) { .reg .b64 %d; ld.param.u64 %d, [a]; P: .callprototype "
                            "_ (); call %d, P; ret; }"});
  EXPECT_NO_THROW(module->lower("k", TestAddresses()));
  EXPECT_EQ(module->variables()[0].relocations[0].symbol, "f");
  EXPECT_TRUE(module->function_address("f").has_value());
}

}  // namespace
}  // namespace heddle::isa
