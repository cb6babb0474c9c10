// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/windows.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"
#include "core/quantity_text.h"

namespace heddle {
namespace {

constexpr const char* kForms =
    "windows are first:last (cycles), kernel=NAME, pc=KERNEL:NUMBER+CYCLES, line=FILE:NUMBER+CYCLES and last=CYCLES";

std::uint64_t parse_number(std::string_view text, std::string_view part) {
  std::uint64_t number = 0;
  if (!parse_natural(text, number)) fail(ExitCode::usage, "window '{}': '{}' is not a number; {}", part, text, kForms);
  return number;
}

WindowRequest::Trigger parse_trigger(std::string_view text, bool line, std::string_view part) {
  WindowRequest::Trigger trigger{{}, 0, line, kTriggerCycles};
  if (const auto plus = text.rfind('+'); plus != std::string_view::npos) {
    trigger.cycles = parse_number(text.substr(plus + 1), part);
    if (trigger.cycles == 0) fail(ExitCode::usage, "window '{}' holds no cycle; {}", part, kForms);
    text = text.substr(0, plus);
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) fail(ExitCode::usage, "window '{}': {}", part, kForms);
  trigger.pattern = text.substr(0, colon);
  trigger.number = static_cast<std::uint32_t>(parse_number(text.substr(colon + 1), part));
  return trigger;
}

CycleWindow parse_cycles(std::string_view part) {
  const auto colon = part.find(':');
  if (colon == std::string_view::npos) fail(ExitCode::usage, "window '{}': {}", part, kForms);
  const std::string_view first = part.substr(0, colon), last = part.substr(colon + 1);
  const CycleWindow window{first.empty() ? 0 : parse_number(first, part),
                           last.empty() ? kNever : parse_number(last, part)};
  if (window.last < window.first) fail(ExitCode::usage, "window '{}' ends before it starts", part);
  return window;
}

void parse_part(std::string_view part, WindowRequest& request) {
  const auto equals = part.find('=');
  if (equals == std::string_view::npos) {
    request.cycles.push_back(parse_cycles(part));
    return;
  }
  const std::string_view what = part.substr(0, equals), rest = part.substr(equals + 1);
  if (what == "kernel" && !rest.empty()) {
    request.kernels.emplace_back(rest);
  } else if (what == "pc" || what == "line") {
    request.triggers.push_back(parse_trigger(rest, what == "line", part));
  } else if (what == "last") {
    request.before_error = parse_number(rest, part);
    if (request.before_error == 0) fail(ExitCode::usage, "window '{}' holds no cycle; {}", part, kForms);
  } else {
    fail(ExitCode::usage, "window '{}': {}", part, kForms);
  }
}

}  // namespace

WindowRequest parse_windows(std::string_view text) {
  WindowRequest request;
  const std::string_view all = text;
  while (true) {
    const auto comma = text.find(',');
    parse_part(text.substr(0, comma), request);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  auto& cycles = request.cycles;
  std::sort(cycles.begin(), cycles.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < cycles.size(); ++i) {
    if (cycles[i].first <= cycles[i - 1].last) fail(ExitCode::usage, "windows '{}' overlap; make them disjoint", all);
  }
  if (request.before_error != 0 && (!cycles.empty() || !request.kernels.empty() || !request.triggers.empty()))
    fail(ExitCode::usage, "windows '{}': last=CYCLES cannot be combined with other windows", all);
  return request;
}

Windows::Windows(WindowRequest request) : request_(std::move(request)) {
  // With last=CYCLES everything is recorded and selected when the error occurs.
  windows_ = request_.everything() || request_.before_error != 0 ? std::vector<CycleWindow>{{}} : request_.cycles;
}

const CycleWindow* Windows::from(Cycle cycle) const {
  const auto found = std::lower_bound(windows_.begin(), windows_.end(), cycle,
                                      [](const CycleWindow& window, Cycle at) { return window.last < at; });
  return found != windows_.end() ? &*found : nullptr;
}

void Windows::open(CycleWindow window) {
  ++generation_;
  std::vector<CycleWindow> kept;
  bool placed = false;
  for (const CycleWindow& other : windows_) {
    if (other.last < window.first) {
      if (other.last + kKept >= window.first) kept.push_back(other);
    } else if (other.first > window.last) {
      if (!placed) kept.push_back(window);
      placed = true;
      kept.push_back(other);
    } else {
      window = {std::min(window.first, other.first), std::max(window.last, other.last)};
    }
  }
  if (!placed) kept.push_back(window);
  windows_ = std::move(kept);
}

void Windows::kernel_begins(const std::string& name, Cycle now) {
  in_kernel_ = std::any_of(request_.kernels.begin(), request_.kernels.end(),
                           [&](const std::string& pattern) { return kernel_match(pattern, name); });
  if (in_kernel_) open({now, kNever});
}

void Windows::kernel_ends(Cycle now) {
  if (!in_kernel_) return;
  in_kernel_ = false;
  ++generation_;
  // Close the window opened without an end, unless cycles were requested.
  windows_.back().last = std::max(now, windows_.back().first);
  for (const CycleWindow& window : request_.cycles) {
    if (window.last > now) open({std::max(window.first, now), window.last});
  }
}

}  // namespace heddle
