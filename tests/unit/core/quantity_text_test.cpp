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

TEST(QuantityText, ASizeHasAUnitOfPowersOf1024) {
  for (const char* text : {"48KB", "48 KB", "48kb", "48K", "48KiB", "48 kib", "49152B", "49152 bytes"})
    EXPECT_EQ(parse_size(text), 49152u) << text;
  EXPECT_EQ(parse_size("1.5MB"), 1572864u);
  EXPECT_EQ(parse_size("16GiB"), std::uint64_t{16} << 30);
  EXPECT_EQ(parse_size("1TB"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_size("1 byte"), 1u);
  for (const char* wrong : {"", "48", "KB", "48XB", "48KBs", "48KX", "-1KB", "0.3KB", "1e3KB", "infKB", "nanKB",
                            "48 K B x", "999999999999TB", "48Kib b"})
    EXPECT_EQ(parse_size(wrong), std::nullopt) << wrong;
}

TEST(QuantityText, ASizeIsShownInTheLargestUnitThatExpressesIt) {
  EXPECT_EQ(size_text(49152), "48 KB");
  EXPECT_EQ(size_text(1610612736), "1.5 GB");
  EXPECT_EQ(size_text(1024), "1 KB");
  EXPECT_EQ(size_text(1000), "1000 bytes");
  EXPECT_EQ(size_text(1), "1 byte");
}

}  // namespace
}  // namespace heddle
