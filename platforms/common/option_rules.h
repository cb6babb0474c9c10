// SPDX-License-Identifier: Apache-2.0
// Options that have an effect only with, or only without, others. Given in vain they are refused: whoever gives an
// option expects it to do something.
#pragma once

#include <string>
#include <vector>

#include "common/command_line.h"

namespace heddle {

class OptionRules {
 public:
  /// What an option needs: another option or, where that has one, the environment variable that stands for it.
  struct Need {
    CommandLineOption option;
    const char* variable = nullptr;
  };

  /// `option` has an effect only if one of `any` is given.
  void needs(CommandLineOption option, std::vector<Need> any);
  /// `option` has no effect if `other` is given.
  void idle_with(CommandLineOption option, CommandLineOption other);

  /// After parsing: throws Error(kUsage) for an option without effect that says what is missing.
  void check() const;

 private:
  struct Rule {
    CommandLineOption option;
    std::vector<Need> any;
  };
  struct Exclusion {
    CommandLineOption option, other;
  };
  std::vector<Rule> rules_;
  std::vector<Exclusion> exclusions_;
};

}  // namespace heddle
