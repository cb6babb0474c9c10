// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "core/error.h"
#include "core/file.h"

namespace heddle::report {

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 15 + 16;  // the largest window; + 16 selects the gzip format
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    fail(ExitCode::internal, "zlib cannot start compressing: {}", stream.msg == nullptr ? "no memory" : stream.msg);
  }
  std::string out;
  std::string piece(1 << 18, '\0');
  // zlib's counters are 32 bits wide.
  constexpr std::size_t kMost = std::size_t{1} << 30;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), kMost);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(taken);
      bytes.remove_prefix(taken);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      deflateEnd(&stream);
      fail(ExitCode::internal, "zlib cannot compress: status {}", status);
    }
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0;
    };
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kLetters[three >> 18];
    out += kLetters[three >> 12 & 63];
    out += i + 1 < bytes.size() ? kLetters[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kLetters[three & 63] : '=';
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string make_page(std::string_view page_template, std::string_view title, std::string_view payload) {
  const auto place = [&](std::string_view mark) {
    const auto at = page_template.find(mark);
    if (at == std::string_view::npos) {
      fail(ExitCode::io, "the report template has no {}; rebuild Heddle", mark);
    }
    return at;
  };
  constexpr std::string_view kTitle = "{{heddle:title}}", kData = "{{heddle:data}}";
  const std::size_t title_at = place(kTitle), data_at = place(kData);
  if (data_at < title_at) fail(ExitCode::io, "the report template has {} before {}", kData, kTitle);
  const std::string data = base64(gzip(payload));
  std::string page;
  page.reserve(page_template.size() + data.size() + title.size());
  page.append(page_template.substr(0, title_at)).append(html_text(title));
  page.append(page_template.substr(title_at + kTitle.size(), data_at - title_at - kTitle.size())).append(data);
  page.append(page_template.substr(data_at + kData.size()));
  return page;
}

std::string read_template(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    fail(ExitCode::io,
         "{}: the report template is missing; building it requires node and npm: install them "
         "(Debian: apt-get install nodejs npm), then configure (cmake --preset release) and rebuild Heddle",
         file.string());
  }
  return read_file(file);
}

}  // namespace heddle::report
