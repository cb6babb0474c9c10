// SPDX-License-Identifier: Apache-2.0
// What `heddle cc` knows of each option: its spellings, whether it takes a value, and what it does to the options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cc/options.h"

namespace heddle::cc {

enum class Arity {
  kFlag,   ///< takes no value
  kValue,  ///< one value: "--name value" or "--name=value"
  kList,   ///< values separated by commas, each handed on by itself
};

/// State while the command line is read.
struct Reading {
  Options options;
  std::string forced_language;   ///< -x; empty: by file name
  bool forward_unknown = false;  ///< -forward-unknown-to-host-compiler
  std::vector<std::string> unknown;
  void note(const std::string& sentence);  ///< appends a note, unless it is already there
};

struct OptionSpec {
  std::string_view long_name;   ///< without dashes
  std::string_view short_name;  ///< without the dash; empty when there is none
  Arity arity;
  void (*apply)(Reading&, const std::string& value);  ///< null: the option is refused
  std::string_view why = {};                          ///< it is refused, or accepted without effect

  bool refused() const { return apply == nullptr; }
  /// False: accepted, and nothing comes of it.
  bool has_effect() const;
};

/// All options, sorted by what they do.
std::span<const OptionSpec> option_specs();

/// The entry an option's name belongs to, either spelling; nullptr when nothing is known of it.
const OptionSpec* find_option(std::string_view name);

/// Handles what -Xcompiler carries: flags for the host compiler, some of which are the driver's business.
void apply_host_flags(Reading& reading, const std::string& value);

}  // namespace heddle::cc
