// SPDX-License-Identifier: Apache-2.0
#include "core/excerpt.h"

namespace heddle {

std::string excerpt(std::string_view text, std::size_t most) {
  std::string beginning(text.substr(0, most));
  for (char& c : beginning) {
    if (c < ' ' || c > '~') c = '?';
  }
  return beginning.size() < text.size() ? beginning + "..." : beginning;
}

std::string json_reason(std::string_view what) {
  constexpr std::size_t kMost = 200;
  // The library's message is "[id] parse error at line l, column c: reason", and the reason quotes the last token,
  // which may be half the file.
  if (const auto at = what.find(": "); at != std::string_view::npos) what.remove_prefix(at + 2);
  return excerpt(what, kMost);
}

}  // namespace heddle
