// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/live_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json.h"
#include "core/quantity_text.h"

namespace heddle {
namespace {

std::string bar(double share, unsigned width) {
  const auto filled = static_cast<unsigned>(std::clamp(share, 0.0, 1.0) * width + 0.5);
  return std::string(filled, '#') + std::string(width - filled, '.');
}

const JsonNode kNothing;

const JsonNode& member(const JsonNode& node, const char* name) {
  const JsonNode* const found = node.find(name);
  return found != nullptr ? *found : kNothing;
}

double real(const JsonNode& node) {
  return node.kind == JsonNode::Kind::unsigned_ ? static_cast<double>(node.natural) : node.real;
}

}  // namespace

double LiveStatus::remaining_seconds() const {
  if (blocks_done == 0 || blocks <= blocks_done) return -1;
  return seconds * static_cast<double>(blocks - blocks_done) / static_cast<double>(blocks_done);
}

std::string live_status_json(const LiveStatus& status) {
  JsonWriter out;
  out.begin_object();
  out.member("program", status.program).member("machine", status.machine).member("kernel", status.kernel);
  out.member("launch", status.launch).member("cycles", status.cycles);
  out.member("thread_instructions", status.thread_instructions).member("blocks", status.blocks);
  out.member("blocks_done", status.blocks_done).member("seconds", status.seconds);
  out.member("cycles_per_second", status.cycles_per_second);
  out.member("instructions_per_second", status.instructions_per_second).member("ipc", status.ipc);
  out.key("sms").begin_array();
  for (const LiveStatus::Sm& sm : status.sms) {
    out.begin_object(true).member("name", sm.name).member("issued", sm.issued).member("occupied", sm.occupied);
    out.end_object();
  }
  out.end_array().end_object();
  return out.text();
}

LiveStatus read_live_status(const std::filesystem::path& file) {
  const JsonNode node = read_json(file);
  LiveStatus status;
  status.program = member(node, "program").text;
  status.machine = member(node, "machine").text;
  status.kernel = member(node, "kernel").text;
  status.launch = member(node, "launch").natural;
  status.cycles = member(node, "cycles").natural;
  status.thread_instructions = member(node, "thread_instructions").natural;
  status.blocks = member(node, "blocks").natural;
  status.blocks_done = member(node, "blocks_done").natural;
  status.seconds = real(member(node, "seconds"));
  status.cycles_per_second = real(member(node, "cycles_per_second"));
  status.instructions_per_second = real(member(node, "instructions_per_second"));
  status.ipc = real(member(node, "ipc"));
  for (const JsonNode& sm : member(node, "sms").elements)
    status.sms.push_back({member(sm, "name").text, real(member(sm, "issued")), real(member(sm, "occupied"))});
  return status;
}

std::string live_view(const LiveStatus& status, unsigned columns, unsigned rows) {
  std::vector<std::string> lines;
  const double left = status.remaining_seconds();
  lines.push_back(fmt::format("{} on {}, launch {}: {}", status.program, status.machine, status.launch, status.kernel));
  lines.push_back(fmt::format("{}{}", duration_text(status.seconds),
                              left < 0 ? std::string() : ", about " + duration_text(left) + " to go"));
  if (status.blocks != 0) {
    const double share = static_cast<double>(status.blocks_done) / static_cast<double>(status.blocks);
    const std::string text = fmt::format(" {} of {} blocks", status.blocks_done, status.blocks);
    const unsigned width = columns > text.size() + 2 ? columns - static_cast<unsigned>(text.size()) - 2 : 0;
    lines.push_back("[" + bar(share, std::min(40u, width)) + "]" + text);
  }
  std::string rates = fmt::format("{} thread-instructions/s", engineering(status.instructions_per_second));
  if (!status.sms.empty()) {
    rates = fmt::format("{} cycles/s, {}, IPC {:.2f}, {} cycles so far", engineering(status.cycles_per_second), rates,
                        status.ipc, engineering(static_cast<double>(status.cycles)));
  }
  lines.push_back(rates);
  if (!status.sms.empty()) {
    const unsigned width = std::clamp(columns / 2 > 20 ? columns / 2 - 20 : 0, 4u, 30u);
    lines.push_back(fmt::format("{:<6} {:<{}} {:<{}}", "SM", "issued", width + 5, "threads taken", width + 5));
    std::size_t shown = 0;
    for (const LiveStatus::Sm& sm : status.sms) {
      if (rows != 0 && ++shown > rows) {
        lines.push_back(fmt::format("and {} more", status.sms.size() - rows));
        break;
      }
      lines.push_back(fmt::format("{:<6} {} {:3.0f}% {} {:3.0f}%", sm.name, bar(sm.issued, width), 100 * sm.issued,
                                  bar(sm.occupied, width), 100 * sm.occupied));
    }
  }
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line.substr(0, columns);
  return text;
}

}  // namespace heddle
