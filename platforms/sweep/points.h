// SPDX-License-Identifier: Apache-2.0
// The points of a study: what each run sets. Pure: no file is looked at.
#pragma once

#include <string>
#include <vector>

#include "sweep/study.h"

namespace heddle::sweep {

/// One program on one machine with settings of its own.
struct Point {
  std::size_t program = 0, machine = 0;  ///< numbers in the study
  std::vector<Setting> settings;         ///< those of the product or of a listed point, not the machine's own
  bool operator==(const Point&) const = default;
};

/// Programs, then machines, then values, the last parameter fastest; then the listed points; what `exclude` matches is
/// left out, what is there twice comes once. With `points` and no `parameters` there are the listed points only. Throws
/// Error(kConfiguration) when nothing is left or there are more than kMostPoints.
std::vector<Point> expand(const Study& study);

/// Whether a point has, in every column of the pattern, one of its values. A parameter that a point does not set has
/// none.
bool matches(const Pattern& pattern, const Study& study, const Point& point);

/// The value of a point in a column as it is shown; empty when it sets none.
std::string shown_value(const Study& study, const Point& point, const std::string& column);

/// "bfs on gtx480, sm.order=lrr".
std::string describe(const Study& study, const Point& point);

}  // namespace heddle::sweep
