// SPDX-License-Identifier: Apache-2.0
// Timelines in the JSON trace format of Chrome, which Perfetto opens. One cycle of the core clock is one microsecond
// there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/trace_file.h"

namespace heddle {

/// Where an event is shown: a thread of a process.
struct Track {
  std::uint32_t process = 0, thread = 0;
};

class ChromeTraceWriter {
 public:
  /// about: shown as the trace's metadata. The file is compressed by its ending (.gz, .zst). Throws as TraceFile.
  ChromeTraceWriter(const std::filesystem::path& path, std::uint64_t most_bytes, std::string_view about);

  /// Names. order: processes, and threads of a process, are shown by it.
  void name_process(std::uint32_t process, std::string_view name, std::uint32_t order);
  void name_thread(Track track, std::string_view name, std::uint32_t order);

  // Times are core cycles, fractions allowed. Slices of a track nest; an outer one is written before those within it.
  // arguments: an object of JSON, or empty.
  void slice(Track track, std::string_view name, std::string_view category, double begin, double length,
             std::string_view arguments = {});
  void counter(std::uint32_t process, std::string_view name, double at, double value);
  /// An arrow by id: from the slice that encloses `at` on the first track over those between to that on the last.
  enum class Flow : char { begin = 's', between = 't', end = 'f' };
  void flow(Flow phase, std::uint64_t id, Track track, std::string_view name, double at);

  bool full() const { return file_.full(); }
  std::uint64_t bytes() const { return file_.bytes(); }
  /// Completes the file. Throws Error(kIo).
  void close();

 private:
  void event(std::string_view text);
  void metadata(const char* what, Track track, std::string_view name, std::uint32_t order);

  TraceFile file_;
  bool first_ = true;
};

}  // namespace heddle
