// SPDX-License-Identifier: Apache-2.0
#include "common/option_rules.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.h"

namespace heddle {
namespace {

bool met(const OptionRules::Need& need) {
  const char* const value = need.variable != nullptr ? std::getenv(need.variable) : nullptr;
  return need.option.given() || (value != nullptr && *value != '\0');
}

/// "--vcd, --pipeline or --timeline"
std::string names_of(const std::vector<OptionRules::Need>& needs) {
  std::string text;
  for (std::size_t i = 0; i < needs.size(); ++i)
    text += (i == 0 ? "" : i + 1 == needs.size() ? " or " : ", ") + needs[i].option.name();
  return text;
}

}  // namespace

void OptionRules::needs(CommandLineOption option, std::vector<Need> any) { rules_.push_back({option, std::move(any)}); }

void OptionRules::idle_with(CommandLineOption option, CommandLineOption other) {
  exclusions_.push_back({option, other});
}

void OptionRules::check() const {
  for (const Rule& rule : rules_) {
    if (rule.option.given() && std::none_of(rule.any.begin(), rule.any.end(), met))
      fail(ExitCode::usage, "{} has no effect without {}", rule.option.name(), names_of(rule.any));
  }
  for (const Exclusion& exclusion : exclusions_) {
    if (exclusion.option.given() && exclusion.other.given())
      fail(ExitCode::usage, "{} has no effect with {}", exclusion.option.name(), exclusion.other.name());
  }
}

}  // namespace heddle
