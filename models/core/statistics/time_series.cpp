// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/time_series.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"

namespace heddle {

TimeSeries::TimeSeries(const Statistics& statistics, const std::string& patterns, std::uint64_t every)
    : grows_(every == 0), every_(grows_ ? kFirstInterval : every), due_(every_ - 1) {
  for (const auto* owner : statistics.owners()) {
    for (const auto& declaration : owner->declarations()) {
      if (declaration.kind == StatisticKind::maximum) continue;
      const std::string name = owner->name() + "." + declaration.name;
      for (std::size_t i = 0; i < std::max<std::size_t>(1, declaration.labels.size()); ++i) {
        std::string column = declaration.labels.empty() ? name : fmt::format("{}[{}]", name, declaration.labels[i]);
        if (!glob_match(patterns, column)) continue;
        columns_.push_back(std::move(column));
        sources_.push_back({owner, declaration.first + i});
        last_.push_back(owner->data()[declaration.first + i]);
      }
    }
  }
  if (columns_.empty()) {
    std::vector<std::string> known;
    for (const auto* owner : statistics.owners()) {
      for (const auto& declaration : owner->declarations()) known.push_back(owner->name() + "." + declaration.name);
    }
    const std::string hint = nearest_hint(patterns, known);
    fail(ExitCode::usage, "no statistic matches '{}'{} `heddle explain` lists their names", patterns,
         hint.empty() ? ";" : hint);
  }
}

void TimeSeries::sample(std::uint64_t cycle) {
  cycles_.push_back(cycle);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const std::uint64_t value = sources_[i].owner->data()[sources_[i].number];
    values_.push_back(value - last_[i]);
    last_[i] = value;
  }
  if (grows_ && rows() == kMostRows) join_rows();
  due_ = cycle + every_;
}

void TimeSeries::join_rows() {
  const std::size_t width = columns_.size();
  for (std::size_t to = 0; to < rows() / 2; ++to) {
    cycles_[to] = cycles_[2 * to + 1];
    for (std::size_t c = 0; c < width; ++c)
      values_[to * width + c] = values_[2 * to * width + c] + values_[(2 * to + 1) * width + c];
  }
  cycles_.resize(rows() / 2);
  values_.resize(cycles_.size() * width);
  every_ *= 2;
}

}  // namespace heddle
