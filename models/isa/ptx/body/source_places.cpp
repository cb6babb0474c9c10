// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/source_places.h"

namespace heddle::isa {
namespace {

/// Calls followed before the directives are taken to refer to each other in a circle.
constexpr unsigned kMostInlined = 256;

SourcePosition position_of(const SourcePlaces::Location& location) {
  return {location.file < 0x10000 ? static_cast<std::uint16_t>(location.file) : std::uint16_t{0},
          static_cast<std::uint32_t>(location.line)};
}

}  // namespace

bool is_library_file(std::string_view path) {
  return path.starts_with("/usr/") || path.find("/cuda/include/") != std::string_view::npos ||
         path.find("/include/heddle/cuda/") != std::string_view::npos;
}

bool SourcePlaces::of_library(const Location& location) const {
  const auto file = unit_.files.find(position_of(location).file);
  return file != unit_.files.end() && is_library_file(file->second);
}

void SourcePlaces::at(const Location& location, const std::optional<Location>& call) {
  calls_[location] = call;
  Location place = location;
  std::optional<Location> outer = call;
  for (unsigned depth = 0; outer && of_library(place) && depth < kMostInlined; ++depth) {
    place = *outer;
    const auto known = calls_.find(place);
    outer = known == calls_.end() ? std::nullopt : known->second;
  }
  charged_ = position_of(place);
  const bool same = place.file == location.file && place.line == location.line;
  inlined_ = same ? SourcePosition{} : position_of(location);
}

}  // namespace heddle::isa
