// SPDX-License-Identifier: Apache-2.0
#include "core/trace/chrome_trace.h"

namespace heddle {

ChromeTraceWriter::ChromeTraceWriter(const std::filesystem::path& path, std::uint64_t most_bytes,
                                     std::string_view about)
    : file_(path, most_bytes) {
  file_.put(R"({"displayTimeUnit":"ns","otherData":{"time":"one microsecond is one cycle of the core clock","about":)",
            Quoted{about}, R"(},"traceEvents":[)");
}

void ChromeTraceWriter::metadata(std::string_view what, Track track, std::string_view name, std::uint32_t order) {
  event(R"("ph":"M","name":")", what, R"(_name","pid":)", track.process, R"(,"tid":)", track.thread,
        R"(,"args":{"name":)", Quoted{name}, '}');
  event(R"("ph":"M","name":")", what, R"(_sort_index","pid":)", track.process, R"(,"tid":)", track.thread,
        R"(,"args":{"sort_index":)", order, '}');
}

void ChromeTraceWriter::name_process(std::uint32_t process, std::string_view name, std::uint32_t order) {
  metadata("process", {process, 0}, name, order);
}

void ChromeTraceWriter::name_thread(Track track, std::string_view name, std::uint32_t order) {
  metadata("thread", track, name, order);
}

void ChromeTraceWriter::counter(std::uint32_t process, std::string_view name, double at, double value) {
  event(R"("ph":"C","name":)", Quoted{name}, R"(,"ts":)", at, R"(,"pid":)", process, R"(,"args":{"value":)", value,
        '}');
}

void ChromeTraceWriter::close() {
  file_.put("\n]}\n");
  file_.close();
}

}  // namespace heddle
