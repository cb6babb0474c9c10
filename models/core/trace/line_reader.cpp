// SPDX-License-Identifier: Apache-2.0
#include "core/trace/line_reader.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/error.h"

namespace heddle {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;
constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of a line

[[noreturn]] void unreadable(const std::string& name, const char* why) {
  fail(ExitCode::io, "{}: cannot be read: {}", name, why);
}

/// Plain text and gzip, which zlib tells apart.
class ZlibSource final : public LineReader::Source {
 public:
  explicit ZlibSource(const std::string& name) : name_(name), file_(gzopen(name.c_str(), "rbe")) {
    if (file_ == nullptr) unreadable(name_, std::strerror(errno));
  }
  ~ZlibSource() override { gzclose(file_); }
  bool read(std::string& text) override {
    const std::size_t before = text.size();
    text.resize(before + kReadBytes);
    const int got = gzread(file_, text.data() + before, kReadBytes);
    text.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    int error = Z_OK;
    const char* const why = gzerror(file_, &error);
    if (error == Z_ERRNO) unreadable(name_, std::strerror(errno));
    if (got < 0 || error == Z_BUF_ERROR)
      fail(ExitCode::io, "{}: its compressed data are {}", name_,
           error == Z_BUF_ERROR ? "cut off: the run that wrote it may have been killed" : why);
    return got > 0;
  }

 private:
  const std::string& name_;
  gzFile file_;
};

class ZstdSource final : public LineReader::Source {
 public:
  explicit ZstdSource(const std::string& name)
      : name_(name), file_(std::fopen(name.c_str(), "rbe")), in_(ZSTD_DStreamInSize()) {
    if (file_ == nullptr) unreadable(name_, std::strerror(errno));
    stream_ = ZSTD_createDStream();
  }
  ~ZstdSource() override {
    ZSTD_freeDStream(stream_);
    std::fclose(file_);
  }
  bool read(std::string& text) override {
    const std::size_t before = text.size();
    text.resize(before + kReadBytes);
    ZSTD_outBuffer out{text.data() + before, kReadBytes, 0};
    while (out.pos == 0) {
      if (from_.pos == from_.size) {
        from_ = {in_.data(), std::fread(in_.data(), 1, in_.size(), file_), 0};
        if (std::ferror(file_) != 0) unreadable(name_, std::strerror(errno));
        if (from_.size == 0) break;
      }
      left_ = ZSTD_decompressStream(stream_, &out, &from_);
      if (ZSTD_isError(left_) != 0)
        fail(ExitCode::io, "{}: its compressed data are damaged: {}", name_, ZSTD_getErrorName(left_));
    }
    text.resize(before + out.pos);
    if (out.pos == 0 && left_ != 0)
      fail(ExitCode::io, "{}: its compressed data are cut off: the run that wrote it may have been killed", name_);
    return out.pos != 0;
  }

 private:
  const std::string& name_;
  std::FILE* file_;
  ZSTD_DStream* stream_ = nullptr;
  std::vector<char> in_;
  ZSTD_inBuffer from_{nullptr, 0, 0};
  std::size_t left_ = 0;  // bytes that the frame still lacks, or 0
};

std::unique_ptr<LineReader::Source> open_source(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) unreadable(name, "it is a folder");
  if (std::filesystem::path(name).extension() == ".zst") return std::make_unique<ZstdSource>(name);
  return std::make_unique<ZlibSource>(name);
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& file) : name_(file.string()), source_(open_source(name_)) {}
LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  std::size_t end = text_.find('\n', at_);
  while (end == std::string::npos && !ended_) {
    text_.erase(0, at_);
    at_ = 0;
    const std::size_t before = text_.size();
    ended_ = !source_->read(text_);
    end = text_.find('\n', before);
    if (end == std::string::npos && text_.size() > kMostBytes)
      fail(ExitCode::configuration, "{}: line {} has more than {} bytes: not a text file", name_, number_ + 1,
           kMostBytes);
  }
  if (end == std::string::npos) {
    if (at_ == text_.size()) return false;
    end = text_.size();
  }
  line = std::string_view(text_).substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  ++number_;
  return true;
}

}  // namespace heddle
