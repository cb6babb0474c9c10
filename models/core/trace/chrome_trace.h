// SPDX-License-Identifier: Apache-2.0
// Timelines in Chrome's JSON trace format, which Perfetto opens. One core clock cycle is shown as one microsecond.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/trace/trace_file.h"

namespace heddle {

/// The track an event is shown on: a thread of a process.
struct Track {
  std::uint32_t process = 0, thread = 0;
};

class ChromeTraceWriter {
 public:
  /// about: stored in the trace's metadata. The file name's extension selects compression (.gz, .zst). Throws like
  /// TraceFile.
  ChromeTraceWriter(const std::filesystem::path& path, std::uint64_t most_bytes, std::string_view about);

  /// Name tracks. order: sorts processes, and threads within a process.
  void name_process(std::uint32_t process, std::string_view name, std::uint32_t order);
  void name_thread(Track track, std::string_view name, std::uint32_t order);

  // Times are core cycles, as integers or as fractions. Names: Quoted or Plain. Slices on a track nest; write outer
  // slices before inner ones. arguments: parts of a JSON object, as TextBuffer::add() takes them, or none.
  template <typename Name, typename Time, typename... Arguments>
  void slice(Track track, const Name& name, std::string_view category, Time begin, Time length,
             const Arguments&... arguments) {
    constexpr std::string_view kArguments = sizeof...(arguments) == 0 ? "" : ",\"args\":";
    event(R"("ph":"X","name":)", name, R"(,"cat":")", category, R"(","ts":)", begin, R"(,"dur":)", length, R"(,"pid":)",
          track.process, R"(,"tid":)", track.thread, kArguments, arguments...);
  }
  void counter(std::uint32_t process, std::string_view name, double at, double value);
  enum class Flow : char { begin = 's', between = 't', end = 'f' };
  /// One step of the flow arrow `id`, attached to the slice enclosing `at` on its track. at: a time or the text of one.
  template <typename Time>
  void flow(Flow phase, std::uint64_t id, Track track, Plain name, const Time& at) {
    event(R"("ph":")", static_cast<char>(phase), R"(","name":)", name, R"(,"cat":"flow","id":)", id, R"(,"ts":)", at,
          R"(,"pid":)", track.process, R"(,"tid":)", track.thread,
          std::string_view(phase == Flow::end ? R"(,"bp":"e")" : ""));
  }

  bool full() const { return file_.full(); }
  std::uint64_t bytes() const { return file_.bytes(); }
  bool is_open() const { return file_.is_open(); }
  /// Completes the file. Throws Error(kIo).
  void close();

 private:
  /// One event; parts: the members of its object, as TextBuffer::add() takes them.
  template <typename... Parts>
  void event(const Parts&... parts) {
    file_.put(first_ ? "\n{" : ",\n{", parts..., '}');
    first_ = false;
  }
  void metadata(std::string_view what, Track track, std::string_view name, std::uint32_t order);

  TraceFile file_;
  bool first_ = true;
};

}  // namespace heddle
