// SPDX-License-Identifier: Apache-2.0
// Targets of kind structural or cost in the sources of the studies, compared with results of our code.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace heddle::studies {

/// By the target's id, in its unit. Of a target that is judged and not a number: 1 where what it says holds.
using Evaluations = std::map<std::string, std::function<double()>>;

/// Ids of targets that no code of ours can give, and why.
using OnlyStated = std::map<std::string, std::string>;

/// Every target whose id begins with `prefix` has an evaluation or a reason for having none, and no other id has.
void expect_one_each(const std::string& prefix, const Evaluations& evaluations, const OnlyStated& only_stated = {});

/// Each evaluation gives the source's number, exactly.
void expect_as_stated(const Evaluations& evaluations);

}  // namespace heddle::studies
