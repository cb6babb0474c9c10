// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/constant_expression.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::isa {
namespace {

ConstantValue parse(const std::string& text) {
  const auto tokens = tokenize(text);
  TokenStream in(tokens, "test");
  const ConstantValue value = parse_constant(in, true);
  EXPECT_TRUE(in.at_end()) << text;
  return value;
}
std::int64_t integer(const std::string& text) {
  const ConstantValue value = parse(text);
  EXPECT_EQ(value.kind, ConstantValue::Kind::integer);
  return static_cast<std::int64_t>(value.integer);
}

TEST(ConstantExpression, FollowsThePrecedenceOfC) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer("10 - 2 - 3"), 5);
  EXPECT_EQ(integer("1 << 4 | 1"), 17);
  EXPECT_EQ(integer("7 & 3 ^ 1"), 2);
  EXPECT_EQ(integer("1 < 2 == 1"), 1);
  EXPECT_EQ(integer("0 || 1 && 0"), 0);
  EXPECT_EQ(integer("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(integer("~0"), -1);
  EXPECT_EQ(integer("!5"), 0);
  EXPECT_EQ(integer("- -3"), 3);
}

TEST(ConstantExpression, IsSignedUnlessAnOperandIsUnsigned) {
  EXPECT_EQ(integer("-1 < 0"), 1);
  EXPECT_EQ(integer("-1 < 0U"), 0);
  EXPECT_EQ(integer("(.u64)-1 > 0"), 1);
  EXPECT_EQ(integer("(.s64)0xFFFFFFFFFFFFFFFF < 0"), 1);
  EXPECT_EQ(integer("-8 >> 1"), -4);
  EXPECT_EQ(integer("-7 / 2"), -3);
  EXPECT_EQ(integer("-7 % 2"), -1);
}

TEST(ConstantExpression, SurvivesTheEdgesOfInteger) {
  EXPECT_EQ(integer("1 << 64"), 0);
  EXPECT_EQ(integer("-1 >> 100"), -1);
  EXPECT_EQ(integer("(.s64)0x8000000000000000 / -1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer("(.s64)0x8000000000000000 % -1"), 0);
  EXPECT_THROW(integer("1 / 0"), Error);
  EXPECT_THROW(integer("1 % 0"), Error);
}

TEST(ConstantExpression, KeepsTheBitsOfFloats) {
  const ConstantValue nan = parse("0f7F800001");  // a signalling NaN
  EXPECT_TRUE(nan.single);
  EXPECT_EQ(nan.integer, 0x7F800001u);
  EXPECT_EQ(parse("-0f3F800000").integer, 0xBF800000u);
  EXPECT_EQ(parse("0dBFF0000000000000").floating, -1.0);
  EXPECT_EQ(parse("-2.5").floating, -2.5);
  EXPECT_EQ(parse("1.5 + 2.0 * 2.0").floating, 5.5);
}

TEST(ConstantExpression, TakesNamesWithOffsets) {
  const std::string text = "foo + 4 * 2";  // the symbol is a part of it
  const ConstantValue value = parse(text);
  EXPECT_EQ(value.kind, ConstantValue::Kind::symbol);
  EXPECT_EQ(value.symbol, "foo");
  EXPECT_EQ(value.integer, 8u);
  EXPECT_FALSE(value.generic);
  EXPECT_TRUE(parse("generic(foo)").generic);
  EXPECT_EQ(static_cast<std::int64_t>(parse("foo - 4").integer), -4);
  EXPECT_EQ(integer("WARP_SZ"), 32);
}

TEST(ConstantExpression, RefusesToNestWithoutEnd) {
  EXPECT_THROW(parse(std::string(100'000, '(') + "1"), Error);
  EXPECT_THROW(parse(std::string(100'000, '-') + "1"), Error);
  EXPECT_THROW(parse("1 +"), Error);
}

}  // namespace
}  // namespace heddle::isa
