// SPDX-License-Identifier: Apache-2.0
// L1 traces as files: lines of text, compressed by the ending of the file's name. Format: docs/locality.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/line_reader.h"
#include "core/trace/trace_file.h"
#include "memory/locality/l1_trace.h"

namespace heddle::memory {

class L1TraceWriter {
 public:
  /// most_bytes: as for TraceFile.
  L1TraceWriter(const std::filesystem::path& file, std::uint64_t most_bytes, const TracedMachine& machine);

  /// kernel: of the launch, whose number is not used. A kernel is written before its first launch and known by its
  /// address from then on. Does nothing once full().
  void launch(const TracedKernel& kernel, const TracedLaunch& launch);
  /// Completes the file. Throws Error(kIo).
  void close();

  bool full() const { return file_.full(); }
  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  std::size_t number_of(const TracedKernel& kernel);
  void write_kernel(const TracedKernel& kernel);
  void write_sm(const TracedSm& sm);

  TraceFile file_;
  std::vector<const TracedKernel*> kernels_;  // written
};

/// Reads a trace launch by launch. Every member throws Error(kConfiguration), naming file and line, for what is no
/// trace or is cut off, Error(kIo) if the file cannot be read.
class L1TraceReader {
 public:
  explicit L1TraceReader(const std::filesystem::path& file);

  const TracedMachine& machine() const { return machine_; }
  /// The next launch; false at the end of the trace.
  bool next(TracedLaunch& launch);
  /// The kernels read so far.
  const std::vector<TracedKernel>& kernels() const { return kernels_; }

 private:
  [[noreturn]] void wrong(const std::string& what) const;
  void read_machine(std::string_view json);
  void read_kernel(std::string_view json);
  void read_launch(std::string_view json, TracedLaunch& launch);
  void read_sm(TracedLaunch& launch);
  TracedAccess access(const TracedKernel& kernel, const TracedSm& sm);
  std::string_view line();
  /// The next field of the line, as a number.
  std::uint64_t number(const char* name, std::uint64_t most, int base = 10);
  std::string_view field(const char* name);

  LineReader in_;
  TracedMachine machine_;
  std::vector<TracedKernel> kernels_;
  std::string_view rest_;  // of the line being read
};

}  // namespace heddle::memory
