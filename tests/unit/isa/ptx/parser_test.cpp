// SPDX-License-Identifier: Apache-2.0
// Module scope: what a module offers before any of its kernels is lowered.
#include "isa/ptx/parser.h"

#include <cstring>

#include "../front_end_fixture.h"

namespace heddle::isa {
namespace {

std::shared_ptr<const Module> parsed(const std::string& rest) { return Module::parse(module_text(rest), "test.ptx"); }
std::string parse_message(const std::string& text) {
  return message_of([&] { Module::parse(text, "test.ptx"); });
}
template <typename T>
T value_at(const Variable& variable, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= variable.initial.size())
    std::memcpy(&value, variable.initial.data() + offset, sizeof value);
  return value;
}

TEST(Parser, LaysOutKernelParameters) {
  const auto module = parsed(R"(
.visible .entry k(.param .u8 a, .param .align 8 .b8 s[20], .param .u64 .ptr .global .align 4 p, .param .f32 x) { ret; })");
  ASSERT_EQ(module->kernels().size(), 1u);
  const KernelSignature& k = module->kernels()[0];
  ASSERT_EQ(k.parameters.size(), 4u);
  EXPECT_EQ(k.parameters[1].name, "s");
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[1].size, 20u);
  EXPECT_EQ(k.parameters[2].offset, 32u);
  EXPECT_EQ(k.parameters[3].offset, 40u);
  EXPECT_EQ(k.parameter_bytes, 44u);
  EXPECT_EQ(module->find_kernel("k"), &k);
  EXPECT_EQ(module->find_kernel("other"), nullptr);
}

TEST(Parser, ReadsInitialisersOfEveryShape) {
  const auto module = parsed(R"(
.global .align 4 .u32 scalar = 7;
.const .align 4 .f32 table[2][3] = {{1.0, 2.0}, {0f40400000}};
.global .align 1 .b8 bytes[4] = {1, -1, 0x80};
.global .f64 d = 0d3FF8000000000000;
.global .align 16 .v4 .u32 v[2] = {{1, 2, 3, 4}, {5}};
.global .u16 open[] = {1, 2, 3};
.visible .global .align 4 .s32 empty[10];
.const[2] .u32 banked = 3;
.global .u32 one, two = 2;)");
  const auto variable = [&](const char* name) -> const Variable& { return *module->find_variable(name); };
  EXPECT_EQ(value_at<std::uint32_t>(variable("scalar"), 0), 7u);
  EXPECT_EQ(variable("table").space, Space::constant);
  EXPECT_EQ(variable("table").size, 24u);
  EXPECT_EQ(value_at<float>(variable("table"), 4), 2.0f);
  EXPECT_EQ(value_at<float>(variable("table"), 8), 0.0f);
  EXPECT_EQ(value_at<float>(variable("table"), 12), 3.0f);
  EXPECT_EQ(value_at<std::uint8_t>(variable("bytes"), 1), 0xff);
  EXPECT_EQ(value_at<double>(variable("d"), 0), 1.5);
  EXPECT_EQ(variable("v").alignment, 16u);
  EXPECT_EQ(value_at<std::uint32_t>(variable("v"), 16), 5u);
  EXPECT_EQ(variable("open").size, 6u);
  EXPECT_EQ(variable("empty").size, 40u);
  EXPECT_TRUE(variable("empty").initial.empty());
  EXPECT_EQ(value_at<std::uint32_t>(variable("banked"), 0), 3u);
  EXPECT_EQ(value_at<std::uint32_t>(variable("two"), 0), 2u);
}

TEST(Parser, RecordsAddressesInInitialisers) {
  const auto module = parsed(R"(
.global .align 4 .u32 target[4];
.func f() { ret; }
.global .align 8 .u64 pointers[4] = {0, target+8, generic(target), f};)");
  const Variable& pointers = *module->find_variable("pointers");
  ASSERT_EQ(pointers.relocations.size(), 3u);
  EXPECT_EQ(pointers.relocations[0].offset, 8u);
  EXPECT_EQ(pointers.relocations[0].symbol, "target");
  EXPECT_EQ(pointers.relocations[0].addend, 8);
  EXPECT_TRUE(pointers.relocations[1].generic);
  EXPECT_EQ(pointers.relocations[2].symbol, "f");
  EXPECT_TRUE(module->function_address("f").has_value());
  EXPECT_FALSE(module->function_address("target").has_value());
}

TEST(Parser, KnowsManagedAndExternalVariablesAndTextures) {
  const auto module = parsed(R"(
.visible .global .attribute(.managed) .align 4 .u32 m;
.extern .global .align 4 .u32 e[];
.global .texref t;
.tex .u64 old;)");
  EXPECT_TRUE(module->find_variable("m")->managed);
  EXPECT_TRUE(module->find_variable("e")->external);
  EXPECT_EQ(module->find_variable("t")->space, Space::texture);
  EXPECT_EQ(module->find_variable("old")->space, Space::texture);
}

TEST(Parser, SkipsWhatDoesNotMatter) {
  const auto module = parsed(R"(
.file 1 "a.cu", 123, 456
.section .debug_info { .b32 5 .b8 1,2,3 .b64 .debug_abbrev }
@@DWARF .section .debug_line
.pragma "anything";
.weak .entry k() .maxntid 64, 2 .minnctapersm 3 .maxnreg 32 { .loc 1 3 1 ret; })");
  const auto kernel = module->lower("k", TestAddresses());
  EXPECT_EQ(kernel->max_threads[0], 64u);
  EXPECT_EQ(kernel->max_threads[1], 2u);
  EXPECT_EQ(kernel->max_threads[2], 1u);
  EXPECT_FALSE(kernel->required_threads);
  EXPECT_EQ(kernel->min_blocks, 3u);
  EXPECT_EQ(kernel->max_registers, 32u);
}

TEST(Parser, LoadsAModuleWhoseOtherKernelsItCannotLower) {
  const auto module = parsed(R"(
.entry good() { ret; }
.entry exotic() { .reg .b32 %r<9>; wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%r2]; ret; }
.entry broken() { this is { not PTX } })");
  EXPECT_EQ(module->kernels().size(), 3u);
  EXPECT_NO_THROW(module->lower("good", TestAddresses()));
  EXPECT_EQ(
      message_of([&] { module->lower("exotic", TestAddresses()); }),
      "test.ptx:6:36: instruction 'wmma.load.a.sync.aligned.row.m16n16k16.f16' is not supported: the matrix units are "
      "not modelled; compute the product with fma or dp4a (a library built for sm_60 has such a path)");
  EXPECT_NE(message_of([&] { module->lower("broken", TestAddresses()); }).find("test.ptx:7:19:"), std::string::npos);
  EXPECT_NE(message_of([&] { module->lower("absent", TestAddresses()); }).find("there is no kernel 'absent'"),
            std::string::npos);
}

TEST(Parser, SaysWhereModuleScopeIsWrong) {
  EXPECT_EQ(parse_message(".version 6.4\n.target sm_70\n.address_size 16\n"),
            "test.ptx:3:1: .address_size must be 32 or 64, not 16");
  EXPECT_EQ(parse_message(module_text(".global .u32 x = {")),
            "test.ptx:4:19: expected a constant, found the end of the text");
  EXPECT_EQ(parse_message(module_text("garbage")), "test.ptx:4:1: expected a directive, found 'garbage'");
  EXPECT_EQ(parse_message(module_text(".entry k() {")), "test.ptx:4:12: '{' is not closed");
  EXPECT_EQ(parse_message(module_text(".global .u32 x;\n.global .u32 x;")),
            "test.ptx:5:14: variable 'x' is defined twice");
  EXPECT_EQ(parse_message(module_text(".func f() { }\n.func f() { }")), "test.ptx:5:1: function 'f' is defined twice");
  EXPECT_EQ(parse_message(module_text(".global .align 3 .u32 x;")),
            "test.ptx:4:16: alignment 3 is not a power of two up to 4096");
  EXPECT_EQ(parse_message(module_text(".global .u32 x[2] = {1, 2, 3};")),
            "test.ptx:4:28: too many initialisers for 'x'");
  EXPECT_EQ(parse_message(module_text(".global .b8 x[9999999999999];")),
            "test.ptx:4:15: an array of 9999999999999 elements is too large");
  EXPECT_EQ(parse_message(module_text(".global .b8 x[1000000][1000000][1000000];")),
            "test.ptx:4:13: 'x' is larger than 2^40 bytes");
  EXPECT_EQ(parse_message(module_text(".shared .u32 x = 1;")),
            "test.ptx:4:16: shared variable 'x' cannot have an initialiser");
}

}  // namespace
}  // namespace heddle::isa
