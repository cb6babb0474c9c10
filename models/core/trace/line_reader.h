// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a text file. A name ending in .zst means that zstd compressed it; gzip is recognised whatever the
// name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

class LineReader {
 public:
  /// Throws Error(kIo) if the file cannot be read.
  explicit LineReader(const std::filesystem::path& file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end, valid until the next call; false at the end of the file. Throws Error(kIo) if the
  /// file cannot be read on, or its compressed data are damaged or cut off, Error(kConfiguration) for an endless line.
  bool next(std::string_view& line);
  /// Number of the line last read, from 1.
  std::uint64_t number() const { return number_; }
  const std::string& name() const { return name_; }

  /// Source of the text.
  class Source {
   public:
    virtual ~Source() = default;
    /// Appends some text; false at the end.
    virtual bool read(std::string& text) = 0;
  };

 private:
  std::string name_;
  std::unique_ptr<Source> source_;
  std::string text_;
  std::size_t at_ = 0;
  bool ended_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace heddle
