// SPDX-License-Identifier: Apache-2.0
// Targets of kind structural or cost in the sources of the studies, compared with results of our code.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace heddle::studies {

/// By the target's id, in its unit. For a target that is not a number: 1 if it holds.
using Evaluations = std::map<std::string, std::function<double()>>;

/// Ids of targets that our code cannot evaluate, and why.
using OnlyStated = std::map<std::string, std::string>;

/// Targets of which our code gives another number than the source, by id.
struct Difference {
  double ours = 0;
  std::string reason;
};
using Differences = std::map<std::string, Difference>;

/// The source's number of a target of kind structural or cost.
double source_of(const std::string& id);

/// `value` to a number of decimal places.
double rounded(double value, unsigned places);

/// Checks that every target whose id begins with `prefix`, and no other, has an evaluation or a reason for having none.
void expect_one_each(const std::string& prefix, const Evaluations& evaluations, const OnlyStated& only_stated = {});

/// Checks that each evaluation gives exactly the source's number or, if listed, the other one.
void expect_as_stated(const Evaluations& evaluations, const Differences& differences = {});

}  // namespace heddle::studies
