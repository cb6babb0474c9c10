// SPDX-License-Identifier: Apache-2.0
#include "core/trace/vcd.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/names.h"

namespace heddle {
namespace {

/// VCD names cannot contain spaces, and brackets would be read as a range.
std::string clean(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (c <= ' ' || c == '[' || c == ']' || c == '$') c = '_';
  }
  return name;
}

/// Cycles before an error to which the recording is limited; 0: it is not.
Cycle kept_before_error(const WaveformRequest& request) {
  return request.windows != nullptr ? request.windows->request().before_error : 0;
}

}  // namespace

VcdWriter::VcdWriter(Probes& probes, const Structures& structures, WaveformRequest request,
                     const std::function<std::uint64_t(std::uint64_t)>& picoseconds_of)
    : probes_(probes),
      request_(std::move(request)),
      picoseconds_of_(picoseconds_of),
      file_(request_.file, 0),
      moments_(picoseconds_of_(kShownCycles), kept_before_error(request_) != 0),
      signals_(probes, structures, request_.signals, request_.except, request_.parts) {
  write_header();
  const Cycle kept = kept_before_error(request_);
  piece_picoseconds_ = picoseconds_of_((kept + kPieces - 1) / kPieces);
  keeps_pieces_ = kept != 0;
  probes_.attach(this);
  attached_ = true;
}

VcdWriter::~VcdWriter() {
  try {
    close();
  } catch (const Error& error) {
    fmt::print(stderr, "heddle: {}\n", error.what());
  }
}

void VcdWriter::write_header() {
  put("$version Heddle $end\n$timescale 1 ps $end\n$scope module machine $end\n");
  std::vector<std::string_view> open;
  std::string_view scope;
  for (const auto& recorded : signals_.all()) {
    if (scope != recorded.shown.scope) open_scope(open, scope = recorded.shown.scope);
    const std::uint64_t width = recorded.shown.width;
    put("$var wire ", width, ' ', recorded.code.text(), ' ', clean(recorded.shown.name));
    if (width != 1) put(" [", width - 1, ":0]");
    put(" $end\n");
  }
  for (std::size_t i = 0; i < open.size(); ++i) put("$upscope $end\n");
  put("$upscope $end\n$enddefinitions $end\n");
}

/// open: the scopes around the last signal.
void VcdWriter::open_scope(std::vector<std::string_view>& open, std::string_view scope) {
  const auto want = split(scope, '.');
  std::size_t same = 0;
  while (same < open.size() && same < want.size() && open[same] == want[same]) ++same;
  for (std::size_t i = open.size(); i > same; --i) put("$upscope $end\n");
  for (std::size_t i = same; i < want.size(); ++i) put("$scope module ", clean(want[i]), " $end\n");
  open = want;
}

VcdWriter::Window VcdWriter::window_at(std::uint64_t picoseconds) {
  const Windows* const windows = request_.windows;
  if (windows == nullptr) return {0, kNever};
  if (windows->generation() == generation_ && picoseconds < window_.end) return window_;
  generation_ = windows->generation();
  Cycle from = 0;
  window_ = {};
  while (const CycleWindow* const next = windows->from(from)) {
    const Window found{picoseconds_of_(next->first), next->last == kNever ? kNever : picoseconds_of_(next->last + 1)};
    if (found.end > picoseconds) return window_ = found;
    from = next->last + 1;
  }
  return window_;
}

void VcdWriter::renew_pieces(std::uint64_t picoseconds) {
  if (!pieces_.empty() && picoseconds < pieces_.back().begin + piece_picoseconds_) return;
  pieces_.emplace_back(picoseconds);
  // Keep the first piece while the second alone does not reach back far enough.
  while (pieces_.size() > 1 && pieces_[1].begin + kPieces * piece_picoseconds_ <= picoseconds) pieces_.pop_front();
  time_ = kNever;
  in_window_ = false;  // forces a dump of all values
}

void VcdWriter::sample(const ProbeCycle& cycle) {
  if (capped_ || !attached_) return;
  // 1. Close a window that ended before this edge.
  if (keeps_pieces_) {
    if (pieces_.empty()) renew_pieces(cycle.picoseconds);
    clear_pulses(cycle.picoseconds);
    renew_pieces(cycle.picoseconds);
  } else {
    clear_pulses(cycle.picoseconds);
    if (in_window_) {
      const Window present = window_at(time_);
      if (present.end <= cycle.picoseconds) close_window(present.end);
    }
    const Window window = window_at(cycle.picoseconds);
    if (window.end == 0 || cycle.picoseconds < window.begin) return;
  }
  // 2. Read the values of this domain.
  const auto found = signals_.domains().find(cycle.domain);
  if (found == signals_.domains().end()) return;
  VcdSignals::Domain& domain = found->second;
  signals_.read(domain, cycle.cycle);
  domain.clear_at = cycle.next_picoseconds;
  // 3. Write the changes.
  write_time(cycle.picoseconds);
  std::uint64_t changed = 0;
  if (!in_window_) {
    open_window();
  } else {
    // Entries of structures are left out of the count: there are so many that the launch of a block would always win.
    signals_.write_changes(domain, [&](const VcdSignals::Signal& signal) {
      write_value(signal);
      changed += signal.shown.entry ? 0 : 1;
    });
    write_value(signals_.all()[domain.cycle_signal]);
  }
  moments_.recorded(cycle.picoseconds, cycle.next_picoseconds, changed);
  if (!keeps_pieces_ && file_.bytes() > request_.most_bytes) stop_at_cap();
}

void VcdWriter::stop_at_cap() {
  put(fmt::format("$comment size cap of {} bytes reached $end\n", request_.most_bytes));
  capped_ = true;
  for (ProbeGroup* group : probes_.groups()) Probes::enable(*group, false);
}

void VcdWriter::open_window() {
  if (!std::exchange(opened_, true)) {
    put("$dumpvars\n");
  } else {
    put(keeps_pieces_ ? "$dumpall\n" : "$dumpon\n");
  }
  for (const VcdSignals::Signal& signal : signals_.all()) write_value(signal);
  signals_.all_written();
  put("$end\n");
  in_window_ = true;
}

void VcdWriter::close_window(std::uint64_t picoseconds) {
  write_time(picoseconds);
  put("$dumpoff\n");
  for (const VcdSignals::Signal& signal : signals_.all()) write_undefined(signal);
  put("$end\n");
  signals_.forget();
  in_window_ = false;
}

/// Ends pulses of domains whose next edge lies before `before` and was not sampled.
void VcdWriter::clear_pulses(std::uint64_t before) {
  while (in_window_) {
    VcdSignals::Domain* first = nullptr;
    for (auto& [name, domain] : signals_.domains()) {
      if (domain.pulsed && domain.clear_at < before && (first == nullptr || domain.clear_at < first->clear_at))
        first = &domain;
    }
    if (first == nullptr) return;
    if (!keeps_pieces_ && first->clear_at >= window_at(time_).end) return;
    first->pulsed = false;
    write_time(first->clear_at);
    signals_.end_pulses(*first, [this](const VcdSignals::Signal& signal) { write_undefined(signal); });
  }
}

void VcdWriter::write_time(std::uint64_t picoseconds) {
  if (picoseconds == time_) return;
  time_ = picoseconds;
  put('#', picoseconds, '\n');
}

void VcdWriter::write_value(const VcdSignals::Signal& signal) {
  put_at_most(signals_.most_line(), [&](char* to) { return signals_.put_value(signal, to); });
}

void VcdWriter::write_undefined(const VcdSignals::Signal& signal) {
  put_at_most(signals_.most_line(), [&](char* to) { return VcdSignals::put_undefined(signal, to); });
}

void VcdWriter::close(bool failed) {
  if (!std::exchange(attached_, false)) return;
  probes_.attach(nullptr);
  for (ProbeGroup* group : probes_.groups()) Probes::enable(*group, false);
  if (!file_.is_open()) return;  // already abandoned
  if (in_window_ && !capped_) {
    clear_pulses(kNever);
    // Show the last cycle for its full length.
    std::uint64_t end = time_;
    for (const auto& [name, domain] : signals_.domains()) end = std::max(end, domain.clear_at);
    close_window(keeps_pieces_ ? end : std::min(end, window_at(time_).end));
  }
  if (std::exchange(keeps_pieces_, false)) {
    if (!failed) {
      put("$comment the run ended without an error $end\n");
      pieces_.clear();
    }
    for (const Piece& piece : pieces_) put(piece.text.text());
    if (!pieces_.empty()) moments_.forget_before(pieces_.front().begin);
  }
  file_.close();
  if (const std::filesystem::path save_file = gtkwave_save_file(request_.file); !save_file.empty())
    write_save_file(save_file, failed);
}

void VcdWriter::mark(Cycle cycle, std::string name) {
  if (capped_ || (request_.windows != nullptr && !request_.windows->contains(cycle))) return;
  moments_.mark(picoseconds_of_(cycle), std::move(name));
}

void VcdWriter::write_save_file(const std::filesystem::path& save_file, bool failed) {
  using Shown = WaveformMoments::Shown;
  std::vector<WaveformSignal> signals;
  for (const VcdSignals::Signal& signal : signals_.all()) signals.push_back(signal.shown);
  // Shows what was asked for: the error, or the first match of a trigger; else where most happens.
  const bool triggered = request_.windows != nullptr && !request_.windows->request().triggers.empty();
  const Shown shown = failed && kept_before_error(request_) != 0 ? Shown::end
                      : triggered                                ? Shown::begin
                                                                 : Shown::busiest;
  write_gtkwave_save(save_file, request_.file, signals, request_.place_of, moments_.opening(shown));
}

}  // namespace heddle
