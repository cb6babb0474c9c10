// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/statistics.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/names.h"

namespace heddle {
namespace {

/// Adds one owner's values to a sum over its class.
void accumulate(const StatisticsOwner& owner, const std::vector<std::uint64_t>& values,
                std::vector<std::uint64_t>& sum) {
  for (const auto& declaration : owner.declarations()) {
    for (std::size_t i = declaration.first; i < declaration.first + declaration.count; ++i) {
      sum[i] = declaration.kind == StatisticKind::maximum ? std::max(sum[i], values[i]) : sum[i] + values[i];
    }
  }
}

}  // namespace

// StatisticsOwner

StatisticsOwner::StatisticsOwner(std::string name)
    : name_(std::move(name)), class_(name_), counters_(std::make_unique<std::uint64_t[]>(kCapacity)) {}

StatisticsOwner::StatisticsOwner(Statistics& statistics, std::string name, std::string class_name)
    : StatisticsOwner(std::move(name)) {
  class_ = std::move(class_name);
  statistics.registered(*this);
  statistics_ = &statistics;
}

StatisticsOwner::~StatisticsOwner() {
  if (statistics_ != nullptr) statistics_->forgotten(*this);
}

std::size_t StatisticsOwner::number_of(std::string_view name) const {
  for (const auto& declaration : declarations_) {
    if (declaration.name == name) return declaration.first;
  }
  fail(ExitCode::internal, "'{}' has no statistic '{}'", name_, name);
}

// StatisticsGroup

std::string StatisticsGroup::declare(const std::string& name, const std::string& sentence) const {
  std::string full = prefix_ + "." + name;
  if (name.empty() || sentence.empty()) {
    fail(ExitCode::internal, "statistic '{}.{}' needs a name and a sentence", owner_.name(), full);
  }
  if (!owner_.names_.insert(full).second) {
    fail(ExitCode::internal, "statistic '{}.{}' is registered twice", owner_.name(), full);
  }
  return full;
}

std::uint64_t* StatisticsGroup::add(StatisticDeclaration declaration) const {
  declaration.name = declare(declaration.name, declaration.sentence);
  declaration.first = owner_.size_;
  if (declaration.count > StatisticsOwner::kCapacity - owner_.size_) {
    fail(ExitCode::internal, "'{}' has more than {} counters; raise StatisticsOwner::kCapacity", owner_.name(),
         StatisticsOwner::kCapacity);
  }
  if (declaration.kind == StatisticKind::maximum) owner_.maxima_.push_back(declaration.first);
  owner_.size_ += declaration.count;
  owner_.declarations_.push_back(std::move(declaration));
  return owner_.counters_.get() + owner_.declarations_.back().first;
}

void StatisticsGroup::add_derived(DerivedDeclaration declaration) const {
  declaration.name = declare(declaration.name, declaration.sentence);
  owner_.derived_.push_back(std::move(declaration));
}

// Histogram

Buckets Buckets::linear(std::uint64_t low, std::uint64_t width, std::size_t count) {
  Buckets buckets;
  buckets.low = low;
  buckets.width = width;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t first = low + i * width;
    buckets.labels.push_back(width == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + width - 1));
  }
  return buckets;
}

Buckets Buckets::powers_of_two(std::size_t count) {
  Buckets buckets;
  buckets.logarithmic = true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t first = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    if (i + 1 == count) {
      buckets.labels.push_back(fmt::format("{}+", first));
    } else {
      buckets.labels.push_back(i < 2 ? fmt::format("{}", first) : fmt::format("{}-{}", first, 2 * first - 1));
    }
  }
  return buckets;
}

Buckets Buckets::named(std::vector<std::string> labels) {
  Buckets buckets;
  buckets.labels = std::move(labels);
  return buckets;
}

Histogram::Histogram(const StatisticsGroup& group, std::string name, std::string sentence, Unit unit,
                     const Buckets& buckets)
    : base_(group.owner().data()), buckets_(buckets.labels.size()), low_(buckets.low), width_(buckets.width) {
  const bool weighted = buckets.width != 0 || buckets.logarithmic;
  if (buckets_ == 0) fail(ExitCode::internal, "histogram '{}.{}' has no buckets", group.name(), name);
  counts_ = group.add({std::move(name), std::move(sentence), unit, StatisticKind::histogram, 0,
                       buckets_ + (weighted ? 1 : 0), buckets.labels, weighted});
}

std::size_t Histogram::bucket_of(std::uint64_t value) const {
  const std::uint64_t bucket = width_ == 0 ? std::bit_width(value) : value < low_ ? 0 : (value - low_) / width_;
  return std::min<std::uint64_t>(bucket, buckets_ - 1);
}

std::uint64_t Histogram::total() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < buckets_; ++i) sum += counts_[i];
  return sum;
}

double StatisticsView::total(const Histogram& histogram) const {
  double sum = 0;
  for (std::size_t i = 0; i < histogram.buckets(); ++i) sum += bucket(histogram, i);
  return sum;
}

double StatisticsView::mean(const Histogram& histogram) const {
  return ratio(bucket(histogram, histogram.buckets()), total(histogram));
}

// StatisticsSample

std::vector<std::uint64_t> StatisticsSample::of_class(const std::string& class_name) const {
  std::vector<std::uint64_t> sum;
  for (const auto& entry : owners_) {
    if (entry.owner->class_name() != class_name) continue;
    sum.resize(entry.values.size());
    accumulate(*entry.owner, entry.values, sum);
  }
  return sum;
}

double StatisticsSample::value(std::string_view pattern) const {
  double sum = 0;
  // A last part without wildcards excludes most statistics cheaply.
  const std::string_view last = pattern.substr(pattern.rfind('.') + 1);
  const bool plain = pattern.find(',') == std::string_view::npos && last.find_first_of("*?[") == std::string_view::npos;
  for (const auto& entry : owners_) {
    for (const auto& declaration : entry.owner->declarations()) {
      // For a statistic with labels, the pattern names one in brackets, or all by a wildcard.
      if (plain && (!declaration.labels.empty() || !std::string_view(declaration.name).ends_with(last))) continue;
      const std::string name = entry.owner->name() + "." + declaration.name;
      if (declaration.labels.empty()) {
        if (glob_match(pattern, name)) sum += static_cast<double>(entry.values[declaration.first]);
        continue;
      }
      for (std::size_t i = 0; i < declaration.labels.size(); ++i) {
        if (glob_match(pattern, name + "[" + declaration.labels[i] + "]")) {
          sum += static_cast<double>(entry.values[declaration.first + i]);
        }
      }
    }
    for (const auto& derived : entry.owner->derived()) {
      if (plain && !std::string_view(derived.name).ends_with(last)) continue;
      if (glob_match(pattern, entry.owner->name() + "." + derived.name)) {
        sum += derived.formula(StatisticsView(entry.values.data()));
      }
    }
  }
  return sum;
}

// Statistics

void StatisticsSample::add(const StatisticsSample& other) {
  for (const Owner& theirs : other.owners_) {
    const auto mine =
        std::find_if(owners_.begin(), owners_.end(), [&](const Owner& one) { return one.owner == theirs.owner; });
    if (mine == owners_.end()) {
      owners_.push_back(theirs);
    } else {
      mine->values.resize(theirs.values.size());
      accumulate(*theirs.owner, theirs.values, mine->values);
    }
  }
}

std::vector<const StatisticsOwner*> Statistics::owners() const { return {owners_.begin(), owners_.end()}; }

void Statistics::registered(StatisticsOwner& owner) {
  const auto at = std::lower_bound(
      owners_.begin(), owners_.end(), owner.name(),
      [](const StatisticsOwner* other, const auto& name) { return natural_less(other->name(), name); });
  if (at != owners_.end() && (*at)->name() == owner.name()) {
    fail(ExitCode::internal, "two statistics owners are called '{}'", owner.name());
  }
  const auto place = at - owners_.begin();
  owners_.insert(at, &owner);
  const auto make_room = [place](Interval& interval) {
    if (!interval.open) return;
    interval.begin.emplace(interval.begin.begin() + place);
    interval.maxima.emplace(interval.maxima.begin() + place);
  };
  make_room(total_);
  for (Interval& interval : intervals_) make_room(interval);
}

void Statistics::forgotten(const StatisticsOwner& owner) {
  const auto at = std::find(owners_.begin(), owners_.end(), &owner);
  const auto place = at - owners_.begin();
  owners_.erase(at);
  const auto close_gap = [place](Interval& interval) {
    if (!interval.open) return;
    interval.begin.erase(interval.begin.begin() + place);
    interval.maxima.erase(interval.maxima.begin() + place);
  };
  close_gap(total_);
  for (Interval& interval : intervals_) close_gap(interval);
}

Statistics::Interval Statistics::begin() const {
  Interval interval;
  interval.open = true;
  for (const auto* owner : owners_) {
    interval.begin.emplace_back(owner->data(), owner->data() + owner->size());
    interval.maxima.emplace_back(owner->maxima_.size());
  }
  return interval;
}

void Statistics::cut() {
  // The total starts from zero, so it includes everything counted before the first cut.
  if (!total_.open) {
    total_ = begin();
    for (auto& values : total_.begin) std::fill(values.begin(), values.end(), 0);
  }
  for (std::size_t o = 0; o < owners_.size(); ++o) {
    const std::vector<std::size_t>& numbers = owners_[o]->maxima_;
    std::uint64_t* const counters = owners_[o]->counters_.get();
    const auto fold = [&](Interval& interval) {
      if (!interval.open) return;
      auto& maxima = interval.maxima[o];
      maxima.resize(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) maxima[i] = std::max(maxima[i], counters[numbers[i]]);
    };
    fold(total_);
    for (auto& interval : intervals_) fold(interval);
    for (const std::size_t number : numbers) counters[number] = 0;
  }
}

StatisticsSample Statistics::difference(const Interval& interval) const {
  StatisticsSample sample;
  for (std::size_t o = 0; o < owners_.size(); ++o) {
    const auto* owner = owners_[o];
    std::vector<std::uint64_t> values(owner->data(), owner->data() + owner->size());
    for (std::size_t i = 0; i < interval.begin[o].size(); ++i) values[i] -= interval.begin[o][i];
    for (std::size_t i = 0; i < owner->maxima_.size(); ++i) values[owner->maxima_[i]] = interval.maxima[o][i];
    sample.owners_.push_back({owner, std::move(values)});
  }
  return sample;
}

StatisticsSample Statistics::total() {
  cut();
  return difference(total_);
}

Statistics::IntervalId Statistics::open() {
  cut();
  const auto closed = std::find_if(intervals_.begin(), intervals_.end(), [](const Interval& i) { return !i.open; });
  const auto id = static_cast<IntervalId>(closed - intervals_.begin());
  if (closed == intervals_.end()) intervals_.emplace_back();
  intervals_[id] = begin();
  return id;
}

StatisticsSample Statistics::peek(IntervalId id) {
  cut();
  return difference(intervals_.at(id));
}

StatisticsSample Statistics::close(IntervalId id) {
  StatisticsSample sample = peek(id);
  intervals_[id] = Interval{};
  return sample;
}

void Statistics::reset() {
  for (auto* owner : owners_) std::fill_n(owner->counters_.get(), owner->size_, 0);
  intervals_.clear();
  total_ = Interval{};
}

void Statistics::check_classes() const {
  std::map<std::string, const StatisticsOwner*> first;
  for (const auto* owner : owners_) {
    const auto* model = first.emplace(owner->class_name(), owner).first->second;
    const auto same = [](const StatisticDeclaration& a, const StatisticDeclaration& b) {
      return a.name == b.name && a.first == b.first && a.count == b.count && a.kind == b.kind;
    };
    if (!std::equal(owner->declarations().begin(), owner->declarations().end(), model->declarations().begin(),
                    model->declarations().end(), same)) {
      fail(ExitCode::internal, "'{}' and '{}' of statistics class '{}' register different statistics", model->name(),
           owner->name(), owner->class_name());
    }
  }
}

}  // namespace heddle
