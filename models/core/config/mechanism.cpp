// SPDX-License-Identifier: Apache-2.0
#include "core/config/mechanism.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "core/config/plugin.h"
#include "core/error.h"

namespace heddle::detail {

void add_mechanism(MechanismTable& table, const std::string& name, MechanismEntry entry) {
  const auto [first, added] = table.try_emplace(name, entry);
  if (added) return;
  const std::string message =
      fmt::format("two mechanisms of one kind are registered as '{}', at {} and at {}: rename one of them", name,
                  first->second.place, entry.place);
  if (note_plugin_problem(message)) return;
  // Before main(), where nobody could catch an exception.
  fmt::print(stderr, "heddle: error: {}\n", message);
  std::fflush(stderr);
  _exit(static_cast<int>(ExitCode::configuration));
}

MechanismChoice::MechanismChoice(MechanismTable& table, std::vector<std::string> chosen)
    : table_(&table), chosen_(std::move(chosen)) {}

MechanismChoice::MechanismChoice(MechanismChoice&&) noexcept = default;
MechanismChoice& MechanismChoice::operator=(MechanismChoice&&) noexcept = default;
MechanismChoice::~MechanismChoice() = default;

MechanismChoice::MechanismChoice(const MechanismChoice& other) : table_(other.table_), chosen_(other.chosen_) {
  for (const auto& [name, settings] : other.settings_) settings_.emplace(name, settings->clone());
}

MechanismChoice& MechanismChoice::operator=(const MechanismChoice& other) {
  if (this != &other) *this = MechanismChoice(other);
  return *this;
}

SettingsBase* MechanismChoice::settings(const std::string& name) const {
  if (const auto made = settings_.find(name); made != settings_.end()) return made->second.get();
  const auto entry = table_->find(name);
  if (entry == table_->end() || !entry->second.make_settings) return nullptr;
  return settings_.emplace(name, entry->second.make_settings()).first->second.get();
}

std::vector<MechanismReference::Candidate> MechanismChoiceReference::candidates() {
  std::vector<Candidate> candidates;
  for (const auto& [name, entry] : choice_.table()) {
    candidates.push_back({name, entry.sentence, entry.source, choice_.settings(name), entry.absent});
  }
  return candidates;
}

}  // namespace heddle::detail
