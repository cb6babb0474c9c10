// SPDX-License-Identifier: Apache-2.0
// The GTKWave save file of a waveform: nested groups, labels, radix and colour by kind of signal, codes translated to
// text, the moment shown first and named markers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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
unsigned colour(const WaveformSignal& signal) {
  if (signal.text != nullptr) return 3;
  if (signal.pulse) return 2;
  return signal.radix == Radix::decimal || signal.radix == Radix::count ? 5 : 4;
}

/// A name as in the waveform.
void add_name(std::string& text, std::string_view name) {
  const std::size_t first = text.size();
  text += name;
  for (std::size_t i = first; i < text.size(); ++i) {
    char& c = text[i];
    if (c <= ' ' || c == '[' || c == ']' || c == '$') c = '_';
  }
}

/// What the scopes of a module, or of the entries of a structure, have in common.
struct Module {
  std::string path;
  bool entry = false;  ///< of a structure
  WaveformPlace place;
};

/// The signals of a scope, which are next to each other in the view.
struct Scope {
  std::size_t first = 0, end = 0;  ///< of its signals
  std::size_t module = 0;
  std::string label;  ///< the parts of its path that the groups do not say
};

/// The traces in the order of the view.
struct View {
  std::vector<Module> modules;
  std::vector<Scope> scopes;

  const WaveformPlace& place(const Scope& scope) const { return modules[scope.module].place; }
};

/// Whether the word, or words, are in a text between spaces.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

/// The parts of a dotted name that the groups do not already say, with spaces: GTKWave shows only what follows the last
/// dot.
std::string unsaid(std::string_view name, const std::vector<std::string>& groups) {
  const auto said = [&groups](std::string_view part) {
    return std::any_of(groups.begin(), groups.end(), [part](std::string_view group) { return has_word(group, part); });
  };
  std::string text;
  for (std::string_view rest = name;; rest.remove_prefix(rest.find('.') + 1)) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    if (!said(part)) (text += text.empty() ? "" : " ") += part;
    if (part.size() == rest.size()) return text;
  }
}

/// path: of the module, or of the structure whose entry it is.
Module module_of(const WaveformSignal& signal, std::string_view path,
                 const std::function<WaveformPlace(std::string_view)>& place_of) {
  Module module{std::string(path), signal.entry, {}};
  if (!place_of) {
    module.place = {{}, 0, {signal.scope}, true};
    return module;
  }
  module.place = place_of(signal.scope);
  if (signal.entry) {
    module.place.groups.push_back(unsaid(path, module.place.groups));
    module.place.open = false;
  }
  return module;
}

/// Entries of a structure form a group of their own, after the other signals.
View arranged(const std::vector<WaveformSignal>& signals,
              const std::function<WaveformPlace(std::string_view)>& place_of) {
  View view;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const WaveformSignal& signal = signals[i];
    if (i == 0 || signal.scope != signals[i - 1].scope || signal.entry != signals[i - 1].entry) {
      std::string_view path = signal.scope;
      if (signal.entry && place_of) path = path.substr(0, path.rfind('.'));
      if (view.modules.empty() || view.modules.back().path != path || view.modules.back().entry != signal.entry)
        view.modules.push_back(module_of(signal, path, place_of));
      Scope scope{i, i, view.modules.size() - 1, {}};
      const auto& groups = view.modules.back().place.groups;
      if (place_of && !groups.empty()) scope.label = unsaid(signal.scope, groups);
      view.scopes.push_back(std::move(scope));
    }
    view.scopes.back().end = i + 1;
  }
  const auto key = [&view](const Scope& s) {
    const Module& module = view.modules[s.module];
    return std::tie(module.place.order, module.entry, module.place.within, s.first);
  };
  std::sort(view.scopes.begin(), view.scopes.end(), [&](const Scope& a, const Scope& b) { return key(a) < key(b); });
  // Groups that start open are those that matter while there is room, or all if there is room for all.
  std::size_t shown = 0;
  bool any = false;
  for (std::size_t first = 0, end = 0; first < view.scopes.size(); first = end) {
    const WaveformPlace& place = view.place(view.scopes[first]);
    std::size_t count = 0;
    for (; end < view.scopes.size() && view.place(view.scopes[end]).groups == place.groups; ++end)
      count += view.scopes[end].end - view.scopes[end].first;
    const bool fits = shown + count <= kOpenTraces || !any;
    const bool open = signals.size() <= kOpenTraces || (place.open && fits);
    for (std::size_t i = first; i < end; ++i) view.modules[view.scopes[i].module].place.open = open;
    if (open) shown += count;
    any |= open && !place.groups.empty();
  }
  return view;
}

class SaveFile {
 public:
  explicit SaveFile(std::filesystem::path path) : path_(std::move(path)) {}

  void write(const std::filesystem::path& waveform, const std::vector<WaveformSignal>& signals, const View& view,
             const WaveformOpening& opening);

 private:
  /// Texts of the values of a signal.
  struct Table {
    const TextTable* texts;
    unsigned digits;   ///< hexadecimal ones of a value
    std::string line;  ///< names its file
  };

  static std::string absolute(const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  }
  void line(const std::string& text) { (out_ += text) += '\n'; }
  void write_opening(const WaveformOpening& opening);
  void begin_group(const std::string& name, bool open);
  void end_group();
  void write_trace(const Scope& scope, const WaveformSignal& signal);
  const Table& translation(const WaveformSignal& signal);

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

const SaveFile::Table& SaveFile::translation(const WaveformSignal& signal) {
  // GTKWave matches on all hexadecimal digits of the signal's width.
  const unsigned digits = (signal.width + 3) / 4;
  for (const Table& table : tables_) {
    if (table.texts == signal.text && table.digits == digits) return table;
  }
  const std::size_t number = tables_.size() + 1;
  const auto file = std::filesystem::path(path_).replace_extension(fmt::format(".{}.txt", number));
  std::string text = "# value text\n";
  for (std::size_t value = 0; value < signal.text->size(); ++value) {
    fmt::format_to(std::back_inserter(text), "{:0{}x} {}\n", value, digits, (*signal.text)[value]);
  }
  write_file_atomically(file, text);
  tables_.push_back({signal.text, digits, fmt::format("^{} {}\n", number, absolute(file))});
  return tables_.back();
}

void SaveFile::write_trace(const Scope& scope, const WaveformSignal& signal) {
  // There are thousands: no formatting calls.
  const auto add = [this](std::uint64_t number, int base) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, number, base).ptr);
  };
  out_ += '@';
  add(radix_flag(signal.radix) | kRightJustified, 16);
  out_ += '\n';
  if (signal.text != nullptr) out_ += translation(signal).line;
  out_ += "[color] ";
  add(colour(signal), 10);
  out_ += "\n+{";
  out_ += scope.label;
  if (!scope.label.empty()) out_ += ' ';
  out_ += signal.name;
  if (signal.radix == Radix::count) out_ += " (count)";
  out_ += "} machine.";
  add_name(out_, signal.scope);
  out_ += '.';
  add_name(out_, signal.name);
  if (signal.width != 1) {
    out_ += '[';
    add(signal.width - 1, 10);
    out_ += ":0]";
  }
  out_ += '\n';
}

void SaveFile::write(const std::filesystem::path& waveform, const std::vector<WaveformSignal>& signals,
                     const View& view, const WaveformOpening& opening) {
  line(fmt::format("[dumpfile] \"{}\"", absolute(waveform)));
  line(fmt::format("[savefile] \"{}\"", absolute(path_)));
  line(fmt::format("[size] {} {}", kWidth, kHeight));
  line("[pos] -1 -1");
  write_opening(opening);
  line("[treeopen] machine.");
  line("[sst_expanded] 0");
  line(fmt::format("[signals_width] {}", kLabels));
  const std::vector<Scope>& scopes = view.scopes;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const auto& groups = view.place(scopes[i]).groups;
    std::size_t same = 0;
    while (same < groups_.size() && same < groups.size() && groups_[same].first == groups[same]) ++same;
    while (groups_.size() > same) end_group();
    for (; same < groups.size(); ++same) {
      // An outer group is open if anything in it is.
      bool open = false;
      const auto inside = [&](const Scope& other) {
        const auto& those = view.place(other).groups;
        return those.size() > same &&
               std::equal(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(same) + 1, those.begin());
      };
      for (std::size_t j = i; j < scopes.size() && inside(scopes[j]); ++j) open |= view.place(scopes[j]).open;
      begin_group(groups[same], open);
    }
    for (std::size_t s = scopes[i].first; s < scopes[i].end; ++s) write_trace(scopes[i], signals[s]);
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
  SaveFile(save_file).write(vcd, signals, arranged(signals, place_of), opening);
}

}  // namespace heddle
