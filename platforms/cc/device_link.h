// SPDX-License-Identifier: Apache-2.0
// The device link, which joins the PTX modules of several objects. The modules remain separate texts; the runtime
// library links them at program start (device_link.cpp describes the format in the source it generates).
#pragma once

#include <string>
#include <vector>

#include "cc/object_file.h"

namespace heddle::cc {

/// Modules of `objects` that do not have a registration function yet. Fails (kUsage) for undefined or multiply defined
/// device symbols.
std::vector<DeviceModule> modules_to_link(const DeviceObjects& objects);

/// C++ source that registers `modules` with the runtime library. The assembler includes text i from file
/// `text_files[i]`. Without modules, the source defines nothing.
std::string registration_source(const std::vector<DeviceModule>& modules, const std::vector<std::string>& text_files);

}  // namespace heddle::cc
