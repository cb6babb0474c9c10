// SPDX-License-Identifier: Apache-2.0
// Table of the options of `heddle cc`: spellings, arity, and effect.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cc/options.h"

namespace heddle::cc {

enum class Arity {
  flag,   ///< takes no value
  value,  ///< one value: "--name value" or "--name=value"
  list,   ///< comma-separated values, applied one by one
};

/// State while reading the command line.
struct Reading {
  Options options;
  std::string forced_language;   ///< -x; empty: by file name
  bool forward_unknown = false;  ///< -forward-unknown-to-host-compiler
  std::vector<std::string> unknown;
  void note(const std::string& sentence);  ///< appends a note unless already present
};

struct OptionSpec {
  std::string_view long_name;   ///< without dashes
  std::string_view short_name;  ///< without the dash; empty when there is none
  Arity arity;
  void (*apply)(Reading&, const std::string& value);  ///< null: the option is refused
  std::string_view why = {};                          ///< reason for refusing or ignoring it

  bool refused() const { return apply == nullptr; }
  /// False: accepted but ignored.
  bool has_effect() const;
};

/// All options, grouped by purpose.
std::span<const OptionSpec> option_specs();

/// The entry for an option in either spelling; nullptr for an unknown option.
const OptionSpec* find_option(std::string_view name);

/// Applies the flags of -Xcompiler, some of which the driver handles itself.
void apply_host_flags(Reading& reading, const std::string& value);

}  // namespace heddle::cc
