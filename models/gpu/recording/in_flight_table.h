// SPDX-License-Identifier: Apache-2.0
// A table of what is in flight: its keys increase, and early ones leave early. Found without hashing, in memory for all
// keys from the first that is in it to the last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::gpu {

template <typename T>
class InFlightTable {
 public:
  /// Null: not in the table.
  T* find(std::uint64_t key) {
    if (key - first_ >= end_ - first_) return nullptr;
    Place& place = at(key);
    return place.used ? &place.value : nullptr;
  }
  /// What is there, or a new one.
  T& operator[](std::uint64_t key) {
    if (first_ == end_) first_ = end_ = key;
    while (std::max(end_, key + 1) - std::min(first_, key) > places_.size()) grow();
    for (; end_ <= key; ++end_) at(end_) = {};
    while (first_ > key) at(--first_) = {};
    Place& place = at(key);
    if (!place.used) place = {{}, true};
    return place.value;
  }
  void erase(std::uint64_t key) {
    if (find(key) == nullptr) return;
    at(key).used = false;
    while (first_ != end_ && !at(first_).used) ++first_;
  }
  /// Calls visit(value), lowest key first.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (std::uint64_t key = first_; key != end_; ++key) {
      if (at(key).used) visit(at(key).value);
    }
  }
  void clear() { first_ = end_ = 0; }

 private:
  struct Place {
    T value{};
    bool used = false;
  };
  Place& at(std::uint64_t key) { return places_[key & (places_.size() - 1)]; }
  void grow() {
    std::vector<Place> larger(places_.empty() ? 16 : 2 * places_.size());
    for (std::uint64_t key = first_; key != end_; ++key) larger[key & (larger.size() - 1)] = at(key);
    places_ = std::move(larger);
  }

  std::vector<Place> places_;          ///< by key modulo their number, a power of two
  std::uint64_t first_ = 0, end_ = 0;  ///< keys
};

}  // namespace heddle::gpu
