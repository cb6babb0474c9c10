// SPDX-License-Identifier: Apache-2.0
// A file that grows while a run goes on: traces and logs. Compressed where its name says so, with a limit on its size.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

class TraceFile {
 public:
  /// By its ending the file is compressed (.gz, .zst), handed to vcd2fst (.fst: text of a VCD is what is put), or
  /// plain. most_bytes: of text put, after which full() holds; 0: no limit. Throws Error(kIo) when it cannot be
  /// written, Error(kUsage) when vcd2fst is needed and not there.
  TraceFile(std::filesystem::path path, std::uint64_t most_bytes);
  /// Closes the file; an error is then lost.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Throws Error(kIo); the file is closed then and takes no more.
  void put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  /// The limit is reached. The writer leaves off, and ends the file as its format wants.
  bool full() const { return most_bytes_ != 0 && bytes() >= most_bytes_; }
  /// Text put so far.
  std::uint64_t bytes() const { return flushed_ + buffer_.size(); }
  const std::filesystem::path& path() const { return path_; }
  /// Completes the file. Throws Error(kIo). Once.
  void close();
  bool is_open() const { return sink_ != nullptr; }

  /// Where text goes.
  class Sink {
   public:
    virtual ~Sink() = default;
    /// False: it could not be written.
    virtual bool write(std::string_view text) = 0;
    virtual bool close() = 0;
  };

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  void flush();
  [[noreturn]] void give_up();

  std::filesystem::path path_;
  std::uint64_t most_bytes_, flushed_ = 0;
  std::string buffer_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace heddle
