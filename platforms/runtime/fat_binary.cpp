// SPDX-License-Identifier: Apache-2.0
#include "runtime/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <cctype>
#include <cstring>

#include "core/error.h"

namespace heddle::runtime {
namespace {

// The container format according to public descriptions (NVIDIA does not document it): a header, then entries, each a
// header that states its own size, followed by the payload. All numbers are little-endian.
constexpr std::uint32_t kContainerMagic = 0xba55ed50;
constexpr std::uint16_t kPtxEntry = 1;
constexpr std::uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000;
constexpr std::uint32_t kZstdFrameMagic = 0xfd2fb528;
constexpr std::uint64_t kMostBytes = std::uint64_t{1}
                                     << 30;  // limit of one decompressed text; larger means a damaged header

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t entry_bytes;  // total of all entries
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t padded_bytes;      // of the payload
  std::uint32_t compressed_bytes;  // 0: not compressed
  std::uint32_t options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t plain_bytes;  // of the decompressed payload
};
static_assert(sizeof(EntryHeader) == 64);

template <typename T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Strips the NUL padding of PTX payloads.
std::string without_padding(std::string text) {
  const std::size_t end = text.find('\0');
  if (end != std::string::npos) text.resize(end);
  return text;
}

std::string plain_text(const EntryHeader& entry, const std::byte* payload, const std::string& origin) {
  const bool zstd = (entry.flags & kZstdFlag) != 0 ||
                    (entry.compressed_bytes >= 4 && read<std::uint32_t>(payload) == kZstdFrameMagic);
  const bool lz4 = (entry.flags & kLz4Flag) != 0;
  const auto* source = reinterpret_cast<const char*>(payload);
  if (!zstd && !lz4) return without_padding(std::string(source, entry.padded_bytes));

  const std::uint64_t bytes = entry.compressed_bytes != 0 ? entry.compressed_bytes : entry.padded_bytes;
  if (bytes > entry.padded_bytes || entry.plain_bytes > kMostBytes) {
    fail(ExitCode::ptx, "{}: damaged container of device code: an entry states impossible sizes", origin);
  }
  std::string text(entry.plain_bytes, '\0');
  std::uint64_t produced = 0;
  if (zstd) {
    const std::size_t result = ZSTD_decompress(text.data(), text.size(), source, bytes);
    produced = ZSTD_isError(result) != 0 ? 0 : result;
  } else {
    const int result = LZ4_decompress_safe(source, text.data(), static_cast<int>(bytes), static_cast<int>(text.size()));
    produced = result < 0 ? 0 : static_cast<std::uint64_t>(result);
  }
  if (produced == 0 || produced > text.size()) {
    fail(ExitCode::ptx, "{}: damaged container of device code: cannot decompress a {} text", origin,
         zstd ? "zstd" : "LZ4");
  }
  text.resize(produced);
  return without_padding(std::move(text));
}

std::vector<DeviceImage> read_container(const std::byte* data, const std::string& origin) {
  const auto header = read<ContainerHeader>(data);
  std::vector<DeviceImage> images;
  const std::byte* at = data + header.header_bytes;
  const std::byte* const end = at + header.entry_bytes;
  while (static_cast<std::size_t>(end - at) >= sizeof(EntryHeader)) {
    const auto entry = read<EntryHeader>(at);
    const auto room = static_cast<std::uint64_t>(end - at);
    if (entry.header_bytes < sizeof(EntryHeader) || entry.header_bytes > room ||
        entry.padded_bytes > room - entry.header_bytes) {
      fail(ExitCode::ptx, "{}: damaged container of device code: the entry at offset {} extends past its end", origin,
           at - data);
    }
    DeviceImage image;
    image.architecture = entry.architecture;
    image.kind = entry.kind == kPtxEntry ? DeviceImage::Kind::ptx : DeviceImage::Kind::machine_code;
    if (image.kind == DeviceImage::Kind::ptx) image.text = plain_text(entry, at + entry.header_bytes, origin);
    images.push_back(std::move(image));
    at += entry.header_bytes + entry.padded_bytes;
  }
  return images;
}

}  // namespace

unsigned target_of(const std::string& ptx) {
  const std::size_t target = ptx.find(".target");
  if (target == std::string::npos) return 0;
  const std::size_t sm = ptx.find("sm_", target);
  if (sm == std::string::npos || sm > ptx.find('\n', target)) return 0;
  unsigned number = 0;
  for (std::size_t i = sm + 3; i < ptx.size() && std::isdigit(static_cast<unsigned char>(ptx[i])) != 0; ++i) {
    number = number * 10 + static_cast<unsigned>(ptx[i] - '0');
  }
  return number;
}

std::vector<DeviceImage> read_device_images(const void* data, const std::string& origin) {
  if (data == nullptr) fail(ExitCode::ptx, "{}: the program registers empty device code", origin);
  const auto* bytes = static_cast<const std::byte*>(data);
  if (read<std::uint32_t>(bytes) == kContainerMagic) return read_container(bytes, origin);
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first != '.' && first != '/' && std::isspace(first) == 0) {
    fail(ExitCode::ptx,
         "{}: the registered device code is neither PTX text nor a container of it (it starts with byte {:#x})", origin,
         first);
  }
  DeviceImage image;
  image.text = static_cast<const char*>(data);
  image.architecture = target_of(image.text);
  return {std::move(image)};
}

const DeviceImage& choose_image(const std::vector<DeviceImage>& images, unsigned capability,
                                const std::string& origin) {
  const DeviceImage* best = nullptr;
  for (const DeviceImage& image : images) {
    if (image.kind != DeviceImage::Kind::ptx) continue;
    const bool fits = image.architecture <= capability;
    const bool best_fits = best != nullptr && best->architecture <= capability;
    const bool better = best == nullptr || (fits != best_fits ? fits
                                            : fits            ? image.architecture > best->architecture
                                                              : image.architecture < best->architecture);
    if (better) best = &image;
  }
  if (best == nullptr) {
    fail(ExitCode::ptx,
         "{}: the program contains GPU machine code but no PTX, and only PTX can be modelled. Build it with `heddle "
         "cc`, or "
         "with nvcc -gencode arch=compute_70,code=compute_70 and a shared runtime (-cudart shared).",
         origin);
  }
  return *best;
}

}  // namespace heddle::runtime
