// SPDX-License-Identifier: Apache-2.0
// Quantities in human-readable form.
#include "core/quantity_text.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(QuantityText, DurationsHaveTheUnitOfTheirSize) {
  EXPECT_EQ(duration_text(0.0023), "2.3 ms");
  EXPECT_EQ(duration_text(12), "12 s");
  EXPECT_EQ(duration_text(59.7), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3599.6), "1 h 0 min");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

TEST(QuantityText, NumbersHaveThreeDigits) {
  EXPECT_EQ(engineering(999), "999");
  EXPECT_EQ(engineering(1'234'567), "1.23 M");
}

TEST(QuantityText, OnlyAWholeNumberIsOne) {
  std::uint64_t value = 0;
  EXPECT_TRUE(parse_natural("18446744073709551615", value));
  EXPECT_EQ(value, 18446744073709551615u);
  for (const char* wrong : {"", "-1", "1x", " 1", "18446744073709551616"})
    EXPECT_FALSE(parse_natural(wrong, value)) << wrong;
}

}  // namespace
}  // namespace heddle
