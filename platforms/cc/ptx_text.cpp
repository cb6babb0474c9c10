// SPDX-License-Identifier: Apache-2.0
#include "cc/ptx_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace heddle::cc {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.'; }

template <typename Edit>
std::string edit_lines(const std::string& text, Edit edit) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t newline = text.find('\n', start);
    const std::size_t end = newline == std::string::npos ? text.size() : newline;
    edit(std::string_view(text).substr(start, end - start), out);
    if (newline != std::string::npos) out += '\n';
    start = end + 1;
  }
  return out;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) line.remove_prefix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
  return line;
}

// Skips the linking directive. The remainder starts with .entry, .func, .global, .const or something else.
std::string_view without_linkage(std::string_view line) {
  for (std::string_view directive : {".visible ", ".weak ", ".extern ", ".common "}) {
    if (line.starts_with(directive)) return trimmed(line.substr(directive.size()));
  }
  return line;
}

// The name declared after .func or .entry, following an optional return parameter in parentheses.
std::string function_name(std::string_view rest) {
  rest = trimmed(rest);
  if (rest.starts_with("(")) rest = trimmed(rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1));
  std::size_t end = 0;
  while (end < rest.size() && is_name(rest[end])) ++end;
  return std::string(rest.substr(0, end));
}

// The name declared by a variable's line: the last word before its bounds, initialiser or end.
std::string variable_name(std::string_view line) {
  const std::size_t end_of_name = line.find_first_of("[=;");
  line = trimmed(line.substr(0, end_of_name));
  std::size_t start = line.size();
  while (start > 0 && is_name(line[start - 1])) --start;
  return std::string(line.substr(start));
}

// Whether the modifiers after an opcode ("global.f32", "v4.u32") lack a cache operator.
bool states_no_operator(std::string_view modifiers) {
  for (std::string_view space : {"global."}) {
    if (modifiers.starts_with(space)) modifiers.remove_prefix(space.size());
  }
  if (modifiers.starts_with("v2.") || modifiers.starts_with("v4.")) modifiers.remove_prefix(3);
  return modifiers.size() > 1 && contains("bsuf", modifiers.substr(0, 1)) &&
         std::isdigit(static_cast<unsigned char>(modifiers[1])) != 0;
}

// "__static__0123456789abcdef": the suffix clang appends to a name.
constexpr std::size_t kMarkLength = 26;
bool is_mark(std::string_view text, std::size_t at) {
  if (text[at] != '_' || text.size() - at < kMarkLength) return false;
  const std::string_view mark = text.substr(at, kMarkLength);
  if (!mark.starts_with("__static__") && !mark.starts_with("__intern__")) return false;
  return mark.substr(10).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string with_register_limit(const std::string& ptx, int registers) {
  bool in_header = false;
  bool bounded = false;
  return edit_lines(ptx, [&](std::string_view line, std::string& out) {
    const std::string_view text = trimmed(line);
    if (without_linkage(text).starts_with(".entry ")) {
      in_header = true;
      bounded = false;
    }
    if (in_header &&
        (text.starts_with(".maxntid") || text.starts_with(".reqntid") || text.starts_with(".minnctapersm"))) {
      bounded = true;
    }
    if (in_header && text.starts_with("{")) {
      if (!bounded) out += fmt::format(".maxnreg {}\n", registers);
      in_header = false;
    }
    out += line;
  });
}

std::string with_cache_operators(const std::string& ptx, const std::string& load, const std::string& store) {
  return edit_lines(ptx, [&](std::string_view line, std::string& out) {
    for (const auto& [opcode, cache_operator] :
         {std::pair<std::string_view, const std::string*>{"ld.", &load}, {"st.", &store}}) {
      if (cache_operator->empty()) continue;
      // The opcode is first in the line or follows a guard predicate.
      std::string_view text = trimmed(line);
      if (text.starts_with("@")) text = trimmed(text.substr(std::min(text.find_first_of(" \t"), text.size())));
      if (!text.starts_with(opcode)) continue;
      std::string_view modifiers = text.substr(opcode.size());
      if (!states_no_operator(modifiers)) continue;
      std::size_t at = static_cast<std::size_t>(modifiers.data() - line.data());
      if (modifiers.starts_with("global.")) at += std::string_view("global.").size();
      out += line.substr(0, at);
      out += *cache_operator + ".";
      out += line.substr(at);
      return;
    }
    out += line;
  });
}

std::string with_local_names(const std::string& ptx) {
  std::set<std::string> local;
  std::string plain;
  plain.reserve(ptx.size());
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t mark = is_mark(ptx, at) ? kMarkLength : 0;
    if (mark != 0) {
      std::size_t start = plain.size();
      while (start > 0 && is_name(plain[start - 1])) --start;
      local.insert(plain.substr(start));
    } else {
      plain += ptx[at];
    }
    at += mark != 0 ? mark : 1;
  }
  if (local.empty()) return ptx;
  return edit_lines(plain, [&](std::string_view line, std::string& text) {
    const std::string_view declaration = without_linkage(line);
    if (declaration.size() == line.size()) {
      text += line;
      return;
    }
    const bool function = declaration.starts_with(".entry ") || declaration.starts_with(".func ");
    const std::string name =
        function ? function_name(declaration.substr(declaration.find(' '))) : variable_name(declaration);
    if (local.count(name) == 0) {
      text += line;
    } else if (!line.starts_with(".extern ")) {
      text += declaration;
    }
  });
}

DeviceSymbols device_symbols(const std::string& ptx) {
  DeviceSymbols symbols;
  int depth = 0;
  edit_lines(ptx, [&](std::string_view line, std::string&) {
    const std::string_view text = trimmed(line);
    if (text.starts_with("//")) return;
    const bool at_top = depth == 0;
    // Braces of initialisers open and close on the same line, so counting all braces is correct.
    for (char c : text) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    const std::string_view declaration = without_linkage(text);
    if (!at_top || declaration.size() == text.size()) return;
    const bool function = declaration.starts_with(".entry ") || declaration.starts_with(".func ");
    const bool variable = declaration.starts_with(".global ") || declaration.starts_with(".const ");
    if (!function && !variable) return;  // dynamic shared memory has no definition anywhere
    const std::string name =
        function ? function_name(declaration.substr(declaration.find(' '))) : variable_name(declaration);
    (text.starts_with(".extern ") ? symbols.undefined : symbols.defined).insert(name);
    if (text.starts_with(".visible ")) symbols.strong.insert(name);
  });
  for (const std::string& name : symbols.defined) symbols.undefined.erase(name);
  return symbols;
}

}  // namespace heddle::cc
