// SPDX-License-Identifier: Apache-2.0
// Expected values follow the formulas of the CUDA C++ programming guide, "Texture Fetching".
#include "gpu/texture_unit.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace heddle::gpu {
namespace {

class TextureUnit : public testing::Test {
 protected:
  TextureUnit() {
    for (int i = 0; i < 16; ++i) data_.push_back(static_cast<float>(10 * i));
    texture_.bound = true;
    texture_.address = reinterpret_cast<std::uint64_t>(data_.data());
    texture_.extent[0] = texture_.extent[1] = 4;
    texture_.row_bytes = 16;
  }
  std::array<std::uint32_t, 4> fetch(const TextureCoordinates& coordinates) {
    std::array<Tap, 8> taps;
    count_ = texture_taps(texture_, coordinates, taps);
    return texture_value(texture_, taps, count_);
  }
  float at(float x) { return std::bit_cast<float>(fetch({1, false, {x, 0, 0}, {}})[0]); }
  float at(float x, float y) { return std::bit_cast<float>(fetch({2, false, {x, y, 0}, {}})[0]); }
  float texel(int x) { return std::bit_cast<float>(fetch({1, true, {}, {x, 0, 0}})[0]); }
  void all(TextureAddressing mode) { texture_.addressing = {mode, mode, mode}; }

  std::vector<float> data_;
  Texture texture_;
  unsigned count_ = 0;
};

TEST_F(TextureUnit, PointSamplingTakesTheTexelOfTheFloor) {
  EXPECT_EQ(at(0.0f), 0);
  EXPECT_EQ(at(0.99f), 0);
  EXPECT_EQ(at(1.0f), 10);
  EXPECT_EQ(at(2.5f, 3.9f), 140);
  EXPECT_EQ(count_, 1u);
}

TEST_F(TextureUnit, ClampTakesTheEdge) {
  EXPECT_EQ(at(-5.0f), 0);
  EXPECT_EQ(at(4.0f), 30);
  EXPECT_EQ(at(1e20f), 30);
}

TEST_F(TextureUnit, BorderGivesTheBorderColour) {
  all(TextureAddressing::border);
  texture_.border[0] = -1;
  EXPECT_EQ(at(3.9f), 30);
  EXPECT_EQ(at(4.0f), -1);
  EXPECT_EQ(at(-0.1f), -1);
}

TEST_F(TextureUnit, WrapAndMirrorNeedNormalisedCoordinates) {
  all(TextureAddressing::wrap);
  EXPECT_EQ(at(5.5f), 30) << "not normalised: clamped";
  texture_.normalized_coordinates = true;
  EXPECT_EQ(at(1.3f), 10);   // 5.2 -> texel 1
  EXPECT_EQ(at(-0.1f), 30);  // -0.4 -> texel 3
  all(TextureAddressing::mirror);
  EXPECT_EQ(at(1.1f), 30);   // 4.4 -> mirrored 3
  EXPECT_EQ(at(-0.3f), 10);  // -1.2 -> texel -2 -> mirrored 1
}

TEST_F(TextureUnit, LinearFilteringWeighsTexelCentres) {
  texture_.filter_linearly = true;
  EXPECT_EQ(at(0.5f), 0);
  EXPECT_EQ(at(1.0f), 5);
  EXPECT_EQ(at(1.25f), 7.5f);
  EXPECT_EQ(count_, 2u);
  EXPECT_EQ(at(0.0f), 0) << "clamped";
  EXPECT_EQ(at(1.0f, 1.0f), 25);
  EXPECT_EQ(count_, 4u);
}

TEST_F(TextureUnit, WeightsHaveEightFractionalBits) {
  texture_.filter_linearly = true;
  // 0.001 of a texel is below half a step of 1/256, 0.003 above.
  EXPECT_EQ(at(0.501f), 0);
  EXPECT_EQ(at(0.503f), 10.0f / 256);
}

TEST_F(TextureUnit, IntegerIndicesOutsideLinearMemoryGiveZero) {
  texture_.linear_memory = true;
  EXPECT_EQ(texel(3), 30);
  EXPECT_EQ(texel(4), 0);
  EXPECT_EQ(texel(-1), 0);
}

TEST_F(TextureUnit, IntegersAreExtendedOrReadAsFractions) {
  const std::int8_t bytes[4] = {-128, -127, 0, 127};
  texture_.address = reinterpret_cast<std::uint64_t>(bytes);
  texture_.component_bytes = 1;
  texture_.kind = TexelKind::signed_integer;
  const auto raw = [&](int x) { return static_cast<std::int32_t>(fetch({1, true, {}, {x, 0, 0}})[0]); };
  EXPECT_EQ(raw(0), -128);
  EXPECT_EQ(raw(3), 127);
  texture_.read_normalized = true;
  EXPECT_EQ(texel(0), -1.0f);
  EXPECT_EQ(texel(1), -1.0f);
  EXPECT_EQ(texel(3), 1.0f);
  texture_.kind = TexelKind::unsigned_integer;
  EXPECT_EQ(texel(0), 128.0f / 255);
}

TEST_F(TextureUnit, HalfTexelsAreConverted) {
  const std::uint16_t halves[4] = {0x3c00, 0xc000, 0x0001, 0x7c00};
  texture_.address = reinterpret_cast<std::uint64_t>(halves);
  texture_.component_bytes = 2;
  EXPECT_EQ(texel(0), 1.0f);
  EXPECT_EQ(texel(1), -2.0f);
  EXPECT_EQ(texel(2), 0x1p-24f);
  EXPECT_EQ(texel(3), std::numeric_limits<float>::infinity());
}

TEST_F(TextureUnit, ComponentsComeInOrder) {
  texture_.components = 4;
  texture_.extent[0] = 1;
  const auto value = fetch({2, true, {}, {0, 2, 0}});
  for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(std::bit_cast<float>(value[c]), 80.0f + 10.0f * static_cast<float>(c));
}

TEST_F(TextureUnit, ThreeDimensionsFilterEightTexels) {
  texture_.extent[0] = texture_.extent[1] = texture_.extent[2] = 2;
  texture_.row_bytes = 8, texture_.slice_bytes = 16;
  texture_.filter_linearly = true;
  const float value = std::bit_cast<float>(fetch({3, false, {1, 1, 1}, {}})[0]);
  EXPECT_EQ(count_, 8u);
  EXPECT_EQ(value, 35.0f) << "the mean of 0, 10, ..., 70";
}

TEST(TextureTable, HandlesAreNotReused) {
  TextureTable table;
  Texture texture;
  texture.bound = true;
  const auto a = table.add(texture);
  EXPECT_TRUE(table.remove(a));
  EXPECT_FALSE(table.remove(a));
  EXPECT_NE(table.add(texture), a);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(99), nullptr);
}

}  // namespace
}  // namespace heddle::gpu
