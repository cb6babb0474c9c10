// SPDX-License-Identifier: Apache-2.0
// A trace or log file written during a run, with optional compression by file name and a size limit.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/trace/text_buffer.h"

namespace heddle {

class TraceFile {
 public:
  /// The extension selects compression (.gz, .zst), conversion by vcd2fst (.fst, from VCD text), or plain text.
  /// most_bytes: limit on the uncompressed text, after which full() is true; 0: no limit. Creates the folder. Throws
  /// Error(kIo) when the file cannot be written, Error(kUsage) when vcd2fst is needed but missing.
  TraceFile(std::filesystem::path path, std::uint64_t most_bytes);
  /// Closes the file, ignoring errors.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Appends what TextBuffer::add() takes. Throws Error(kIo) after closing the file, which accepts no more text.
  template <typename... Parts>
  void put(const Parts&... parts) {
    buffer_.add(parts...);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  /// The same for what TextBuffer::add_at_most() takes.
  template <typename Print>
  void put_at_most(std::size_t most, Print&& print) {
    buffer_.add_at_most(most, print);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  /// Whether the limit is reached. The writer should then stop and terminate the file as its format requires.
  bool full() const { return most_bytes_ != 0 && bytes() >= most_bytes_; }
  /// Bytes of text written so far.
  std::uint64_t bytes() const { return flushed_ + buffer_.size(); }
  const std::filesystem::path& path() const { return path_; }
  /// Completes the file. Throws Error(kIo). Once.
  void close();
  bool is_open() const { return sink_ != nullptr; }

  /// Destination of the text.
  class Sink {
   public:
    virtual ~Sink() = default;
    /// False on failure.
    virtual bool write(std::string_view text) = 0;
    virtual bool close() = 0;
  };

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  void flush();
  [[noreturn]] void give_up();

  std::filesystem::path path_;
  std::uint64_t most_bytes_, flushed_ = 0;
  TextBuffer buffer_{kBufferBytes + kBufferBytes / 16};
  std::unique_ptr<Sink> sink_;
};

}  // namespace heddle
