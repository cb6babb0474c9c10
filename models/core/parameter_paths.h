// SPDX-License-Identifier: Apache-2.0
// Dotted paths of parameters, their origins and aliases: what loading and listing share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/json.h"

namespace heddle::detail {

using Origins = std::map<std::string, ParameterOrigin>;
using Aliases = std::map<std::string, std::string>;

std::string join_path(const std::string& path, std::string_view name);
/// "a.b[0].c" as a, b, 0, c; parts may be empty, which no parameter is.
std::vector<std::string> split_path(std::string_view path);
bool is_index(std::string_view text);
/// Keys of a machine description that are about the file, not the machine.
bool is_file_key(std::string_view key);
/// `path` with the start that an alias stands for replaced by the alias.
std::string shorten_path(const Aliases& aliases, const std::string& path);

/// Applies a JSON object to the groups under root. origin: file name for messages; set_by: ParameterOrigin::set_by.
void apply_json(GroupReference root, const JsonNode& document, const Aliases& aliases, Origins& origins,
                const std::string& origin, const std::string& set_by);
/// A value as JSON text.
std::string value_text(const ParameterValue& value);
/// The mechanism, or list of mechanisms, chosen at a key as JSON text.
std::string chosen_text(const MechanismReference& mechanism);
/// Runs check() of every group that is in use.
void check_parameters(GroupReference root, const Aliases& aliases);
/// The value at a path as JSON; empty when there is none.
std::string find_value(GroupReference root, const std::string& path);
/// Every leaf in use with its value as JSON.
std::map<std::string, std::string> collect_values(GroupReference root);
/// Writes the members of root into the object that is open.
void write_resolved(GroupReference root, const Origins& origins, JsonWriter& out);

}  // namespace heddle::detail
