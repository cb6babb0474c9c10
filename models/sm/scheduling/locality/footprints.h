// SPDX-License-Identifier: Apache-2.0
// Cache footprint prediction table, and which warps it lets load: in order, as long as the sum of their footprints fits
// in the cache.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5.1, 2.5.3, 2.5.4, 3 (DA-2, DA-5) and 9 (Q13 to Q16,
// Q21 to Q23). Logic only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "sm/packet.h"
#include "sm/scheduling/locality/load_classes.h"

namespace heddle::sm {

/// Widths: of a footprint, of the effective size of the cache, of the sum.
inline constexpr unsigned kFootprintBits = 10, kEffectiveLinesBits = 9, kFootprintSumBits = 15;
inline constexpr unsigned kMostFootprint = (1u << kFootprintBits) - 1;

/// An outermost loop, by its first and last instruction.
struct LoopBounds {
  CodeAddress begin = kNoCode, end = 0;
  bool contains(CodeAddress at) const { return begin <= at && at <= end; }
};

struct Footprint {
  CodeAddress loop = kNoCode;  ///< the loop that was predicted; kNoCode: none
  std::uint16_t lines = 0;     ///< predicted; at most kMostFootprint
  bool tentative = false;      ///< outside any loop: that of the loop closest to a load that is about to issue
  LoopBounds outermost;
};

/// By context. A context whose footprint is 0 is never kept from loading.
class FootprintTable {
 public:
  const Footprint& operator[](ContextId context) const { return entries_[context]; }
  /// Contexts in a loop; with a footprint; with a tentative one.
  const ContextSet& in_loop() const { return in_loop_; }
  const ContextSet& with_lines() const { return with_lines_; }
  const ContextSet& tentative() const { return tentative_; }
  /// Whether any context in a loop has a footprint.
  bool loop_with_lines() const { return (with_lines_ & in_loop_).any(); }
  /// Whether anything changed since the last call.
  bool take_changed() { return std::exchange(changed_, false); }
  bool changed() const { return changed_; }

  /// The loop whose footprint the context gets when it issues the first instruction of `loop`: once an inner loop has
  /// run, trips of the loop around it keep the inner one's.
  CodeAddress predicted(ContextId context, CodeAddress loop) const {
    return in_loop_.test(context) ? std::max(entries_[context].loop, loop) : loop;
  }
  /// The context is in predicted(loop), inside `outermost`.
  void begins(ContextId context, CodeAddress loop, const LoopBounds& outermost, unsigned lines);
  /// Whether the context leaves all loops with the instruction at `at`.
  bool leaves(ContextId context, CodeAddress at) const {
    return in_loop_.test(context) && !entries_[context].outermost.contains(at);
  }
  /// A context outside any loop is about to issue a load.
  void expects(ContextId context, CodeAddress closest_loop, unsigned lines);
  /// The context waits for others: they must not wait for it. Its footprint returns with its next trip.
  void waits(ContextId context) { set_lines(context, 0); }
  void clear(ContextId context);

 private:
  void set_lines(ContextId context, unsigned lines);

  std::array<Footprint, kMaxContexts> entries_{};
  ContextSet in_loop_, with_lines_, tentative_;
  bool changed_ = false;
};

struct AdmissionRule {
  unsigned effective_lines = 153;  ///< into which footprints must fit
  unsigned cache_lines = 256;      ///< a loop of which one warp needs more is not throttled
  bool strict_age = false;         ///< else contexts that were admitted before come first
};

/// Lines into which footprints must fit. factor: for what an associative cache of limited ways, and other accesses,
/// evict too early.
inline unsigned effective_lines(double factor, unsigned cache_lines) {
  return static_cast<unsigned>(factor * cache_lines);
}

class LoadAdmission {
 public:
  explicit LoadAdmission(const AdmissionRule& rule) : rule_(rule) {}

  /// Brings the sets up to date. older(a, b): whether context a is older.
  template <typename Older>
  void admit(const FootprintTable& table, Older&& older) {
    order_.clear();
    table.with_lines().for_each([&](std::size_t c) { order_.push_back(ContextId(c)); });
    std::sort(order_.begin(), order_.end(), [&](ContextId a, ContextId b) {
      if (!rule_.strict_age && admitted_.test(a) != admitted_.test(b)) return admitted_.test(a);
      return older(a, b);
    });
    decide(table);
  }
  /// Contexts that may not load.
  const ContextSet& blocked() const { return blocked_; }
  /// Contexts in a loop with a footprint that may load.
  const ContextSet& admitted() const { return admitted_; }
  /// Of all footprints that count, and of those admitted.
  unsigned sum() const { return sum_; }
  unsigned admitted_sum() const { return admitted_sum_; }
  const AdmissionRule& rule() const { return rule_; }
  void set_rule(const AdmissionRule& rule) { rule_ = rule; }
  /// Whether a loop was left alone because one warp of it needs more lines than there are.
  bool over_capacity() const { return !too_large_.empty(); }

 private:
  void decide(const FootprintTable& table);

  AdmissionRule rule_;
  std::vector<ContextId> order_;
  std::vector<CodeAddress> too_large_;  ///< loops that are not throttled
  ContextSet blocked_, admitted_;
  unsigned sum_ = 0, admitted_sum_ = 0;
};

}  // namespace heddle::sm
