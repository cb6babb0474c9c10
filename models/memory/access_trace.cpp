// SPDX-License-Identifier: Apache-2.0
#include "memory/access_trace.h"

#include <array>
#include <charconv>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/names.h"

namespace heddle::memory {
namespace {

enum Column : unsigned { kCycle, kKind, kAddress, kBytes, kPort, kSource, kHint, kColumns };

struct ColumnName {
  const char* name;
  Column column;
  bool needed;
};
constexpr std::array<ColumnName, kColumns + 1> kNames = {{{"cycle", kCycle, false},
                                                          {"kind", kKind, true},
                                                          {"address", kAddress, true},
                                                          {"bytes", kBytes, true},
                                                          {"port", kPort, false},
                                                          {"sm", kPort, false},
                                                          {"source", kSource, false},
                                                          {"hint", kHint, false}}};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class TraceParser {
 public:
  TraceParser(std::string_view text, const std::string& origin, unsigned ports)
      : rest_(text), origin_(origin), ports_(ports) {}

  std::vector<TraceAccess> parse() {
    std::string_view line;
    if (!next_line(line)) {
      fail(ExitCode::configuration,
           "{}: not a trace: the first line must name the columns, as in cycle,kind,address,bytes", origin_);
    }
    header(line);
    std::vector<TraceAccess> accesses;
    while (next_line(line)) accesses.push_back(access(line));
    if (accesses.empty()) fail(ExitCode::configuration, "{}: has a header but no accesses", origin_);
    return accesses;
  }

 private:
  /// The next line that is neither empty nor a comment.
  bool next_line(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++line_;
      if (!line.empty() && line.front() != '#') return true;
    }
    return false;
  }

  /// The next field of a line; false at its end.
  static bool next_field(std::string_view& line, bool& more, std::string_view& field) {
    if (!more) return false;
    const std::size_t comma = line.find(',');
    field = trimmed(line.substr(0, comma));
    more = comma != std::string_view::npos;
    line.remove_prefix(more ? comma + 1 : line.size());
    return true;
  }

  void header(std::string_view line) {
    std::array<bool, kColumns> present{};
    bool more = true;
    for (std::string_view field; next_field(line, more, field);) {
      const ColumnName* found = nullptr;
      for (const ColumnName& one : kNames) {
        if (field == one.name) found = &one;
      }
      if (found == nullptr) {
        std::vector<std::string> legal;
        for (const ColumnName& one : kNames) legal.emplace_back(one.name);
        const std::string hint = nearest_hint(excerpt(field), legal);
        fail(ExitCode::configuration,
             "{}:{}: column {} has unknown name '{}'{} Columns are cycle, kind, address, bytes, port (or sm), source, "
             "hint",
             origin_, line_, columns_.size() + 1, excerpt(field), hint.empty() ? "." : hint);
      }
      if (present[found->column]) {
        fail(ExitCode::configuration, "{}:{}: column {} ({}) is a duplicate", origin_, line_, columns_.size() + 1,
             field);
      }
      present[found->column] = true;
      columns_.push_back(found);
    }
    for (const ColumnName& one : kNames) {
      if (one.needed && !present[one.column])
        fail(ExitCode::configuration, "{}:{}: column '{}' is missing: a trace needs kind, address and bytes", origin_,
             line_, one.name);
    }
  }

  TraceAccess access(std::string_view line) {
    TraceAccess access;
    bool more = true;
    std::size_t i = 0;
    for (std::string_view field; next_field(line, more, field); ++i) {
      if (i == columns_.size()) {
        fail(ExitCode::configuration, "{}:{}: column {} ('{}') has no name: the first line names {} columns", origin_,
             line_, i + 1, excerpt(field), columns_.size());
      }
      set(access, i, field);
    }
    if (i != columns_.size()) {
      fail(ExitCode::configuration, "{}:{}: column {} ({}) is missing: the line has {} of {} columns", origin_, line_,
           i + 1, columns_[i]->name, i, columns_.size());
    }
    return access;
  }

  void set(TraceAccess& access, std::size_t column, std::string_view field) {
    switch (columns_[column]->column) {
      case kCycle:
        access.at = field.empty() ? 0 : number(column, field, 0, kNever - 1);
        break;
      case kKind:
        access.kind = kind(column, field);
        break;
      case kAddress:
        access.address = number(column, field, 0, ~std::uint64_t{0} - kMaxTraceBytes);
        break;
      case kBytes:
        access.bytes = static_cast<std::uint32_t>(number(column, field, 1, kMaxTraceBytes));
        break;
      case kPort:
        access.port = SmId(field.empty() ? 0 : number(column, field, 0, ports_ - 1));
        break;
      case kSource:
        access.source = WarpId(field.empty() ? 0 : number(column, field, 0, 65535));
        break;
      default:
        access.hint = !field.empty() && number(column, field, 0, 1) != 0;
    }
  }

  TraceKind kind(std::size_t column, std::string_view field) const {
    if (field == "read") return TraceKind::read;
    if (field == "write") return TraceKind::write;
    if (field == "atomic") return TraceKind::atomic;
    if (field == "reduction") return TraceKind::reduction;
    fail(ExitCode::configuration, "{}:{}: column {} (kind) is '{}'; legal: read, write, atomic, reduction", origin_,
         line_, column + 1, excerpt(field));
  }

  std::uint64_t number(std::size_t column, std::string_view field, std::uint64_t least, std::uint64_t most) const {
    const bool hexadecimal = field.size() > 2 && field[0] == '0' && (field[1] == 'x' || field[1] == 'X');
    const std::string_view digits = hexadecimal ? field.substr(2) : field;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    if (error == std::errc::invalid_argument || (error == std::errc() && end != digits.data() + digits.size())) {
      fail(ExitCode::configuration, "{}:{}: column {} ({}) is '{}'; expected a number, decimal or hexadecimal with 0x",
           origin_, line_, column + 1, columns_[column]->name, excerpt(field));
    }
    if (error != std::errc() || value < least || value > most) {
      fail(ExitCode::configuration, "{}:{}: column {} ({}) is {}; legal: {} to {}", origin_, line_, column + 1,
           columns_[column]->name, excerpt(field), least, most);
    }
    return value;
  }

  std::string_view rest_;
  const std::string& origin_;
  const unsigned ports_;
  std::size_t line_ = 0;
  std::vector<const ColumnName*> columns_;
};

}  // namespace

std::vector<TraceAccess> parse_access_trace(std::string_view text, const std::string& origin, unsigned ports) {
  return TraceParser(text, origin, ports).parse();
}

std::string read_trace_file(const std::filesystem::path& file) { return read_file(file); }

}  // namespace heddle::memory
