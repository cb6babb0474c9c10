// SPDX-License-Identifier: Apache-2.0
#include "core/trace/waveform_view.h"

#include <algorithm>
#include <utility>

namespace heddle {

void WaveformMoments::recorded(std::uint64_t begin, std::uint64_t end, std::uint64_t changed) {
  first_ = std::min(first_, begin);
  last_ = begin;
  end_ = std::max(end_, end);
  if (changed == 0) return;
  // Counted from 1, so that the first half has one before it.
  const std::uint64_t number = begin / half_ + 1;
  if (number != present_.number) {
    previous_ = number == present_.number + 1 ? present_ : Half{number - 1, 0, {}};
    present_ = {number, 0, {}};
  }
  present_.changed += changed;
  if (changed > present_.peak.changed) present_.peak = {begin, changed};
  if (previous_.changed + present_.changed <= busiest_.changed) return;
  busiest_ = {previous_.number, previous_.changed + present_.changed,
              previous_.peak.changed >= present_.peak.changed ? previous_.peak : present_.peak};
}

void WaveformMoments::mark(std::uint64_t at, std::string name) {
  if (marks_.size() == kMarks) {
    if (!last_marks_) return;
    marks_.pop_front();
  }
  marks_.push_back({at, std::move(name)});
}

void WaveformMoments::forget_before(std::uint64_t time) {
  first_ = time;
  while (!marks_.empty() && marks_.front().picoseconds < time) marks_.pop_front();
}

WaveformOpening WaveformMoments::opening(Shown shown) const {
  WaveformOpening opening;
  if (end_ <= first_) return opening;
  const std::uint64_t length = std::min(2 * half_, end_ - first_);
  switch (shown) {
    case Shown::busiest:
      opening.begin = busiest_.number == 0 ? first_ : (busiest_.number - 1) * half_;
      opening.marker = busiest_.changed == 0 ? first_ : busiest_.peak.at;
      break;
    case Shown::begin:
      opening.begin = opening.marker = first_;
      break;
    case Shown::end:
      opening.begin = end_;
      opening.marker = last_;
      break;
  }
  opening.begin = std::clamp(opening.begin, first_, end_ - length);
  opening.length = length;
  opening.marks.assign(marks_.begin(), marks_.end());
  return opening;
}

}  // namespace heddle
