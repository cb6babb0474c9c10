// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel_printf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace heddle::runtime {
namespace {

/// Device memory of a test: the bytes at address 0x1000 and on.
class KernelPrintf : public testing::Test {
 public:
  static constexpr std::uint64_t kStart = 0x1000;

  template <typename T>
  KernelPrintf& argument(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  std::uint64_t text(const std::string& value) {
    texts_ += value + '\0';
    return 0x9000 + texts_.size() - value.size() - 1;
  }
  std::string format(const std::string& format) { return format_kernel_output(format, kStart, reader_, result_); }

  std::string bytes_, texts_;
  int result_ = -99;
  DeviceReader reader_ = [this](std::uint64_t address, void* to, std::size_t bytes) {
    const std::string& from = address >= 0x9000 ? texts_ : bytes_;
    const std::uint64_t offset = address - (address >= 0x9000 ? 0x9000 : kStart);
    if (offset + bytes > from.size()) return false;
    std::memcpy(to, from.data() + offset, bytes);
    return true;
  };
};

TEST_F(KernelPrintf, PlainTextHasNoArguments) {
  EXPECT_EQ(format("hello 100%%\n"), "hello 100%\n");
  EXPECT_EQ(result_, 0);
}

TEST_F(KernelPrintf, ValuesLieAtMultiplesOfTheirSize) {
  argument<int>(-7).argument<double>(2.5).argument<unsigned>(9).argument<long long>(1ll << 40);
  EXPECT_EQ(format("%d %.2f %u %lld"), "-7 2.50 9 1099511627776");
  EXPECT_EQ(result_, 4);
}

TEST_F(KernelPrintf, FlagsWidthAndPrecisionAreKept) {
  argument<int>(5).argument<int>(5).argument<double>(3.14159).argument<unsigned>(255).argument<unsigned>(255);
  EXPECT_EQ(format("[%5d|%-5d|%08.3f|%#x|%X]"), "[    5|5    |0003.142|0xff|FF]");
}

TEST_F(KernelPrintf, StarsTakeArguments) {
  argument<int>(8).argument<int>(2).argument<double>(1.0 / 3);
  EXPECT_EQ(format("%*.*f"), "    0.33");
  EXPECT_EQ(result_, 3);
}

TEST_F(KernelPrintf, TextComesFromDeviceMemory) {
  argument<std::uint64_t>(text("warp")).argument<std::uint64_t>(text("weft"));
  EXPECT_EQ(format("%s and %6s"), "warp and   weft");
}

TEST_F(KernelPrintf, TextThatCannotBeReadIsShownAsNull) {
  argument<std::uint64_t>(0);
  EXPECT_EQ(format("<%s>"), "<(null)>");
}

TEST_F(KernelPrintf, CharactersPointersAndSizes) {
  argument<int>('x').argument<std::uint64_t>(0x1234).argument<std::uint64_t>(77).argument<int>(-3);
  EXPECT_EQ(format("%c %p %zu %hd"), "x 0x1234 77 -3");
}

TEST_F(KernelPrintf, UnknownConversionsAreCopied) {
  EXPECT_EQ(format("50%! %y"), "50%! %y");
  EXPECT_EQ(format("at the end %"), "at the end %");
}

TEST_F(KernelPrintf, MissingArgumentsGiveMinusOne) {
  EXPECT_EQ(format("%d"), "0");
  EXPECT_EQ(result_, -1);
}

TEST_F(KernelPrintf, AtMostThirtyTwoArguments) {
  std::string text;
  for (int i = 0; i < 33; ++i) argument<int>(i), text += "%d,";
  const std::string output = format(text);
  EXPECT_EQ(output.substr(output.size() - 7), ",31,%d,");
  EXPECT_EQ(result_, 32);
}

TEST(PrintfBuffer, LosesTheOldestWhenFull) {
  PrintfBuffer buffer;
  buffer.set_limit(8);
  buffer.add("aaaa");
  buffer.add("bbbb");
  EXPECT_EQ(buffer.bytes(), 8u);
  buffer.add("cc");
  EXPECT_EQ(buffer.bytes(), 6u) << "the first went";
  std::FILE* file = std::tmpfile();
  buffer.flush(file);
  std::rewind(file);
  char text[16] = {};
  EXPECT_EQ(std::fread(text, 1, sizeof text, file), 6u);
  EXPECT_STREQ(text, "bbbbcc");
  std::fclose(file);
  EXPECT_TRUE(buffer.empty());
}

}  // namespace
}  // namespace heddle::runtime
