// SPDX-License-Identifier: Apache-2.0
// The return queue of a channel: an entry for each read from its last burst until its reply has left.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle::memory {

/// The last burst of a request ends on the data bus in cycle `done`.
struct DramCompletion {
  Cycle done;
  std::uint32_t token;
  bool write;
};

class ReturnQueue {
 public:
  explicit ReturnQueue(unsigned entries) : entries_(entries) {}

  /// No read may end. Forwarded reads enter nevertheless: they are answered already.
  bool full() const { return held_ >= entries_; }
  void enter() { ++held_; }
  /// A reply left. Returns whether the queue was just full.
  bool leave() { return held_-- == entries_; }
  /// A read was answered from the write queue; it enters with the next enter_forwarded().
  void forward(std::uint32_t token) { forwarded_.push_back(token); }
  void enter_forwarded(Cycle now, std::vector<DramCompletion>& completions) {
    if (forwarded_.empty()) return;
    for (const std::uint32_t token : forwarded_) completions.push_back({now, token, false});
    held_ += static_cast<unsigned>(forwarded_.size());
    forwarded_.clear();
  }

 private:
  unsigned entries_, held_ = 0;
  std::vector<std::uint32_t> forwarded_;
};

}  // namespace heddle::memory
