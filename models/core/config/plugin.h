// SPDX-License-Identifier: Apache-2.0
// Mechanisms from outside: a shared library that registers them as it is loaded.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Loads shared libraries, in order; what they register stays until the process ends. Fails with kConfiguration, in the
/// words of the host's loader, when one cannot be loaded. Before a configuration names what they register.
/// Fails in the same way when one registers a name that is taken.
void load_plugins(const std::vector<std::string>& files);

/// While a plugin is being loaded, makes load_plugins() fail with this message, since an exception must not leave the
/// host's loader. False when none is.
bool note_plugin_problem(const std::string& message);

}  // namespace heddle
