// SPDX-License-Identifier: Apache-2.0
// The GTKWave save file of a waveform: one group per module, radix and colour by kind of signal, codes translated to
// text.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/file.h"
#include "core/trace/vcd.h"

namespace heddle {
namespace {

// Flags of a trace line (GTKWave's analyzer.h), added together.
constexpr unsigned kHexadecimal = 0x2, kDecimal = 0x4, kBinary = 0x8, kRightJustified = 0x20, kBlank = 0x200,
                   kFileTranslated = 0x2000, kCollapsed = 0x1000, kClosed = 0x400000, kGroupBegin = 0x800000,
                   kGroupEnd = 0x1000000;

/// Traces shown initially; groups of further modules start closed.
constexpr std::size_t kOpenTraces = 64;

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
  }
  return kHexadecimal;
}

/// Colours of GTKWave: 1 red, 2 orange, 3 yellow, 4 green, 5 blue, 6 indigo, 7 violet.
int colour(const VcdWriter::Signal& signal) {
  if (signal.text != nullptr) return 3;
  return signal.pulse ? 2 : signal.radix == Radix::decimal ? 5 : 4;
}

std::string trace_name(const VcdWriter::Signal& signal) {
  std::string name = "machine." + signal.scope + "." + signal.name;
  for (char& c : name) {
    if (c <= ' ' || c == '[' || c == ']' || c == '$') c = '_';
  }
  return signal.width == 1 ? name : fmt::format("{}[{}:0]", name, signal.width - 1);
}

}  // namespace

std::filesystem::path gtkwave_save_file(const std::filesystem::path& waveform) {
  if (is_written_through(waveform)) return {};
  std::filesystem::path file = waveform;
  if (const auto ending = file.extension(); ending == ".gz" || ending == ".zst") file.replace_extension();
  return file.replace_extension(".gtkw");
}

void write_gtkwave_save(const std::filesystem::path& save_file, const std::filesystem::path& vcd,
                        const std::vector<VcdWriter::Signal>& signals, std::uint64_t first_picoseconds) {
  const auto absolute = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  using Table = std::pair<const TextTable*, unsigned>;  // and the number of hexadecimal digits of a value
  std::vector<Table> tables;
  std::string out;
  const auto line = [&](const std::string& text) { (out += text) += '\n'; };
  line(fmt::format("[dumpfile] \"{}\"", absolute(vcd).string()));
  line(fmt::format("[savefile] \"{}\"", absolute(save_file).string()));
  line(fmt::format("[timestart] {}", first_picoseconds));
  line("[size] 1600 900");
  line("[pos] -1 -1");
  line("[treeopen] machine.");
  std::string_view scope;
  bool closed = false;
  const auto end_group = [&] {
    if (scope.empty()) return;
    line(fmt::format("@{:x}", kGroupEnd | kBlank | (closed ? kClosed | kCollapsed : 0)));
    line(fmt::format("-{}", scope));
  };
  for (const auto& signal : signals) {
    if (signal.scope != scope) {
      end_group();
      scope = signal.scope;
      closed = static_cast<std::size_t>(&signal - signals.data()) >= kOpenTraces;
      line(fmt::format("@{:x}", kGroupBegin | kBlank | (closed ? kClosed : 0)));
      line(fmt::format("-{}", scope));
    }
    line(fmt::format("@{:x}", radix_flag(signal.radix) | kRightJustified));
    if (signal.text != nullptr) {
      // GTKWave matches on all hexadecimal digits of the signal's width.
      const Table wanted{signal.text, (signal.width + 3) / 4};
      const auto found = std::find(tables.begin(), tables.end(), wanted);
      const auto number = found - tables.begin() + 1;
      const auto file = std::filesystem::path(save_file).replace_extension(fmt::format(".{}.txt", number));
      if (found == tables.end()) {
        tables.push_back(wanted);
        std::string text = "# value text\n";
        for (std::size_t value = 0; value < signal.text->size(); ++value) {
          fmt::format_to(std::back_inserter(text), "{:0{}x} {}\n", value, wanted.second, (*signal.text)[value]);
        }
        write_file_atomically(file, text);
      }
      line(fmt::format("^{} {}", number, absolute(file).string()));
    }
    line(fmt::format("[color] {}", colour(signal)));
    line(trace_name(signal));
  }
  end_group();
  write_file_atomically(save_file, out);
}

}  // namespace heddle
