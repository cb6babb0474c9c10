// SPDX-License-Identifier: Apache-2.0
// printf in kernels: formatting of one call, and the buffer its output waits in until the host synchronises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <string>

namespace heddle::runtime {

/// Reads `bytes` bytes of device memory at a generic address of the calling thread into `to`; false when it is not
/// accessible.
using DeviceReader = std::function<bool(std::uint64_t address, void* to, std::size_t bytes)>;

/// Formats as printf in a kernel does. `arguments`: generic address of the argument buffer, values in order, each at a
/// multiple of its size (4 or 8 bytes). `result`: what the kernel's printf returns, the number of arguments, or -1 when
/// the format cannot be read. At most 32 arguments are taken. `pointer_bytes`: of pointers, long and size_t, 4 or 8.
std::string format_kernel_output(const std::string& format, std::uint64_t arguments, const DeviceReader& read,
                                 int& result, unsigned pointer_bytes = 8);

/// A text in device memory up to its NUL, at most `limit` bytes; false when it is not accessible.
bool read_device_text(std::uint64_t address, const DeviceReader& read, std::string& text, std::size_t limit = 65536);

/// Output waits here, oldest first; when it exceeds the limit the oldest is lost, as in CUDA's circular buffer.
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
