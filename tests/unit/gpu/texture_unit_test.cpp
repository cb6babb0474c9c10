// SPDX-License-Identifier: Apache-2.0
// Expected values follow the formulas of the CUDA C++ programming guide, "Texture Fetching".
#include "gpu/texture/texture_unit.h"

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
    level().address = reinterpret_cast<std::uint64_t>(data_.data());
    level().extent[0] = level().extent[1] = 4;
    level().row_bytes = 16;
  }
  TextureLevel& level() { return texture_.levels.front(); }
  std::array<std::uint32_t, 4> fetch(const TextureCoordinates& coordinates) {
    Taps taps;
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
  level().address = reinterpret_cast<std::uint64_t>(bytes);
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
  level().address = reinterpret_cast<std::uint64_t>(halves);
  texture_.component_bytes = 2;
  EXPECT_EQ(texel(0), 1.0f);
  EXPECT_EQ(texel(1), -2.0f);
  EXPECT_EQ(texel(2), 0x1p-24f);
  EXPECT_EQ(texel(3), std::numeric_limits<float>::infinity());
}

TEST_F(TextureUnit, ComponentsComeInOrder) {
  texture_.components = 4;
  level().extent[0] = 1;
  const auto value = fetch({2, true, {}, {0, 2, 0}});
  for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(std::bit_cast<float>(value[c]), 80.0f + 10.0f * static_cast<float>(c));
}

TEST_F(TextureUnit, ThreeDimensionsFilterEightTexels) {
  level().extent[0] = level().extent[1] = level().extent[2] = 2;
  level().row_bytes = 8, level().slice_bytes = 16;
  texture_.filter_linearly = true;
  const float value = std::bit_cast<float>(fetch({3, false, {1, 1, 1}, {}})[0]);
  EXPECT_EQ(count_, 8u);
  EXPECT_EQ(value, 35.0f) << "the mean of 0, 10, ..., 70";
}

TEST_F(TextureUnit, TheLayerIsClampedAndChoosesASlice) {
  texture_.layered = true;
  texture_.slices = 2;
  level().extent[1] = 2;
  level().slice_bytes = 32;
  const auto at_layer = [&](std::uint32_t layer) {
    TextureCoordinates coordinates{2, false, {1.5f, 1.5f, 0}, {}};
    coordinates.layer = layer;
    return std::bit_cast<float>(fetch(coordinates)[0]);
  };
  EXPECT_EQ(at_layer(0), 50);
  EXPECT_EQ(at_layer(1), 130);
  EXPECT_EQ(at_layer(2), 130);
  EXPECT_EQ(at_layer(0xffffffff), 130);
}

TEST_F(TextureUnit, EightBitColoursFollowTheSrgbCurveAndTheFourthDoesNot) {
  const std::uint8_t bytes[4] = {188, 0, 255, 188};
  level().address = reinterpret_cast<std::uint64_t>(bytes);
  texture_.components = 4;
  texture_.component_bytes = 1;
  texture_.kind = TexelKind::unsigned_integer;
  texture_.read_normalized = texture_.srgb = true;
  const auto value = fetch({1, true, {}, {0, 0, 0}});
  EXPECT_NEAR(std::bit_cast<float>(value[0]), 0.5029f, 1e-4f);
  EXPECT_EQ(std::bit_cast<float>(value[1]), 0.0f);
  EXPECT_EQ(std::bit_cast<float>(value[2]), 1.0f);
  EXPECT_EQ(std::bit_cast<float>(value[3]), 188.0f / 255);
}

TEST_F(TextureUnit, AGatherGivesTheFootprintAgainstTheClock) {
  Taps taps;
  gather_taps(texture_, {2, false, {1.75f, 2.25f, 0}, {}}, taps);
  const auto value = gather_value(texture_, taps, 0);
  const float expected[] = {90, 100, 60, 50};  // (1,2) (2,2) (2,1) (1,1)
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(value[i]), expected[i]);
  EXPECT_EQ(gather_value(texture_, taps, 1)[0], 0u) << "the texture has one component";
}

/// 4 x 4, 2 x 2 and 1 x 1 texels of 100, 200, 300.
class MipMap : public TextureUnit {
 protected:
  MipMap() {
    const float values[] = {100, 200, 300};
    texture_.levels.clear();
    for (unsigned l = 0; l < 3; ++l) {
      texels_[l].assign(16, values[l]);
      TextureLevel level;
      level.address = reinterpret_cast<std::uint64_t>(texels_[l].data());
      level.extent[0] = level.extent[1] = 4u >> l;
      level.row_bytes = 16u >> l;
      texture_.levels.push_back(level);
    }
    texture_.normalized_coordinates = true;
    texture_.most_level = 10;
  }
  float at_level(float level) {
    TextureCoordinates coordinates{2, false, {0.5f, 0.5f, 0}, {}};
    coordinates.lod = isa::TextureLod::level;
    coordinates.level = level;
    return std::bit_cast<float>(fetch(coordinates)[0]);
  }
  std::vector<float> texels_[3];
};

TEST_F(MipMap, ThePointFilterTakesTheNearestLevel) {
  EXPECT_EQ(at_level(-3), 100);
  EXPECT_EQ(at_level(0.49f), 100);
  EXPECT_EQ(at_level(0.5f), 200);
  EXPECT_EQ(at_level(9), 300);
  EXPECT_EQ(count_, 1u);
  EXPECT_EQ(at(0.5f, 0.5f), 100) << "without a level: the finest";
}

TEST_F(MipMap, TheLinearFilterWeighsTwoLevelsInSteps) {
  texture_.blend_levels = true;
  EXPECT_EQ(at_level(0.25f), 125);
  EXPECT_EQ(count_, 2u);
  EXPECT_EQ(at_level(1), 200);
  EXPECT_EQ(count_, 1u);
  EXPECT_EQ(at_level(1.001f), 200) << "below half a step of 1/256";
  EXPECT_EQ(at_level(5), 300);
  texture_.filter_linearly = true;
  EXPECT_EQ(at_level(0.5f), 150);
  EXPECT_EQ(count_, 8u);
}

TEST_F(MipMap, BiasAndLimitsMoveTheLevel) {
  texture_.level_bias = 1;
  EXPECT_EQ(at_level(0), 200);
  texture_.level_bias = 0;
  texture_.least_level = 1;
  EXPECT_EQ(at_level(0), 200);
  texture_.least_level = 0;
  texture_.most_level = 1;
  EXPECT_EQ(at_level(7), 200);
}

TEST_F(MipMap, GradientsGiveTheLevelOfTheLongerOne) {
  const auto level = [&](std::array<float, 3> dx, std::array<float, 3> dy) {
    TextureCoordinates coordinates{2, false, {0.5f, 0.5f, 0}, {}};
    coordinates.lod = isa::TextureLod::gradient;
    coordinates.gradient_x = dx;
    coordinates.gradient_y = dy;
    return level_of_detail(texture_, coordinates);
  };
  EXPECT_EQ(level({0.25f, 0, 0}, {0, 0.25f, 0}), 0) << "a texel";
  EXPECT_EQ(level({0.25f, 0, 0}, {0, 0.5f, 0}), 1) << "two texels";
  EXPECT_EQ(level({0, 0, 0}, {0, 0, 0}), 0);
  EXPECT_FLOAT_EQ(level({0.3f, 0.4f, 0}, {0, 0, 0}), 1) << "the length of the vector";
}

TEST_F(MipMap, ThreeDimensionsAndTwoLevelsAreSixteenTexels) {
  for (TextureLevel& level : texture_.levels) level.extent[2] = 1;
  texture_.filter_linearly = texture_.blend_levels = true;
  TextureCoordinates coordinates{3, false, {0.5f, 0.5f, 0.5f}, {}};
  coordinates.lod = isa::TextureLod::level;
  coordinates.level = 0.5f;
  EXPECT_EQ(std::bit_cast<float>(fetch(coordinates)[0]), 150);
  EXPECT_EQ(count_, 16u);
}

/// Six faces of 2 x 2 texels, 10 * face + 0 .. 3.
class CubeMap : public TextureUnit {
 protected:
  CubeMap() {
    data_.clear();
    for (int face = 0; face < 6; ++face) {
      for (int i = 0; i < 4; ++i) data_.push_back(static_cast<float>(10 * face + i));
    }
    level().address = reinterpret_cast<std::uint64_t>(data_.data());
    level().extent[0] = level().extent[1] = 2;
    level().row_bytes = 8;
    level().slice_bytes = 16;
    texture_.cube = true;
    texture_.slices = 6;
    texture_.normalized_coordinates = true;
  }
  float towards(float x, float y, float z) { return std::bit_cast<float>(fetch({3, false, {x, y, z}, {}})[0]); }
};

TEST_F(CubeMap, TheLargestCoordinateChoosesTheFaceAndTheOthersThePlace) {
  // s and t by the guide's table; texel 2 * (t > 0) + (s > 0).
  EXPECT_EQ(towards(1, 0.5f, 0.5f), 0);  // +x: s = -z, t = -y
  EXPECT_EQ(towards(1, -0.5f, -0.5f), 3);
  EXPECT_EQ(towards(-1, 0.5f, 0.5f), 11);  // -x: s = z, t = -y
  EXPECT_EQ(towards(0.5f, 1, -0.5f), 21);  // +y: s = x, t = z
  EXPECT_EQ(towards(0.5f, -1, 0.5f), 31);  // -y: s = x, t = -z
  EXPECT_EQ(towards(0.5f, -0.5f, 1), 43);  // +z: s = x, t = -y
  EXPECT_EQ(towards(0.5f, 0.5f, -1), 50);  // -z: s = -x, t = -y
  EXPECT_EQ(towards(3, 1.5f, 1.5f), 0) << "the length does not matter";
}

TEST_F(CubeMap, FilteringStaysOnTheFaceUnlessTheCubeIsSeamless) {
  texture_.filter_linearly = true;
  // On the edge of +x and +z half way down: texels of both faces beside it.
  const float on_x = (towards(1, 0, 0.9999f) + 0) / 1;
  EXPECT_NEAR(on_x, (0 + 2) / 2.0f, 0.01f);
  texture_.seamless = true;
  EXPECT_NEAR(towards(1, 0, 0.9999f), ((0 + 2) / 2.0f + (41 + 43) / 2.0f) / 2, 0.2f);
  EXPECT_NEAR(towards(1, 0, 0.9999f), towards(0.9999f, 0, 1), 0.2f) << "continuous across the edge";
  EXPECT_EQ(count_, 4u);
}

TEST_F(CubeMap, ACornerOfASeamlessCubeIsTheMeanOfThreeTexels) {
  texture_.filter_linearly = texture_.seamless = true;
  // +x, +y, +z: texel 0 of +x, 3 of +y, 1 of +z.
  EXPECT_NEAR(towards(1, 0.9999f, 0.9999f), (0 + 23 + 41) / 3.0f, 0.1f);
  EXPECT_EQ(count_, 3u);
}

TEST_F(CubeMap, GradientsAreTakenOnTheFace) {
  TextureCoordinates coordinates{3, false, {0, 0, 2}, {}};
  coordinates.lod = isa::TextureLod::gradient;
  texture_.levels.push_back(level());
  texture_.levels.push_back(level());
  texture_.most_level = 10;
  // s = x / z: half of 4 / 2 times two texels are two.
  coordinates.gradient_x = {4, 0, 0};
  EXPECT_FLOAT_EQ(level_of_detail(texture_, coordinates), 1);
  coordinates.gradient_x = {0, 0, 4};
  EXPECT_EQ(level_of_detail(texture_, coordinates), 0) << "along the direction nothing moves";
}

TEST_F(TextureUnit, SurfacesAreAddressedByBytesAndBounded) {
  texture_.surface = true;
  const std::uint64_t base = level().address;
  const auto offset = [&](SurfacePoint point, bool clamp) -> std::int64_t {
    const auto address = surface_address(texture_, point, clamp);
    return address ? static_cast<std::int64_t>(*address - base) : -1;
  };
  EXPECT_EQ(offset({4, 1, 0, 0, false, 4}, false), 20);
  EXPECT_EQ(offset({1, 1, 0, 0, true, 4}, false), 20) << "x in texels";
  EXPECT_EQ(offset({12, 3, 0, 0, false, 4}, false), 60);
  EXPECT_EQ(offset({12, 3, 0, 0, false, 8}, false), -1) << "the end of the row";
  EXPECT_EQ(offset({16, 0, 0, 0, false, 4}, false), -1);
  EXPECT_EQ(offset({-4, 0, 0, 0, false, 4}, false), -1);
  EXPECT_EQ(offset({0, 4, 0, 0, false, 4}, false), -1);
  EXPECT_EQ(offset({100, -3, 0, 0, false, 8}, true), 8);
  EXPECT_EQ(offset({-1, 9, 0, 0, false, 4}, true), 48);
}

TEST(TexelFormat, ComponentsArePackedIntoTheirRange) {
  Texture surface;
  surface.components = 2;
  surface.component_bytes = 1;
  surface.kind = TexelKind::signed_integer;
  EXPECT_EQ(pack_texel(surface, {1000, static_cast<std::uint32_t>(-1000)})[0], 0x807fu);
  surface.kind = TexelKind::unsigned_integer;
  EXPECT_EQ(pack_texel(surface, {1000, 3})[0], 0x03ffu);
  surface.kind = TexelKind::floating;
  surface.component_bytes = 2;
  const auto packed = [&](float value) {
    return pack_texel(surface, {std::bit_cast<std::uint32_t>(value)})[0] & 0xffff;
  };
  EXPECT_EQ(packed(1.0f), 0x3c00u);
  EXPECT_EQ(packed(-2.0f), 0xc000u);
  EXPECT_EQ(packed(0.0f), 0u);
  EXPECT_EQ(packed(-0.0f), 0x8000u);
  EXPECT_EQ(packed(0x1p-24f), 1u);
  EXPECT_EQ(packed(65504.0f), 0x7bffu);
  EXPECT_EQ(packed(65520.0f), 0x7c00u);
  EXPECT_EQ(packed(1.0f + 0x1p-11f), 0x3c00u) << "half way: to even";
  EXPECT_EQ(packed(1.0f + 0x3p-11f), 0x3c02u);
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
