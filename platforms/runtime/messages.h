// SPDX-License-Identifier: Apache-2.0
// Messages to the user: on standard error, every line prefixed, each message printed once.
#pragma once

#include <string>

namespace heddle::runtime {

/// "heddle: error: ..." Repeated messages are suppressed.
void say_error(const std::string& message);
/// "heddle: note: ..."
void say_note(const std::string& message);

}  // namespace heddle::runtime
