// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/scopes.h"

namespace heddle::isa {
namespace {

// Parses the index of a register in a range: decimal, no leading zeros.
bool member_number(std::string_view digits, std::uint64_t& out) {
  if (digits.empty() || digits.size() > 10 || (digits[0] == '0' && digits.size() > 1)) return false;
  out = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    out = out * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

}  // namespace

const ScopeEntry* Scopes::find(std::string_view name, Id scope) {
  for (Id id = scope;; id = scopes_[id].parent) {
    Scope& s = scopes_[id];
    if (const auto found = s.names.find(name); found != s.names.end()) return &found->second;
    for (const Range& range : s.ranges) {
      std::uint64_t number = 0;
      if (!name.starts_with(range.prefix) || !member_number(name.substr(range.prefix.size()), number)) continue;
      if (number >= range.count) continue;
      const ScopeEntry entry{range.elements > 1 ? ScopeEntry::Kind::vector_register : ScopeEntry::Kind::reg,
                             add_register(name, range.storage, range.elements), range.elements};
      return &s.names.emplace(name, entry).first->second;
    }
    if (id == 0) return nullptr;
  }
}

}  // namespace heddle::isa
