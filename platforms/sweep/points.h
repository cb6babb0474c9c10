// SPDX-License-Identifier: Apache-2.0
// The points of a study, which define what each run sets. Pure: reads no files.
#pragma once

#include <string>
#include <vector>

#include "sweep/study.h"

namespace heddle::sweep {

/// One program on one machine with additional settings.
struct Point {
  std::size_t program = 0, machine = 0;  ///< numbers in the study
  std::vector<Setting> settings;         ///< from the product or a listed point, without the machine's own
  bool operator==(const Point&) const = default;
};

/// Expands programs, then machines, then values, the last parameter fastest; then the listed points. Removes points
/// that match `exclude` and duplicates. With `points` but no `parameters`, only the listed points remain. Throws
/// Error(kConfiguration) for no points or more than kMostPoints.
std::vector<Point> expand(const Study& study);

/// Whether the point's value in every column of the pattern is one of the pattern's. A parameter the point does not set
/// has no value.
bool matches(const Pattern& pattern, const Study& study, const Point& point);

/// The displayed value of a point in a column; empty when it sets none.
std::string shown_value(const Study& study, const Point& point, const std::string& column);

/// "bfs on gtx480, sm.order=lrr".
std::string describe(const Study& study, const Point& point);

}  // namespace heddle::sweep
