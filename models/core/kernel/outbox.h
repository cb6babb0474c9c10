// SPDX-License-Identifier: Apache-2.0
// What a part of a clock domain does to the rest of the machine while parts work at the same time. It is kept until all
// parts have had their cycle and then done in the order of the parts, so that results do not depend on threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle {

class ClockDomain;

class Outbox {
 public:
  explicit Outbox(ClockDomain& part) : part_(part) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// If parts work at the same time, this thread runs one of them, and `domain` is not that part: keeps the call, which
  /// acts on modules of `domain`, for later. Else false: the caller may act at once. call: four words at most.
  template <typename Call>
  static bool keeps(const ClockDomain& domain, const Call& call) {
    if (!sharing_) [[likely]]
      return false;
    return keep(domain, call);
  }
  /// The same for what the part may go on after in a window of cycles (CycleWindows), as nobody answers it.
  template <typename Call>
  static bool keeps_and_goes_on(const ClockDomain& domain, const Call& call) {
    if (!sharing_) [[likely]]
      return false;
    const Cycle stops = open_ != nullptr ? open_->waits_for_ : 0;
    if (!keep(domain, call)) return false;
    open_->waits_for_ = stops;
    return true;
  }
  /// Makes the calls that were kept in cycles up to `last`, in that order.
  void empty(Cycle last = kNever);

  // -- windows
  /// Whether a window is worked on, in which parts, and what is not a part, may be ahead of each other.
  static bool in_window() { return in_window_; }
  /// The part that this thread runs; null: none.
  static ClockDomain* running() { return open_ != nullptr ? &open_->part_ : nullptr; }
  /// The cycle of whoever sends something to a module of `domain` now.
  static Cycle present(const ClockDomain& domain);
  /// The part must not go on until the rest of the machine has worked on this cycle.
  Cycle waits_for() const { return waits_for_; }
  void wait_for(Cycle cycle) { waits_for_ = std::max(waits_for_, cycle); }
  void wait_no_more() { waits_for_ = 0; }

  /// While it lives, parts work at the same time. Made before the other threads are told to, and by one machine only,
  /// since one simulates at a time.
  class Sharing {
   public:
    Sharing() { sharing_ = true; }
    ~Sharing() { sharing_ = false; }
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;
  };
  /// While it lives, a window is worked on.
  class Window {
   public:
    Window() { in_window_ = true; }
    ~Window() { in_window_ = false; }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
  };
  /// While it lives, this thread runs the part of `box`.
  class Use {
   public:
    explicit Use(Outbox& box) { open_ = &box; }
    ~Use() { open_ = nullptr; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

 private:
  /// Apart from keeps(), which is in the way of all that happens on one thread.
  template <typename Call>
  [[gnu::noinline]] static bool keep(const ClockDomain& domain, const Call& call) {
    static_assert(std::is_trivially_copyable_v<Call> && sizeof(Call) <= sizeof(Kept::bytes));
    Outbox* const box = open_;
    if (box == nullptr || &box->part_ == &domain) return false;
    Kept& kept = box->kept_.emplace_back();
    kept.at = box->now();
    box->wait_for(kept.at + 1);
    new (kept.bytes.data()) Call(call);
    kept.run = [](void* bytes) { (*std::launder(static_cast<Call*>(bytes)))(); };
    return true;
  }

  struct Kept {
    Cycle at = 0;
    void (*run)(void* bytes) = nullptr;
    alignas(void*) std::array<std::byte, 4 * sizeof(void*)> bytes;
  };

  Cycle now() const;

  static inline bool in_window_ = false;
  static inline bool sharing_ = false;  ///< spares most the look at open_, which is a call
  static inline thread_local constinit Outbox* open_ = nullptr;

  ClockDomain& part_;
  std::vector<Kept> kept_;
  std::size_t done_ = 0;  ///< of these
  Cycle waits_for_ = 0;
};

}  // namespace heddle
