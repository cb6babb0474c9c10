// SPDX-License-Identifier: Apache-2.0
#include "cc/inlined_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "cc/ir_text.h"

namespace heddle::cc {
namespace {

constexpr std::size_t kMostColumns = 65'535;  // 16 bits in LLVM
/// Nodes followed before the metadata are taken to be circular.
constexpr unsigned kDeepest = 1'000;

/// A metadata node: its kind ("DILocation") and the values of its fields, without quotes.
struct Node {
  std::string_view kind;
  std::map<std::string_view, std::string_view> fields;
  std::string_view operator[](std::string_view name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : found->second;
  }
};

/// A line "!12 = distinct !DILocation(line: 3, scope: !4)": the number and the node; empty if it is none of the kinds
/// wanted here.
std::string_view parse_node(std::string_view line, Node& node) {
  if (!line.starts_with('!')) return {};
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return {};
  std::string_view rest = line.substr(equals + 3);
  if (rest.starts_with("distinct ")) rest.remove_prefix(9);
  if (!rest.starts_with("!DI")) return {};
  const std::size_t open = rest.find('(');
  if (open == std::string_view::npos) return {};
  node.kind = rest.substr(1, open - 1);
  node.fields.clear();
  rest.remove_prefix(open + 1);
  while (!rest.empty() && rest.front() != ')') {
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) break;
    const std::string_view name = rest.substr(0, colon);
    rest.remove_prefix(colon + 2);
    std::size_t end = 0;
    if (rest.starts_with('"')) {
      end = std::min(rest.find('"', 1), rest.size() - 1) + 1;
      node.fields[name] = rest.substr(1, end - 2);
    } else {
      end = std::min(rest.find_first_of(",)"), rest.size());
      node.fields[name] = rest.substr(0, end);
    }
    rest.remove_prefix(end);
    if (rest.starts_with(", ")) rest.remove_prefix(2);
  }
  return line.substr(0, equals);
}

std::uint32_t number_of(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Resolves the \xx escapes of a string in LLVM IR.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const bool escape = text[i] == '\\' && i + 2 < text.size() &&
                        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3;
    out += escape ? static_cast<char>(value) : text[i];
    if (escape) i += 2;
  }
  return out;
}

/// The metadata that locations refer to.
class Metadata {
 public:
  explicit Metadata(std::string_view ir) {
    Node node;
    for_each_line(ir, [&](std::string_view line) {
      const std::string_view name = parse_node(line, node);
      if (name.empty()) return;
      if (node.kind == "DIFile" || node.kind == "DISubprogram" || node.kind.starts_with("DILexicalBlock"))
        nodes_.emplace(name, node);
    });
  }
  /// The path as the back end writes it into .file.
  std::string file_of(std::string_view scope) const {
    const Node* const file = find(field(scope, "file"));
    if (file == nullptr) return {};
    const std::string name = unescaped((*file)["filename"]), folder = unescaped((*file)["directory"]);
    return name.starts_with('/') || folder.empty() ? name : folder + "/" + name;
  }
  std::string function_of(std::string_view scope) const {
    for (unsigned depth = 0; depth < kDeepest; ++depth) {
      const Node* const node = find(scope);
      if (node == nullptr) return {};
      if (node->kind == "DISubprogram") return unescaped((*node)["name"]);
      scope = (*node)["scope"];
    }
    return {};
  }

 private:
  const Node* find(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : &found->second;
  }
  std::string_view field(std::string_view name, std::string_view of) const {
    const Node* const node = find(name);
    return node == nullptr ? std::string_view() : (*node)[of];
  }
  std::unordered_map<std::string_view, Node> nodes_;
};

/// "\t.loc\t1 2 3": the three numbers. False for another line.
bool parse_location(std::string_view line, std::uint32_t (&numbers)[3]) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !line.substr(begin).starts_with(".loc")) return false;
  line.remove_prefix(begin + 4);
  for (std::uint32_t& number : numbers) {
    const std::size_t digit = line.find_first_not_of(" \t");
    if (digit == std::string_view::npos) return false;
    const auto [end, error] = std::from_chars(line.data() + digit, line.data() + line.size(), number);
    if (error != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return true;
}

}  // namespace

InlinedLines::InlinedLines(const std::string& ir) {
  const Metadata metadata(ir);
  Node node;
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<std::string_view> calls;
  for_each_line(ir, [&](std::string_view line) {
    const std::string_view name = parse_node(line, node);
    if (name.empty() || node.kind != "DILocation" || places_.size() == kMostColumns) return;
    index.emplace(name, places_.size());
    places_.push_back({metadata.file_of(node["scope"]), metadata.function_of(node["scope"]), number_of(node["line"]),
                       number_of(node["column"]), kNone});
    calls.push_back(node["inlinedAt"]);
  });
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto found = index.find(calls[i]);
    if (found != index.end()) places_[i].call = found->second;
  }
  numbered_.reserve(ir.size() + 16 * places_.size());
  for_each_line(ir, [&](std::string_view line) {
    const std::string_view name = parse_node(line, node);
    if (name.empty() || node.kind != "DILocation") {
      numbered_.append(line).append("\n");
      return;
    }
    const auto found = index.find(name);
    numbered_ += fmt::format("{}!DILocation(line: {}, column: {}, scope: {}", line.substr(0, line.find("!DILocation(")),
                             node["line"].empty() ? "0" : node["line"], found == index.end() ? 0 : found->second + 1,
                             node["scope"]);
    if (!node["inlinedAt"].empty()) numbered_.append(", inlinedAt: ").append(node["inlinedAt"]);
    if (!node["isImplicitCode"].empty()) numbered_.append(", isImplicitCode: ").append(node["isImplicitCode"]);
    numbered_ += ")\n";
  });
}

/// Writes one PTX text.
class InlinedLines::Writer {
 public:
  Writer(const std::vector<Place>& places, std::string_view ptx) : places_(places) {
    for_each_line(ptx, [this](std::string_view line) {
      const std::size_t at = line.find(".file"), quote = line.find('"');
      if (at == std::string_view::npos || quote == std::string_view::npos || line.find_first_not_of(" \t") != at)
        return;
      const std::string_view digits = line.substr(line.find_first_not_of(" \t", at + 5));
      const std::uint32_t number = number_of(digits);
      files_.emplace(line.substr(quote + 1, line.rfind('"') - quote - 1), number);
      last_file_ = std::max(last_file_, number);
    });
    out_.reserve(ptx.size() + ptx.size() / 4);
    for_each_line(ptx, [this](std::string_view line) { write(line); });
    for (const auto& [number, path] : new_files_) out_ += fmt::format("\t.file\t{} \"{}\"\n", number, path);
    if (!functions_.empty()) strings();
  }
  std::string take() { return std::move(out_); }

 private:
  void write(std::string_view line) {
    if (line.starts_with('}')) written_.clear();  // the end of a function
    std::uint32_t numbers[3];
    if (!parse_location(line, numbers)) {
      out_.append(line).append("\n");
      return;
    }
    const auto [file, in_line, number] = numbers;
    // A location that the code generator made up has no number, or that of another line.
    if (number == 0 || number > places_.size() || places_[number - 1].line != in_line) {
      out_ += fmt::format("\t.loc\t{} {} 0\n", file, in_line);
      return;
    }
    location(number - 1, file, 0);
  }
  void location(std::size_t index, std::uint32_t file, unsigned depth) {
    const Place& place = places_[index];
    const bool inlined = place.call != kNone && depth < kDeepest;
    // A call is given before what refers to it, once in a function.
    if (inlined && written_.insert(place.call).second)
      location(place.call, file_number(places_[place.call].file), depth + 1);
    out_ += fmt::format("\t.loc\t{} {} {}", file, place.line, place.column);
    if (inlined) {
      const Place& call = places_[place.call];
      const std::size_t label = functions_.emplace(place.function, functions_.size()).first->second;
      out_ += fmt::format(", function_name $L__info_string{}, inlined_at {} {} {}", label, file_number(call.file),
                          call.line, call.column);
    }
    out_ += '\n';
  }
  std::uint32_t file_number(const std::string& path) {
    const auto [found, added] = files_.emplace(path, last_file_ + 1);
    if (added) new_files_.emplace(++last_file_, path);
    return found->second;
  }
  /// The names that the labels stand for.
  void strings() {
    std::map<std::size_t, std::string_view> names;
    for (const auto& [name, label] : functions_) names.emplace(label, name);
    out_ += "\t.section\t.debug_str\n\t{\n";
    for (const auto& [label, name] : names) {
      out_ += fmt::format("$L__info_string{}:\n\t.b8 ", label);
      for (const char c : name) out_ += fmt::format("{},", static_cast<unsigned char>(c));
      out_ += "0\n";
    }
    out_ += "\t}\n";
  }

  const std::vector<Place>& places_;
  std::string out_;
  std::map<std::string, std::uint32_t, std::less<>> files_;
  std::map<std::uint32_t, std::string> new_files_;
  std::uint32_t last_file_ = 0;
  std::map<std::string, std::size_t> functions_;  ///< name: number of its label
  std::set<std::size_t> written_;                 ///< calls given in this function
};

std::string InlinedLines::with_calls(const std::string& ptx) const { return Writer(places_, ptx).take(); }

}  // namespace heddle::cc
