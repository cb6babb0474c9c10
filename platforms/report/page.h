// SPDX-License-Identifier: Apache-2.0
// The page: a template, made of page/ when Heddle is built, into which the data is put.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::report {

/// The bytes as one gzip member. Throws Error(kInternal) when the library fails.
std::string gzip(std::string_view bytes);

/// RFC 4648, with padding: letters that end no script element, whatever the bytes are.
std::string base64(std::string_view bytes);

/// Text as it may stand between HTML tags and in attributes.
std::string html_text(std::string_view text);

/// The template with its title and its data, a payload (run_pack.h), filled in. Throws Error(kIo) when the template
/// lacks the places for them.
std::string make_page(std::string_view page_template, std::string_view title, std::string_view payload);

/// Throws Error(kIo) that says how to build the template when it is not there.
std::string read_template(const std::filesystem::path& file);

}  // namespace heddle::report
