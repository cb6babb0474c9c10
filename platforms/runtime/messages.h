// SPDX-License-Identifier: Apache-2.0
// What the model says to the user: on standard error, every line marked, every message once.
#pragma once

#include <string>

namespace heddle::runtime {

/// "heddle: error: ..." Nothing when the same was said before.
void say_error(const std::string& message);
/// "heddle: note: ..."
void say_note(const std::string& message);

}  // namespace heddle::runtime
