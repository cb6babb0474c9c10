// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/lexer.h"

#include <gtest/gtest.h>

namespace heddle::isa {
namespace {

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : tokenize(text)) out.emplace_back(token.text);
  out.pop_back();  // the end
  return out;
}

TokenKind kind_of(std::string_view text) {
  const auto tokens = tokenize(text);
  return tokens.size() == 2 ? tokens[0].kind : TokenKind::end;
}

TEST(Lexer, SplitsAnInstruction) {
  EXPECT_EQ(texts("@!%p1 ld.global.nc.v2.f32 {%f1, _}, [%rd1+-4];"),
            (std::vector<std::string>{"@", "!", "%p1", "ld", ".global", ".nc", ".v2", ".f32", "{", "%f1", ",",
                                      "_", "}", ",",   "[",  "%rd1",    "+",   "-",   "4",    "]", ";"}));
}

TEST(Lexer, TakesQualifiedModifiersAsOne) {
  EXPECT_EQ(texts("st.shared::cta.L2::128B $L__BB0_2: a::b"),
            (std::vector<std::string>{"st", ".shared::cta", ".L2::128B", "$L__BB0_2", ":", "a", ":", ":", "b"}));
}

TEST(Lexer, TellsNumbersApart) {
  EXPECT_EQ(kind_of("0x1fU"), TokenKind::integer);
  EXPECT_EQ(kind_of("017"), TokenKind::integer);
  EXPECT_EQ(kind_of("0b101"), TokenKind::integer);
  EXPECT_EQ(kind_of("42U"), TokenKind::integer);
  EXPECT_EQ(kind_of("1.5"), TokenKind::float_text);
  EXPECT_EQ(kind_of("2e-3"), TokenKind::float_text);
  EXPECT_EQ(kind_of("0f3F800000"), TokenKind::float_hex32);
  EXPECT_EQ(kind_of("0D3FF0000000000000"), TokenKind::float_hex64);
  EXPECT_EQ(kind_of("0f3F80000"), TokenKind::error) << "seven digits";
}

TEST(Lexer, ReadsEveryFormOfInteger) {
  const auto value = [](std::string_view text) {
    std::uint64_t out = 0;
    EXPECT_TRUE(integer_value(text, out)) << text;
    return out;
  };
  EXPECT_EQ(value("0"), 0u);
  EXPECT_EQ(value("42U"), 42u);
  EXPECT_EQ(value("0x1F"), 31u);
  EXPECT_EQ(value("017"), 15u);
  EXPECT_EQ(value("0b101U"), 5u);
  EXPECT_EQ(value("18446744073709551615"), ~std::uint64_t{0});
  std::uint64_t out = 0;
  EXPECT_FALSE(integer_value("18446744073709551616", out));
  EXPECT_FALSE(integer_value("08", out));
  EXPECT_FALSE(integer_value("0x", out));
}

TEST(Lexer, LeavesOutCommentsAndCountsTheirLines) {
  const auto tokens = tokenize("// one\n/* two\n three */ add\n@@DWARF .byte 1\n# 1 \"x\"\nsub");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].text, "add");
  EXPECT_EQ(tokens[0].line, 3u);
  EXPECT_EQ(tokens[0].column, 11u);
  EXPECT_EQ(tokens[1].line, 6u);
  EXPECT_EQ(tokens[1].column, 1u);
}

TEST(Lexer, MarksWhatIsNotPtx) {
  EXPECT_EQ(kind_of("`"), TokenKind::error);
  EXPECT_EQ(kind_of("\"open"), TokenKind::error);
  EXPECT_EQ(tokenize("add /* open").at(1).kind, TokenKind::error);
  EXPECT_EQ(tokenize("\"a\\\"b\"").at(0).text, "a\\\"b");
}

TEST(Lexer, EndsOnAnyText) {
  for (int c = 0; c < 256; ++c) {
    const std::string text(3, static_cast<char>(c));
    const auto tokens = tokenize(text);
    EXPECT_LE(tokens.size(), 4u);
    EXPECT_EQ(tokens.back().kind, TokenKind::end);
  }
}

}  // namespace
}  // namespace heddle::isa
