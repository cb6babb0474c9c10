// SPDX-License-Identifier: Apache-2.0
// A queue in a ring buffer of power-of-two size. It grows to its high-water mark; in steady state nothing is allocated.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

template <typename T>
class RingQueue {
 public:
  /// capacity_hint: entries held before the ring first grows.
  explicit RingQueue(std::size_t capacity_hint = 8) {
    std::size_t size = 1;
    while (size < capacity_hint) size *= 2;
    ring_.resize(size);
  }

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  T& front() { return ring_[head_ & (ring_.size() - 1)]; }
  const T& front() const { return ring_[head_ & (ring_.size() - 1)]; }
  /// i-th entry from the front; i < size().
  const T& operator[](std::size_t i) const { return ring_[(head_ + i) & (ring_.size() - 1)]; }

  void push(T value) {
    if (size() == ring_.size()) grow();
    ring_[tail_++ & (ring_.size() - 1)] = std::move(value);
  }
  T pop() { return std::move(ring_[head_++ & (ring_.size() - 1)]); }
  void clear() { head_ = tail_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(ring_.size() * 2);
    const std::size_t held = size();
    for (std::size_t i = 0; i < held; ++i) larger[i] = std::move(ring_[(head_ + i) & (ring_.size() - 1)]);
    ring_ = std::move(larger);
    head_ = 0;
    tail_ = held;
  }

  std::vector<T> ring_;
  std::size_t head_ = 0, tail_ = 0;  // monotonic counters; their low bits index the ring
};

}  // namespace heddle
