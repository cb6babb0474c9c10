// SPDX-License-Identifier: Apache-2.0
// The device link: the step that joins the PTX modules of several objects. The modules stay apart as text; the runtime
// library links them when the program starts (the format is described in device_link.cpp, in the source it generates).
#pragma once

#include <string>
#include <vector>

#include "cc/object_file.h"

namespace heddle::cc {

/// Modules that need a registration function: those of `objects` whose identifier has none yet. Fails (kUsage) when a
/// device symbol that one of them uses is defined in none, or when two define the same one.
std::vector<DeviceModule> modules_to_link(const DeviceObjects& objects);

/// C++ source that registers `modules` with the runtime library. Text i is taken from file `text_files[i]` by the
/// assembler. With no modules, a source that defines nothing.
std::string registration_source(const std::vector<DeviceModule>& modules, const std::vector<std::string>& text_files);

}  // namespace heddle::cc
