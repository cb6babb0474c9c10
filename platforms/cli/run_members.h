// SPDX-License-Identifier: Apache-2.0
// Members of a run.json and cells of a listing.
#pragma once

#include <cstdint>
#include <string>

#include "core/json.h"

namespace heddle::cli {

/// A member's text; empty where there is none.
const std::string& text_of(const JsonNode& node, const char* member);
/// A member that is a natural number, else 0.
std::uint64_t number_of(const JsonNode& node, const char* member);
/// A member's elements; none where it is no list.
const std::vector<JsonNode>& elements_of(const JsonNode& node, const char* member);
/// "12 %"; empty for a whole of 0.
std::string share(std::uint64_t part, std::uint64_t whole);

/// The place and text of an instruction's source line, by its members `file` and `line`; without a known line, its
/// program counter and PTX. files: the run's sources, or null.
std::string line_text(const JsonNode& instruction, const JsonNode* files);
/// Only the place, "k.cu:12"; empty if it is unknown.
std::string line_place(const JsonNode& instruction, const JsonNode* files);

}  // namespace heddle::cli
