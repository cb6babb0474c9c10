// SPDX-License-Identifier: Apache-2.0
// The report page: a template, built from page/, filled with the data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::report {

/// Compresses to one gzip member. Throws Error(kInternal) when the library fails.
std::string gzip(std::string_view bytes);

/// RFC 4648 with padding. The result can never close a script element.
std::string base64(std::string_view bytes);

/// Escapes text for HTML content and attributes.
std::string html_text(std::string_view text);

/// The template with its title and its data, a payload (run_pack.h), filled in. Throws Error(kIo) when the template
/// lacks the placeholders.
std::string make_page(std::string_view page_template, std::string_view title, std::string_view payload);

/// Throws Error(kIo) with build instructions when the template is missing.
std::string read_template(const std::filesystem::path& file);

}  // namespace heddle::report
