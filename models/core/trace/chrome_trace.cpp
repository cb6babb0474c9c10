// SPDX-License-Identifier: Apache-2.0
#include "core/trace/chrome_trace.h"

#include <fmt/format.h>

#include "core/json.h"

namespace heddle {

ChromeTraceWriter::ChromeTraceWriter(const std::filesystem::path& path, std::uint64_t most_bytes,
                                     std::string_view about)
    : file_(path, most_bytes) {
  file_.put(
      fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"time\":\"one microsecond is one cycle of the "
                  "core clock\",\"about\":{}}},\"traceEvents\":[",
                  json_quote(about)));
}

void ChromeTraceWriter::event(std::string_view text) {
  file_.put(first_ ? "\n{" : ",\n{");
  first_ = false;
  file_.put(text);
  file_.put("}");
}

void ChromeTraceWriter::metadata(const char* what, Track track, std::string_view name, std::uint32_t order) {
  event(fmt::format(R"("ph":"M","name":"{}_name","pid":{},"tid":{},"args":{{"name":{}}})", what, track.process,
                    track.thread, json_quote(name)));
  event(fmt::format(R"("ph":"M","name":"{}_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})", what,
                    track.process, track.thread, order));
}

void ChromeTraceWriter::name_process(std::uint32_t process, std::string_view name, std::uint32_t order) {
  metadata("process", {process, 0}, name, order);
}

void ChromeTraceWriter::name_thread(Track track, std::string_view name, std::uint32_t order) {
  metadata("thread", track, name, order);
}

void ChromeTraceWriter::slice(Track track, std::string_view name, std::string_view category, double begin,
                              double length, std::string_view arguments) {
  event(fmt::format(R"("ph":"X","name":{},"cat":"{}","ts":{},"dur":{},"pid":{},"tid":{}{}{})", json_quote(name),
                    category, begin, length, track.process, track.thread,
                    arguments.empty() ? "" : ",\"args\":", arguments));
}

void ChromeTraceWriter::counter(std::uint32_t process, std::string_view name, double at, double value) {
  event(fmt::format(R"("ph":"C","name":{},"ts":{},"pid":{},"args":{{"value":{}}})", json_quote(name), at, process,
                    value));
}

void ChromeTraceWriter::flow(Flow phase, std::uint64_t id, Track track, std::string_view name, double at) {
  event(fmt::format(R"("ph":"{}","name":{},"cat":"flow","id":{},"ts":{},"pid":{},"tid":{}{})", static_cast<char>(phase),
                    json_quote(name), id, at, track.process, track.thread, phase == Flow::end ? R"(,"bp":"e")" : ""));
}

void ChromeTraceWriter::close() {
  file_.put("\n]}\n");
  file_.close();
}

}  // namespace heddle
