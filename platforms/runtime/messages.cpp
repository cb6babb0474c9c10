// SPDX-License-Identifier: Apache-2.0
#include "runtime/messages.h"

#include <cstdio>
#include <set>

namespace heddle::runtime {
namespace {

void say(const char* kind, const std::string& message) {
  // Never destroyed, as exit handlers may print messages.
  static auto& said = *new std::set<std::string>;
  if (!said.insert(message).second) return;
  std::fflush(stdout);
  std::fprintf(stderr, "heddle: %s: %s\n", kind, message.c_str());
}

}  // namespace

void say_error(const std::string& message) { say("error", message); }
void say_note(const std::string& message) { say("note", message); }

}  // namespace heddle::runtime
