// SPDX-License-Identifier: Apache-2.0
// A machine's configuration: loads JSON presets, which may extend each other, and overrides by dotted path into the
// machine's parameter groups, and reports the result. JSON types are confined to configuration.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parameters.h"

namespace heddle {

/// Provenance of a value, as stated in a preset.
struct ParameterOrigin {
  std::string published;  ///< the figure as published ("330 ns"), when it is not the value itself
  std::string source;     ///< file and section
  bool chosen = false;    ///< not given by the sources; our choice
  std::string set_by;     ///< "preset gtx480", "command line"; empty: the default
};

/// Loads parameter groups. Invalid input throws Error(kConfiguration) that gives the key, the legal values and the
/// nearest valid spelling.
class Configuration {
 public:
  /// root: holds the default values; must outlive this object.
  template <typename Group>
  requires(!std::is_same_v<std::remove_const_t<Group>, GroupReference>) explicit Configuration(Group& root)
      : Configuration(GroupReference(root)) {}
  explicit Configuration(GroupReference root);
  ~Configuration();
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  /// Sets the preset search directories, in order.
  void search(std::vector<std::filesystem::path> directories);
  /// Makes `shorthand` at the start of a path mean `target`. A `*` in target means every element of a list, which must
  /// not be empty: alias("sm", "gpu.sm_classes.*.sm").
  void alias(std::string shorthand, std::string target);

  /// Loads a preset by name or a JSON file by path (anything with a '/' or ending in ".json").
  void load_machine(const std::string& name_or_path);
  void load_file(const std::filesystem::path& file);
  /// origin: used as the file name in messages.
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
  /// The whole configuration as JSON; load_text on it gives the same machine. Values with an origin are objects
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
/// Presets in these directories, by name; the first directory containing a name wins.
std::vector<PresetEntry> list_presets(const std::vector<std::filesystem::path>& directories);
/// The preset directories of this Heddle: $HEDDLE_PRESETS (colon-separated), then those found upwards from `beside`,
/// the path of the executable (determined automatically if empty) or of a Heddle library.
std::vector<std::filesystem::path> preset_directories(std::filesystem::path beside = {});

/// A name that a parameter can have as its value.
struct ChoiceEntry {
  std::string name, sentence;
  std::string source;  ///< of a mechanism
};
/// One declared parameter, for the schema, `heddle explain` and the reference pages. List elements appear once, as `*`.
struct ParameterEntry {
  std::string path, sentence, unit, legal, type, default_value, source;
  std::vector<ChoiceEntry> choices;
  std::string mechanism;  ///< the owning mechanism; empty if it belongs to none
  Legal bounds;           ///< `legal` as values
};
std::vector<ParameterEntry> list_parameters(GroupReference root);
template <typename Group>
requires(!std::is_same_v<std::remove_const_t<Group>, GroupReference>) std::vector<ParameterEntry> list_parameters(
    Group& root) {
  return list_parameters(GroupReference(root));
}
/// A group of parameters; those of a mechanism are under its name.
struct GroupEntry {
  std::string path, sentence;
};
std::vector<GroupEntry> list_parameter_groups(GroupReference root);
/// JSON Schema (draft 2020-12) of a machine description.
std::string parameter_schema(GroupReference root, const std::map<std::string, std::string>& aliases);
}  // namespace heddle
