// SPDX-License-Identifier: Apache-2.0
// Dotted parameter paths, origins and aliases, shared by loading and listing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/configuration.h"
#include "core/json.h"

namespace heddle::detail {

using Origins = std::map<std::string, ParameterOrigin>;
using Aliases = std::map<std::string, std::string>;

std::string join_path(const std::string& path, std::string_view name);
/// Splits "a.b[0].c" into a, b, 0, c. Parts may be empty; no parameter has an empty name.
std::vector<std::string> split_path(std::string_view path);
bool is_index(std::string_view text);
/// Whether a key of a machine description concerns the file, not the machine.
bool is_file_key(std::string_view key);
/// `path` with an aliased prefix replaced by its alias.
std::string shorten_path(const Aliases& aliases, const std::string& path);

/// Applies a JSON object to the groups under root. origin: file name for messages; set_by: ParameterOrigin::set_by.
void apply_json(GroupReference root, const JsonNode& document, const Aliases& aliases, Origins& origins,
                const std::string& origin, const std::string& set_by);
/// A value as JSON text.
std::string value_text(const ParameterValue& value);
/// The mechanism or mechanisms chosen at a key, as JSON text.
std::string chosen_text(const MechanismReference& mechanism);
/// Runs check() of every group in use.
void check_parameters(GroupReference root, const Aliases& aliases);
/// The value at a path as JSON; empty when there is none.
std::string find_value(GroupReference root, const std::string& path);
/// Every leaf in use with its value as JSON.
std::map<std::string, std::string> collect_values(GroupReference root);
/// Writes the members of root into the open object.
void write_resolved(GroupReference root, const Origins& origins, JsonWriter& out);

}  // namespace heddle::detail
