// SPDX-License-Identifier: Apache-2.0
// printf in kernels: formatting of a call, and the buffer that holds output until the host synchronises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <string>

namespace heddle::runtime {

/// Reads `bytes` bytes at a generic address of the calling thread into `to`; false when inaccessible.
using DeviceReader = std::function<bool(std::uint64_t address, void* to, std::size_t bytes)>;

/// Formats one kernel printf call. `arguments`: generic address of the argument buffer, values in order, each aligned
/// to its size (4 or 8 bytes). `result`: return value of the kernel's printf, the number of arguments, or -1 when the
/// format cannot be read. Uses at most 32 arguments. `pointer_bytes`: size of pointers, long and size_t, 4 or 8.
std::string format_kernel_output(const std::string& format, std::uint64_t arguments, const DeviceReader& read,
                                 int& result, unsigned pointer_bytes = 8);

/// Reads a NUL-terminated text of at most `limit` bytes from device memory; false when inaccessible.
bool read_device_text(std::uint64_t address, const DeviceReader& read, std::string& text, std::size_t limit = 65536);

/// Pending output, oldest first; on overflow the oldest is dropped, as in CUDA's circular buffer.
class PrintfBuffer {
 public:
  static constexpr std::size_t kDefaultBytes = 1 << 20;
  void set_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t limit() const { return limit_; }
  void add(std::string text);
  /// Writes everything to `stream` and flushes it.
  void flush(std::FILE* stream);
  bool empty() const { return lines_.empty(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0, limit_ = kDefaultBytes;
};

}  // namespace heddle::runtime
