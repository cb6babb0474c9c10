// SPDX-License-Identifier: Apache-2.0
// Statistics. Each owner (an SM, a memory controller, an L2 slice) has one flat array of 64-bit counters. A counter's
// index is fixed at registration, so `++issued` is one increment and a snapshot is one copy. Every number has a name, a
// unit and a sentence.
//
// clang-format off
//   StatisticsOwner sm0{statistics, "sm0", "sm"};  // instance and class; a class is what instances are summed over
//   StatisticsGroup group{sm0, "issue"};           // one per module; groups nest: StatisticsGroup l1{group, "l1d"}
//   Counter issued{group, "issued", "warp instructions issued", unit::kInstructions};
//   Maximum longest_wait{group, "longest_wait", "longest time a ready context waited to issue", unit::kCycles};
//   Histogram lanes{group, "active_lanes", "issues by number of active lanes", unit::kInstructions, Buckets::linear(1, 4, 8)};
//   Derived ipc{group, "ipc", "warp instructions per cycle", unit::kInstructionsPerCycle,
//               [this](const StatisticsView& v) { return v.ratio(issued, cycles); }};
// clang-format on
//
// Tests of logic can use a stand-alone owner: StatisticsOwner owner{"test"}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/unit.h"

namespace heddle {

class Statistics;
class StatisticsGroup;

enum class StatisticKind : std::uint8_t {
  counter,    ///< monotonic; subtract two snapshots for an interval
  maximum,    ///< largest value since the last cut
  histogram,  ///< consecutive counters, one per bucket
};

/// Declaration of one stored statistic.
struct StatisticDeclaration {
  std::string name;  ///< dotted, relative to the owner: "issue.warp_instructions"
  std::string sentence;
  Unit unit;
  StatisticKind kind = StatisticKind::counter;
  std::size_t first = 0;              ///< index of its (first) counter
  std::size_t count = 1;              ///< number of counters; more than one for histograms
  std::vector<std::string> labels{};  ///< one per bucket
  bool weighted = false;              ///< histograms: the last counter is the sum of the values
};

class StatisticsView;

/// A number computed from others, only when results are written.
struct DerivedDeclaration {
  std::string name;
  std::string sentence;
  Unit unit;
  std::function<double(const StatisticsView&)> formula;
};

/// The counters of one instance. Not movable, as counters point into it.
class StatisticsOwner {
 public:
  /// Maximum counters per owner. Not a power of two: otherwise the same counter of all instances, updated in the same
  /// cycles, would map to one set of the host's caches.
  static constexpr std::size_t kCapacity = 8000;

  /// class_name: instances of a class are summed and must register the same statistics.
  StatisticsOwner(Statistics& statistics, std::string name, std::string class_name);
  /// A stand-alone owner.
  explicit StatisticsOwner(std::string name);
  ~StatisticsOwner();
  StatisticsOwner(const StatisticsOwner&) = delete;
  StatisticsOwner& operator=(const StatisticsOwner&) = delete;

  const std::string& name() const { return name_; }
  const std::string& class_name() const { return class_; }
  /// Number of counters in use: 0 .. size()-1.
  std::size_t size() const { return size_; }
  const std::uint64_t* data() const { return counters_.get(); }
  const std::vector<StatisticDeclaration>& declarations() const { return declarations_; }
  const std::vector<DerivedDeclaration>& derived() const { return derived_; }
  /// Index of the (first) counter of a statistic, by its name relative to the owner; fails (kInternal) when there is
  /// none.
  std::size_t number_of(std::string_view name) const;

 private:
  friend class Statistics;
  friend class StatisticsGroup;
  Statistics* statistics_ = nullptr;
  std::string name_, class_;
  std::unique_ptr<std::uint64_t[]> counters_;
  std::size_t size_ = 0;
  std::vector<StatisticDeclaration> declarations_;
  std::vector<DerivedDeclaration> derived_;
  std::vector<std::size_t> maxima_;  ///< indices of counters that are maxima
  std::set<std::string> names_;
};

/// A named part of an owner: the statistics of one module or mechanism.
class StatisticsGroup {
 public:
  StatisticsGroup(StatisticsOwner& owner, std::string name) : owner_(owner), prefix_(std::move(name)) {}
  StatisticsGroup(const StatisticsGroup& parent, const std::string& name)
      : owner_(parent.owner_), prefix_(parent.prefix_ + "." + name) {}
  StatisticsOwner& owner() const { return owner_; }
  const std::string& name() const { return prefix_; }

  /// Registers `declaration` (its name is relative to the group); the counters start at zero. Names must be unique
  /// within an owner; name and sentence must not be empty. Returns the counters.
  std::uint64_t* add(StatisticDeclaration declaration) const;
  void add_derived(DerivedDeclaration declaration) const;

 private:
  /// The full name relative to the owner; fails (kInternal) when it is taken or a field is missing.
  std::string declare(const std::string& name, const std::string& sentence) const;
  StatisticsOwner& owner_;
  std::string prefix_;
};

/// Counts events or sums amounts.
class Counter {
 public:
  Counter(const StatisticsGroup& group, std::string name, std::string sentence, Unit unit)
      : value_(group.add({std::move(name), std::move(sentence), unit})), base_(group.owner().data()) {}
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  Counter(Counter&&) = default;

  void operator++() { ++*value_; }
  void operator+=(std::uint64_t amount) { *value_ += amount; }
  std::uint64_t value() const { return *value_; }
  std::size_t number() const { return static_cast<std::size_t>(value_ - base_); }

 private:
  std::uint64_t* value_;
  const std::uint64_t* base_;
};

/// The largest value seen.
class Maximum {
 public:
  Maximum(const StatisticsGroup& group, std::string name, std::string sentence, Unit unit)
      : value_(group.add({std::move(name), std::move(sentence), unit, StatisticKind::maximum})),
        base_(group.owner().data()) {}
  Maximum(const Maximum&) = delete;
  Maximum& operator=(const Maximum&) = delete;
  Maximum(Maximum&&) = default;

  void record(std::uint64_t value) {
    if (value > *value_) *value_ = value;
  }
  std::uint64_t value() const { return *value_; }
  std::size_t number() const { return static_cast<std::size_t>(value_ - base_); }

 private:
  std::uint64_t* value_;
  const std::uint64_t* base_;
};

/// Fixed buckets of a histogram.
struct Buckets {
  std::vector<std::string> labels;
  std::uint64_t low = 0, width = 0;  ///< width 0: powers of two, or labels chosen by index
  bool logarithmic = false;

  /// `count` buckets of `width` values each, the first starting at `low`; values outside go to the nearest bucket.
  static Buckets linear(std::uint64_t low, std::uint64_t width, std::size_t count);
  /// 0, 1, 2-3, 4-7, ...; the last of `count` takes all larger values.
  static Buckets powers_of_two(std::size_t count);
  /// Buckets chosen by index (Histogram::add).
  static Buckets named(std::vector<std::string> labels);
};

/// Counts by bucket; numeric buckets also keep the sum of the values, for the mean.
class Histogram {
 public:
  Histogram(const StatisticsGroup& group, std::string name, std::string sentence, Unit unit, const Buckets& buckets);
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;
  Histogram(Histogram&&) = default;

  /// Named buckets. bucket: 0 .. labels-1.
  void add(std::size_t bucket, std::uint64_t amount = 1) { counts_[bucket] += amount; }
  /// Numeric buckets.
  void record(std::uint64_t value, std::uint64_t amount = 1) {
    counts_[bucket_of(value)] += amount;
    counts_[buckets_] += value * amount;
  }
  std::size_t bucket_of(std::uint64_t value) const;
  std::uint64_t bucket(std::size_t i) const { return counts_[i]; }
  std::size_t buckets() const { return buckets_; }
  std::uint64_t total() const;
  std::size_t number() const { return static_cast<std::size_t>(counts_ - base_); }

 private:
  std::uint64_t* counts_;
  const std::uint64_t* base_;
  std::size_t buckets_;
  std::uint64_t low_, width_;
};

/// Values of one owner, or summed over a class, for use in formulas.
class StatisticsView {
 public:
  explicit StatisticsView(const std::uint64_t* values) : values_(values) {}
  double operator[](const Counter& counter) const { return static_cast<double>(values_[counter.number()]); }
  double operator[](const Maximum& maximum) const { return static_cast<double>(values_[maximum.number()]); }
  double bucket(const Histogram& histogram, std::size_t i) const {
    return static_cast<double>(values_[histogram.number() + i]);
  }
  /// Sum of all buckets.
  double total(const Histogram& histogram) const;
  /// Mean of the recorded values; 0 when there are none.
  double mean(const Histogram& histogram) const;
  /// a / b, and 0 when b is 0.
  double ratio(const Counter& a, const Counter& b) const { return ratio((*this)[a], (*this)[b]); }
  static double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

 private:
  const std::uint64_t* values_;
};

/// A number declared in a group and computed when results are written.
class Derived {
 public:
  Derived(const StatisticsGroup& group, std::string name, std::string sentence, Unit unit,
          std::function<double(const StatisticsView&)> formula) {
    group.add_derived(DerivedDeclaration{std::move(name), std::move(sentence), unit, std::move(formula)});
  }
};

/// Values of every owner over an interval: since the start, during a kernel, during a region.
class StatisticsSample {
 public:
  struct Owner {
    const StatisticsOwner* owner;
    std::vector<std::uint64_t> values;
  };
  const std::vector<Owner>& owners() const { return owners_; }
  /// Over the owners of a class: sums of counters, largest of maxima. The declarations are those of its first owner.
  std::vector<std::uint64_t> of_class(const std::string& class_name) const;
  /// One number by full name ("sm0.issue.warp_instructions", a histogram's bucket as "sm0.issue.slot_lanes[W5-8]");
  /// with globs, the sum over all matches; 0 when there are none.
  double value(std::string_view pattern) const;
  /// Merges another interval into this one: sums counters, keeps the larger maximum.
  void add(const StatisticsSample& other);

 private:
  friend class Statistics;
  std::vector<Owner> owners_;
};

/// A machine-wide number computed from a whole sample.
struct MachineDerived {
  std::string name;
  std::string sentence;
  Unit unit;
  std::function<double(const StatisticsSample&)> formula;
};

/// All owners of a machine, and intervals over them.
class Statistics {
 public:
  using IntervalId = std::size_t;

  Statistics() = default;
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;

  /// Owners in natural order of their names (sm2 before sm10), independent of construction order.
  std::vector<const StatisticsOwner*> owners() const;
  void derive(MachineDerived derived) { derived_.push_back(std::move(derived)); }
  const std::vector<MachineDerived>& derived() const { return derived_; }

  /// Since the start.
  StatisticsSample total();
  /// Opens an interval (kernel, region); intervals may overlap. An owner registered while an interval is open starts at
  /// zero in it.
  IntervalId open();
  /// Values of the interval so far; invalid after close().
  StatisticsSample peek(IntervalId id);
  StatisticsSample close(IntervalId id);
  /// Zeroes everything and discards open intervals (cudaDeviceReset).
  void reset();
  /// Fails (kInternal) when two owners of a class registered different statistics. Called once after elaboration.
  void check_classes() const;

 private:
  friend class StatisticsOwner;
  struct Interval {
    bool open = false;
    std::vector<std::vector<std::uint64_t>> begin;  ///< by owner: counters at the start; zero beyond its end
    std::vector<std::vector<std::uint64_t>>
        maxima;  ///< by owner: largest so far, in declaration order; zero beyond its end
  };
  /// Folds the current maxima into all open intervals and resets them.
  void cut();
  StatisticsSample difference(const Interval& interval) const;
  Interval begin() const;
  void registered(StatisticsOwner& owner);
  void forgotten(const StatisticsOwner& owner);

  std::vector<StatisticsOwner*> owners_;
  std::vector<MachineDerived> derived_;
  std::vector<Interval> intervals_;
  Interval total_;
};

}  // namespace heddle
