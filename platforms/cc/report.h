// SPDX-License-Identifier: Apache-2.0
// Information that `heddle cc` reports to users, build systems and configure scripts.
#pragma once

#include <string>

#include "cc/commands.h"
#include "common/command_description.h"

namespace heddle::cc {

/// --version. Build systems look for nvcc's line and for "release" and "V" with the version of the CUDA interface.
std::string version_text();

/// --help.
std::string help_text();

/// Every option and its effect, as a Markdown page.
std::string option_page();

/// The options that are taken, as data. Those without effect are in a group of their own, and say why.
CommandDescription command_description();

/// The lines nvcc prints with -v and --dryrun before its commands, "#$ NAME=value", as far as build systems read them:
/// where the toolkit lies, its headers, its libraries, and the default architecture.
std::string environment_text(const Build& build);

}  // namespace heddle::cc
