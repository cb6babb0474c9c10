// SPDX-License-Identifier: Apache-2.0
// Applies files, presets and overrides to the parameter groups, in order.
#include "core/config/configuration.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "core/config/parameter_paths.h"
#include "core/error.h"
#include "core/json.h"
#include "core/names.h"

namespace heddle {

struct Configuration::State {
  explicit State(GroupReference group) : root(group) {}
  GroupReference root;
  std::vector<std::filesystem::path> directories;
  detail::Aliases aliases;
  detail::Origins origins;
  std::string name, description;
  bool locked = false;
  std::vector<std::string> loading;  ///< files that extend each other, outermost first

  void require_open() const {
    if (locked) fail(ExitCode::internal, "parameters cannot change after elaboration");
  }

  void apply(const JsonNode& document, const std::string& origin, const std::string& set_by) {
    detail::apply_json(root, document, aliases, origins, origin, set_by);
  }

  std::filesystem::path find_preset(const std::string& wanted, const std::filesystem::path& beside) const {
    if (wanted.find('/') != std::string::npos ||
        (wanted.size() > 5 && wanted.compare(wanted.size() - 5, 5, ".json") == 0)) {
      std::filesystem::path file = beside / wanted;
      if (!std::filesystem::exists(file)) fail(ExitCode::io, "{}: no such machine description", file.string());
      return file;
    }
    for (const auto& directory : directories) {
      const std::filesystem::path file = directory / (wanted + ".json");
      std::error_code error;
      if (std::filesystem::exists(file, error)) return file;
    }
    std::vector<std::string> known;
    for (const auto& entry : list_presets(directories)) known.push_back(entry.name);
    const auto near = nearest_spellings(wanted, known);
    fail(ExitCode::configuration,
         "there is no machine '{}'; {}known: {}; to name a file, use a path with '/' or '.json'", wanted,
         near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front()), fmt::join(known, ", "));
  }

  std::filesystem::path find_base(const JsonNode& base, const std::string& origin,
                                  const std::filesystem::path& directory) const {
    try {
      return find_preset(base.text, directory);
    } catch (const Error& error) {
      fail(error.code(), "{}:{}: extends: {}", origin, base.line, error.what());
    }
  }

  void load_document(const JsonNode& document, const std::string& origin, const std::filesystem::path& directory) {
    if (document.kind != JsonNode::Kind::object)
      fail(ExitCode::configuration, "{}:1: a machine description must be an object {{...}}, not {}", origin,
           document.brief());
    for (const char* const key : {"extends", "name", "description"}) {
      const JsonNode* node = document.find(key);
      if (node != nullptr && node->kind != JsonNode::Kind::text)
        fail(ExitCode::configuration, "{}:{}: {} must be text, not {}", origin, node->line, key, node->brief());
    }
    if (std::find(loading.begin(), loading.end(), origin) != loading.end()) {
      fail(ExitCode::configuration, "{}: extends itself: {} -> {}", origin, fmt::join(loading, " -> "), origin);
    }
    loading.push_back(origin);
    if (const JsonNode* base = document.find("extends")) {
      const auto file = find_base(*base, origin, directory);
      load_document(read_json(file), file.string(), file.parent_path());
    }
    const JsonNode* own_name = document.find("name");
    name = own_name != nullptr ? own_name->text : std::filesystem::path(origin).stem().string();
    if (const JsonNode* text = document.find("description")) description = text->text;
    apply(document, origin, "machine " + name);
    loading.pop_back();
  }
};

Configuration::Configuration(GroupReference root) : state_(std::make_unique<State>(root)) {
  std::set<std::string> paths;
  for (const auto& entry : list_parameters(root)) {
    if (!paths.insert(entry.path).second)
      fail(ExitCode::internal,
           "parameter '{}' is declared twice; a mechanism's name must differ from the neighbouring keys", entry.path);
  }
}

Configuration::~Configuration() = default;

void Configuration::search(std::vector<std::filesystem::path> directories) {
  state_->directories = std::move(directories);
}

void Configuration::alias(std::string shorthand, std::string target) {
  state_->aliases[std::move(shorthand)] = std::move(target);
}

void Configuration::load_machine(const std::string& name_or_path) { load_file(state_->find_preset(name_or_path, {})); }

void Configuration::load_file(const std::filesystem::path& file) {
  state_->require_open();
  state_->loading.clear();
  state_->load_document(read_json(file), file.string(), file.parent_path());
}

void Configuration::load_text(std::string_view json, const std::string& origin) {
  state_->require_open();
  state_->loading.clear();
  state_->load_document(parse_json(json, origin), origin, {});
}

void Configuration::set(const std::string& assignment) {
  state_->require_open();
  const std::string origin = fmt::format("--set {}", assignment);
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) fail(ExitCode::configuration, "{}: write --set path=value", origin);
  const std::string typed = assignment.substr(equals + 1);
  JsonNode node;
  try {
    node = parse_json(typed, origin);
  } catch (const Error&) {
    // A malformed list, object or string is not a bare word.
    if (!typed.empty() && (typed.front() == '[' || typed.front() == '{' || typed.front() == '"')) throw;
    node.kind = JsonNode::Kind::text;
  }
  if (node.kind != JsonNode::Kind::array && node.kind != JsonNode::Kind::object &&
      (node.kind != JsonNode::Kind::text || node.text.empty()))
    node.text = typed;
  const auto strip_lines = [](auto& self, JsonNode& n) -> void {
    n.line = 0;
    for (auto& element : n.elements) self(self, element);
    for (auto& member : n.members) self(self, member.node);
  };
  strip_lines(strip_lines, node);
  const auto parts = detail::split_path(std::string_view(assignment).substr(0, equals));
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    JsonNode outer;
    outer.kind = JsonNode::Kind::object;
    outer.members.push_back({*part, std::move(node)});
    node = std::move(outer);
  }
  if (detail::is_file_key(parts.front()))
    fail(ExitCode::configuration, "{}: '{}' describes a file; it cannot be set", origin, parts.front());
  state_->apply(node, origin, "command line");
}

void Configuration::lock() {
  detail::check_parameters(state_->root, state_->aliases);
  state_->locked = true;
}

bool Configuration::locked() const { return state_->locked; }
const std::string& Configuration::name() const { return state_->name; }
const std::string& Configuration::description() const { return state_->description; }

ParameterOrigin Configuration::origin(const std::string& path) const {
  const auto found = state_->origins.find(path);
  return found == state_->origins.end() ? ParameterOrigin{} : found->second;
}

std::string Configuration::value(const std::string& path) const {
  std::string text = detail::find_value(state_->root, path);
  if (text.empty()) fail(ExitCode::configuration, "{} is not a parameter", path);
  return text;
}

std::map<std::string, std::string> Configuration::values() const { return detail::collect_values(state_->root); }

std::string Configuration::resolved() const {
  JsonWriter out;
  out.begin_object();
  out.member("name", state_->name).member("description", state_->description);
  detail::write_resolved(state_->root, state_->origins, out);
  out.end_object();
  return out.text();
}

std::vector<PresetEntry> list_presets(const std::vector<std::filesystem::path>& directories) {
  std::map<std::string, PresetEntry> found;
  for (const auto& directory : directories) {
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
      if (file.path().extension() != ".json") continue;
      const std::string name = file.path().stem().string();
      if (found.count(name) != 0) continue;
      const JsonNode document = read_json(file.path());
      const JsonNode* description = document.find("description");
      found.emplace(name, PresetEntry{name, description != nullptr ? description->text : "", file.path()});
    }
  }
  std::vector<PresetEntry> presets;
  presets.reserve(found.size());
  for (auto& [name, entry] : found) presets.push_back(std::move(entry));
  return presets;
}

std::vector<std::filesystem::path> preset_directories(std::filesystem::path beside) {
  std::vector<std::filesystem::path> directories;
  if (const char* const given = std::getenv("HEDDLE_PRESETS")) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      if (colon != 0) directories.emplace_back(rest.substr(0, colon));
      rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    }
  }
  std::error_code error;
  // A name without a directory was found through PATH.
  if (!beside.has_parent_path()) beside = std::filesystem::read_symlink("/proc/self/exe", error);
  // Installed: <prefix>/bin or <prefix>/lib next to <prefix>/share; built: somewhere below the source tree.
  for (auto up = std::filesystem::absolute(beside).parent_path(); up.has_relative_path(); up = up.parent_path()) {
    for (const auto& candidate : {up / "share" / "heddle" / "presets", up / "platforms" / "presets"}) {
      if (std::filesystem::is_directory(candidate, error)) directories.push_back(candidate);
    }
  }
  return directories;
}

}  // namespace heddle
