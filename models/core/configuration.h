// SPDX-License-Identifier: Apache-2.0
// A machine's configuration: JSON presets that extend each other, then overrides by dotted path, into the parameter
// groups of the machine; and what can be said about it afterwards. No JSON type appears here; configuration.cpp reads
// and writes it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"

namespace heddle {

/// What a preset says about where a value comes from.
struct ParameterOrigin {
  std::string published;  ///< the figure as published ("330 ns"), when it is not the value itself
  std::string source;     ///< file and section
  bool chosen = false;    ///< the sources leave it open; this is our choice
  std::string set_by;     ///< "preset gtx480", "command line"; empty: the default
};

/// Loads parameter groups. Wrong input throws Error(kConfiguration) that names the key, what is legal and the nearest
/// right spelling.
class Configuration {
 public:
  /// root: default values; outlives this object.
  template <typename Group>
  requires(!std::is_same_v<std::remove_const_t<Group>, GroupReference>) explicit Configuration(Group& root)
      : Configuration(GroupReference(root)) {}
  explicit Configuration(GroupReference root);
  ~Configuration();
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  /// Where presets are looked for, in order.
  void search(std::vector<std::filesystem::path> directories);
  /// `shorthand` at the start of a path stands for `target`; a `*` in target means every element of a list, which must
  /// then have at least one: alias("sm", "gpu.sm_classes.*.sm").
  void alias(std::string shorthand, std::string target);

  /// A preset's name, or the path of a JSON file (anything with a '/' or ending in ".json").
  void load_machine(const std::string& name_or_path);
  void load_file(const std::filesystem::path& file);
  /// origin: stands for the file name in messages.
  void load_text(std::string_view json, const std::string& origin);
  /// "sm.scheduler.order=gto", "gpu.sm_classes.0.count=15" or "gpu.sm_classes[0].count=15". The value is JSON or a bare
  /// word.
  void set(const std::string& assignment);

  /// Ends loading: runs every group's check(). Later loads and sets throw.
  void lock();
  bool locked() const;

  /// Name and description of the machine last loaded; empty before.
  const std::string& name() const;
  const std::string& description() const;
  /// Origin of the value at a full dotted path.
  ParameterOrigin origin(const std::string& path) const;
  /// Value at a full dotted path as JSON text; throws Error(kConfiguration) when there is none.
  std::string value(const std::string& path) const;
  /// Every leaf in use: full path and value as JSON text.
  std::map<std::string, std::string> values() const;
  /// The whole configuration as JSON that load_text accepts and that gives the same machine; values with an origin as
  /// objects
  /// {"value", "published", "source", "chosen"}.
  std::string resolved() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct PresetEntry {
  std::string name, description;
  std::filesystem::path file;
};
/// Presets found in these directories, by name; the first directory that has a name wins.
std::vector<PresetEntry> list_presets(const std::vector<std::filesystem::path>& directories);
/// The directories of an installed or built Heddle: $HEDDLE_PRESETS (colon separated), then those above `beside`, the
/// path of the executable (found by itself when empty) or of a library of Heddle's.
std::vector<std::filesystem::path> preset_directories(std::filesystem::path beside = {});

/// One leaf of the declarations, for schema, explain and the reference pages. List elements appear once, as `*`.
struct ParameterEntry {
  std::string path, sentence, unit, legal, type, default_value, source;
  std::vector<NamedChoice> choices;
  std::string mechanism;  ///< set for parameters that belong to one mechanism: its name
};
std::vector<ParameterEntry> list_parameters(GroupReference root);
template <typename Group>
requires(!std::is_same_v<std::remove_const_t<Group>, GroupReference>) std::vector<ParameterEntry> list_parameters(
    Group& root) {
  return list_parameters(GroupReference(root));
}
/// JSON Schema (draft 2020-12) of a machine description.
std::string parameter_schema(GroupReference root, const std::map<std::string, std::string>& aliases);
}  // namespace heddle
