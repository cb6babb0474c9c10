// SPDX-License-Identifier: Apache-2.0
#include "runtime/fat_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"

namespace heddle::runtime {
namespace {

using testing::HasSubstr;

std::string ptx(const std::string& target) {
  std::string text = "//\n.version 6.4\n.target " + target + "\n.address_size 64\n";
  for (int i = 0; i < 50; ++i) text += ".visible .entry k" + std::to_string(i) + "() { ret; }\n";
  return text;
}

enum class Packing { plain, lz4, zstd };

/// Writes containers byte by byte, from the description of the format and not from the reader's structures.
class ContainerWriter {
 public:
  ContainerWriter() { put32(0xba55ed50), put16(1), put16(16), put64(0); }

  ContainerWriter& add(std::uint16_t kind, std::uint32_t architecture, const std::string& payload, Packing packing,
                       std::uint32_t header_bytes = 64) {
    std::string stored = payload + '\0';
    std::uint64_t flags = 0x11, plain = 0;
    std::uint32_t compressed = 0;
    if (packing != Packing::plain) {
      plain = stored.size();
      stored = packing == Packing::lz4 ? lz4(stored) : zstd(stored);
      compressed = static_cast<std::uint32_t>(stored.size());
      flags |= packing == Packing::lz4 ? 0x2000 : 0x8000;
    }
    stored.resize((stored.size() + 7) / 8 * 8);
    put16(kind), put16(0x101), put32(header_bytes), put64(stored.size()), put32(compressed), put32(header_bytes);
    put16(4), put16(6), put32(architecture), put32(0), put32(0), put64(flags), put64(0), put64(plain);
    bytes_.resize(bytes_.size() + header_bytes - 64);
    bytes_ += stored;
    const std::uint64_t entries = bytes_.size() - 16;
    std::memcpy(&bytes_[8], &entries, 8);
    return *this;
  }
  std::string bytes_;

 private:
  static std::string lz4(const std::string& text) {
    std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
    out.resize(static_cast<std::size_t>(
        LZ4_compress_default(text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
    return out;
  }
  static std::string zstd(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  void put16(std::uint16_t v) { bytes_.append(reinterpret_cast<char*>(&v), sizeof v); }
  void put32(std::uint32_t v) { bytes_.append(reinterpret_cast<char*>(&v), sizeof v); }
  void put64(std::uint64_t v) { bytes_.append(reinterpret_cast<char*>(&v), sizeof v); }
};

constexpr std::uint16_t kPtx = 1, kElf = 2;

template <typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::ptx);
    return error.what();
  }
  return "no error";
}

TEST(FatBinary, PlainTextIsTakenAsItIs) {
  const std::string text = ptx("sm_70");
  const auto images = read_device_images(text.c_str(), "app.ptx");
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].text, text);
  EXPECT_EQ(images[0].architecture, 70u);
}

TEST(FatBinary, EveryPackingGivesTheSameText) {
  for (const Packing packing : {Packing::plain, Packing::lz4, Packing::zstd}) {
    const ContainerWriter writer = ContainerWriter().add(kPtx, 70, ptx("sm_70"), packing);
    const auto images = read_device_images(writer.bytes_.data(), "app.ptx");
    ASSERT_EQ(images.size(), 1u);
    EXPECT_EQ(images[0].text, ptx("sm_70"));
  }
}

TEST(FatBinary, EntriesFollowEachOtherWhateverTheirHeaderSize) {
  const ContainerWriter writer = ContainerWriter()
                                     .add(kElf, 80, "machine code", Packing::plain, 112)
                                     .add(kPtx, 50, ptx("sm_50"), Packing::lz4, 72)
                                     .add(kPtx, 90, ptx("sm_90"), Packing::zstd, 80);
  const auto images = read_device_images(writer.bytes_.data(), "app.ptx");
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].kind, DeviceImage::Kind::machine_code);
  EXPECT_EQ(images[1].text, ptx("sm_50"));
  EXPECT_EQ(images[2].text, ptx("sm_90"));
}

TEST(FatBinary, ChoosesTheNewestThatTheDeviceRuns) {
  const ContainerWriter writer = ContainerWriter()
                                     .add(kPtx, 50, ptx("sm_50"), Packing::plain)
                                     .add(kPtx, 70, ptx("sm_70"), Packing::plain)
                                     .add(kPtx, 80, ptx("sm_80"), Packing::plain);
  const auto images = read_device_images(writer.bytes_.data(), "app.ptx");
  EXPECT_EQ(choose_image(images, 70, "app").architecture, 70u);
  EXPECT_EQ(choose_image(images, 75, "app").architecture, 70u);
  EXPECT_EQ(choose_image(images, 90, "app").architecture, 80u);
  EXPECT_EQ(choose_image(images, 35, "app").architecture, 50u) << "none fits: the oldest";
}

TEST(FatBinary, MachineCodeAloneIsAClearError) {
  const ContainerWriter writer = ContainerWriter().add(kElf, 80, "machine code", Packing::plain);
  const auto images = read_device_images(writer.bytes_.data(), "app.ptx");
  EXPECT_THAT(message_of([&] { choose_image(images, 70, "app.ptx"); }), HasSubstr("no PTX"));
}

TEST(FatBinary, DamagedContainersAreRefused) {
  ContainerWriter writer = ContainerWriter().add(kPtx, 70, ptx("sm_70"), Packing::zstd);
  std::string damaged = writer.bytes_;
  damaged[16 + 64 + 12] = static_cast<char>(damaged[16 + 64 + 12] ^ 0x5a);  // within the zstd frame
  damaged[16 + 64 + 40] = static_cast<char>(damaged[16 + 64 + 40] ^ 0x5a);
  EXPECT_THAT(message_of([&] { read_device_images(damaged.data(), "app.ptx"); }), HasSubstr("damaged container"));
  damaged = writer.bytes_;
  damaged[16 + 8] = static_cast<char>(damaged[16 + 8] + 8);  // the payload reaches past the end
  EXPECT_THAT(message_of([&] { read_device_images(damaged.data(), "app.ptx"); }), HasSubstr("past its end"));
  damaged = writer.bytes_;
  damaged[16 + 4] = 8;  // a header shorter than a header
  EXPECT_THAT(message_of([&] { read_device_images(damaged.data(), "app.ptx"); }), HasSubstr("past its end"));
}

TEST(FatBinary, WhatIsNeitherTextNorContainerIsRefused) {
  EXPECT_THAT(message_of([] {
                read_device_images(
                    "\x7f"
                    "ELF",
                    "app.ptx");
              }),
              HasSubstr("neither PTX text"));
  EXPECT_THAT(message_of([] { read_device_images(nullptr, "app.ptx"); }), HasSubstr("empty device code"));
}

TEST(FatBinary, TargetIsReadFromItsDirective) {
  EXPECT_EQ(target_of(".version 7.0\n.target sm_86, debug\n"), 86u);
  EXPECT_EQ(target_of(".version 7.0\n.target texmode_unified\nsm_35"), 0u);
  EXPECT_EQ(target_of("nothing"), 0u);
}

}  // namespace
}  // namespace heddle::runtime
