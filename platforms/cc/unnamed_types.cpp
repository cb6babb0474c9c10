// SPDX-License-Identifier: Apache-2.0
#include "cc/unnamed_types.h"

#include <array>
#include <cctype>

#include "cc/ir_text.h"

namespace heddle::cc {

namespace {

constexpr std::array<std::string_view, 3> kKinds{"struct", "union", "class"};
constexpr std::string_view kInternal = "internal ";

/// The first character that is no space, from `at` on; the length of the text: none.
std::size_t after_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

/// Whether a declaration that begins with `text` is of a type without a name.
bool begins_unnamed(std::string_view text) {
  const std::string_view specifiers = text.substr(0, text.find_first_of(";(=){}"));
  for (const std::string_view kind : kKinds) {
    const std::size_t at = specifiers.rfind(kind);
    if (at == std::string_view::npos) continue;
    if (const std::size_t next = after_spaces(text, at + kind.size()); next < text.size() && text[next] == '{')
      return true;
  }
  return false;
}

/// Whether a line of IR defines a variable of global or constant memory with internal linkage and such a type.
bool defines_unnamed(std::string_view line) {
  constexpr std::string_view kLinkage = " = internal addrspace(";
  if (!line.starts_with('@')) return false;
  const std::size_t at = line.find(kLinkage);
  if (at == std::string_view::npos) return false;
  const char space = line[at + kLinkage.size()];
  if (space != '1' && space != '4') return false;
  for (const std::string_view kind : kKinds) {
    if (line.find("%" + std::string(kind) + ".anon") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool may_have_unnamed_types(std::string_view source) {
  for (const std::string_view space : {"__constant__", "__device__", "__managed__"}) {
    for (std::size_t at = source.find(space); at != std::string_view::npos; at = source.find(space, at)) {
      at += space.size();
      if (begins_unnamed(source.substr(at))) return true;
    }
  }
  return false;
}

std::string with_visible_variables(std::string_view ir) {
  std::string text;
  text.reserve(ir.size());
  for_each_line(ir, [&](std::string_view line) {
    std::string changed(line);
    if (defines_unnamed(line)) {
      changed.erase(changed.find(kInternal), kInternal.size());
      changed.insert(changed.find(')') + 1, " externally_initialized");
    }
    text += changed + '\n';
  });
  return text;
}

}  // namespace heddle::cc
