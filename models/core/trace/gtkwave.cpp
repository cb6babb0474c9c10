// SPDX-License-Identifier: Apache-2.0
// The GTKWave save file of a waveform: nested groups, labels, radix and colour by kind of signal, codes translated to
// text, the moment shown first and named markers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/file.h"
#include "core/names.h"
#include "core/trace/waveform_view.h"

namespace heddle {
namespace {

// Flags of a trace line (GTKWave's analyzer.h), added together.
constexpr unsigned kHexadecimal = 0x2, kDecimal = 0x4, kBinary = 0x8, kRightJustified = 0x20, kBlank = 0x200,
                   kFileTranslated = 0x2000, kCollapsed = 0x1000, kClosed = 0x400000, kGroupBegin = 0x800000,
                   kGroupEnd = 0x1000000, kBitCount = 0x20000000;

/// Traces shown initially; groups of further ones start closed.
constexpr std::size_t kOpenTraces = 64;

// The window, in pixels. The tree of scopes is folded away: every signal is in the list.
constexpr unsigned kWidth = 1600, kHeight = 900, kLabels = 320, kMargins = 70;

unsigned radix_flag(Radix radix) {
  switch (radix) {
    case Radix::hexadecimal:
      return kHexadecimal;
    case Radix::decimal:
      return kDecimal;
    case Radix::binary:
      return kBinary;
    case Radix::text:
      return kHexadecimal | kFileTranslated;
    case Radix::count:
      return kDecimal | kBitCount;
  }
  return kHexadecimal;
}

/// Colours of GTKWave: 1 red, 2 orange, 3 yellow, 4 green, 5 blue, 6 indigo, 7 violet.
int colour(const WaveformSignal& signal) {
  if (signal.text != nullptr) return 3;
  if (signal.pulse) return 2;
  return signal.radix == Radix::decimal || signal.radix == Radix::count ? 5 : 4;
}

std::string trace_name(const WaveformSignal& signal) {
  std::string name = "machine." + signal.scope + "." + signal.name;
  for (char& c : name) {
    if (c <= ' ' || c == '[' || c == ']' || c == '$') c = '_';
  }
  return signal.width == 1 ? name : fmt::format("{}[{}:0]", name, signal.width - 1);
}

/// A line of the view.
struct Trace {
  const WaveformSignal* signal = nullptr;
  std::size_t number = 0;  ///< in the order of the file
  WaveformPlace place;
  std::string label;
};

/// The parts of a dotted name that the groups do not already say, with spaces: GTKWave shows only what follows the last
/// dot.
std::string unsaid(std::string_view name, const std::vector<std::string>& groups) {
  std::vector<std::string_view> said;
  for (const std::string& group : groups) {
    for (const std::string_view word : split(group, ' ')) said.push_back(word);
  }
  std::string text;
  for (const std::string_view part : split(name, '.')) {
    if (std::find(said.begin(), said.end(), part) == said.end()) (text += text.empty() ? "" : " ") += part;
  }
  return text;
}

/// The traces in the order of the view. Entries of a structure form a group of their own, after the other traces.
std::vector<Trace> arranged(const std::vector<WaveformSignal>& signals,
                            const std::function<WaveformPlace(std::string_view)>& place_of) {
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const WaveformSignal& signal = signals[i];
    Trace trace{&signal, i, {}, {}};
    if (place_of) {
      trace.place = place_of(signal.scope);
      auto& groups = trace.place.groups;
      if (signal.entry) {
        groups.push_back(unsaid(std::string_view(signal.scope).substr(0, signal.scope.rfind('.')), groups));
        trace.place.open = false;
      }
      if (!groups.empty()) trace.label = unsaid(signal.scope, groups);
    } else {
      trace.place = {{}, 0, {signal.scope}, true};
    }
    (trace.label += trace.label.empty() ? "" : " ") += signal.name;
    if (signal.radix == Radix::count) trace.label += " (count)";
    traces.push_back(std::move(trace));
  }
  const auto key = [](const Trace& t) { return std::tie(t.place.order, t.signal->entry, t.place.within, t.number); };
  std::sort(traces.begin(), traces.end(), [&](const Trace& a, const Trace& b) { return key(a) < key(b); });
  // Groups that start open are those that matter while there is room, or all if there is room for all.
  std::size_t shown = 0;
  bool any = false;
  for (std::size_t first = 0, end = 0; first < traces.size(); first = end) {
    while (end < traces.size() && traces[end].place.groups == traces[first].place.groups) ++end;
    const bool fits = shown + (end - first) <= kOpenTraces || !any;
    const bool open = traces.size() <= kOpenTraces || (traces[first].place.open && fits);
    for (std::size_t i = first; i < end; ++i) traces[i].place.open = open;
    if (open) shown += end - first;
    any |= open && !traces[first].place.groups.empty();
  }
  return traces;
}

class SaveFile {
 public:
  explicit SaveFile(std::filesystem::path path) : path_(std::move(path)) {}

  void write(const std::filesystem::path& waveform, const std::vector<Trace>& traces, const WaveformOpening& opening);

 private:
  using Table = std::pair<const TextTable*, unsigned>;  // and the number of hexadecimal digits of a value

  static std::string absolute(const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  }
  void line(const std::string& text) { (out_ += text) += '\n'; }
  void write_opening(const WaveformOpening& opening);
  void begin_group(const std::string& name, bool open);
  void end_group();
  void write_trace(const Trace& trace);
  void write_translation(const WaveformSignal& signal);

  std::filesystem::path path_;
  std::string out_;
  std::vector<std::pair<std::string, bool>> groups_;  ///< open in the file: name, whether shown open
  std::vector<Table> tables_;
};

void SaveFile::write_opening(const WaveformOpening& opening) {
  if (opening.length == 0) return;
  // A little is shown on both sides, so that the first and the last edge can be seen.
  const std::uint64_t margin = opening.length / 24;
  line(fmt::format("[timestart] {}", opening.begin - std::min(opening.begin, margin)));
  // A frame of 200 pixels is 2 to the power of minus zoom long.
  const double pixel = static_cast<double>(opening.length + 2 * margin) / (kWidth - kLabels - kMargins);
  std::string markers = fmt::format("*{:.6f} {}", -std::log2(200 * pixel), opening.marker);
  for (std::size_t i = 0; i < WaveformMoments::kMarks; ++i)
    markers += i < opening.marks.size() ? fmt::format(" {}", opening.marks[i].picoseconds) : " -1";
  line(markers);
  for (std::size_t i = 0; i < opening.marks.size(); ++i)
    line(fmt::format("[markername] {}{}", static_cast<char>('A' + i), opening.marks[i].name));
}

void SaveFile::begin_group(const std::string& name, bool open) {
  line(fmt::format("@{:x}", kGroupBegin | kBlank | (open ? 0 : kClosed)));
  line(fmt::format("-{}", name));
  groups_.emplace_back(name, open);
}

void SaveFile::end_group() {
  const auto [name, open] = groups_.back();
  groups_.pop_back();
  line(fmt::format("@{:x}", kGroupEnd | kBlank | (open ? 0 : kClosed | kCollapsed)));
  line(fmt::format("-{}", name));
}

void SaveFile::write_translation(const WaveformSignal& signal) {
  // GTKWave matches on all hexadecimal digits of the signal's width.
  const Table wanted{signal.text, (signal.width + 3) / 4};
  const auto found = std::find(tables_.begin(), tables_.end(), wanted);
  const auto number = found - tables_.begin() + 1;
  const auto file = std::filesystem::path(path_).replace_extension(fmt::format(".{}.txt", number));
  if (found == tables_.end()) {
    tables_.push_back(wanted);
    std::string text = "# value text\n";
    for (std::size_t value = 0; value < signal.text->size(); ++value) {
      fmt::format_to(std::back_inserter(text), "{:0{}x} {}\n", value, wanted.second, (*signal.text)[value]);
    }
    write_file_atomically(file, text);
  }
  line(fmt::format("^{} {}", number, absolute(file)));
}

void SaveFile::write_trace(const Trace& trace) {
  const WaveformSignal& signal = *trace.signal;
  line(fmt::format("@{:x}", radix_flag(signal.radix) | kRightJustified));
  if (signal.text != nullptr) write_translation(signal);
  line(fmt::format("[color] {}", colour(signal)));
  line(fmt::format("+{{{}}} {}", trace.label, trace_name(signal)));
}

void SaveFile::write(const std::filesystem::path& waveform, const std::vector<Trace>& traces,
                     const WaveformOpening& opening) {
  line(fmt::format("[dumpfile] \"{}\"", absolute(waveform)));
  line(fmt::format("[savefile] \"{}\"", absolute(path_)));
  line(fmt::format("[size] {} {}", kWidth, kHeight));
  line("[pos] -1 -1");
  write_opening(opening);
  line("[treeopen] machine.");
  line("[sst_expanded] 0");
  line(fmt::format("[signals_width] {}", kLabels));
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto& groups = traces[i].place.groups;
    std::size_t same = 0;
    while (same < groups_.size() && same < groups.size() && groups_[same].first == groups[same]) ++same;
    while (groups_.size() > same) end_group();
    for (; same < groups.size(); ++same) {
      // An outer group is open if anything in it is.
      bool open = false;
      const auto inside = [&](const Trace& other) {
        return other.place.groups.size() > same &&
               std::equal(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(same) + 1,
                          other.place.groups.begin());
      };
      for (std::size_t j = i; j < traces.size() && inside(traces[j]); ++j) open |= traces[j].place.open;
      begin_group(groups[same], open);
    }
    write_trace(traces[i]);
  }
  while (!groups_.empty()) end_group();
  write_file_atomically(path_, out_);
}

}  // namespace

std::filesystem::path gtkwave_save_file(const std::filesystem::path& waveform) {
  if (is_written_through(waveform)) return {};
  std::filesystem::path file = waveform;
  if (const auto ending = file.extension(); ending == ".gz" || ending == ".zst") file.replace_extension();
  return file.replace_extension(".gtkw");
}

void write_gtkwave_save(const std::filesystem::path& save_file, const std::filesystem::path& vcd,
                        const std::vector<WaveformSignal>& signals,
                        const std::function<WaveformPlace(std::string_view scope)>& place_of,
                        const WaveformOpening& opening) {
  SaveFile(save_file).write(vcd, arranged(signals, place_of), opening);
}

}  // namespace heddle
