// SPDX-License-Identifier: Apache-2.0
// What a part of a clock domain does to the rest of the machine while parts work at the same time. It is kept until all
// parts have had their cycle and then done in the order of the parts, so that results do not depend on threads.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

namespace heddle {

class ClockDomain;

class Outbox {
 public:
  explicit Outbox(const ClockDomain& part) : part_(part) {}
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
  /// Makes the calls that were kept, in that order.
  void empty() {
    for (Kept& each : kept_) each.run(each.bytes.data());
    kept_.clear();
  }

  /// While it lives, parts work at the same time. Made before the other threads are told to, and by one machine only,
  /// since one simulates at a time.
  class Sharing {
   public:
    Sharing() { sharing_ = true; }
    ~Sharing() { sharing_ = false; }
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;
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
    new (kept.bytes.data()) Call(call);
    kept.run = [](void* bytes) { (*std::launder(static_cast<Call*>(bytes)))(); };
    return true;
  }

  struct Kept {
    void (*run)(void* bytes) = nullptr;
    alignas(void*) std::array<std::byte, 4 * sizeof(void*)> bytes;
  };

  static inline bool sharing_ = false;  ///< spares most the look at open_, which is a call
  static inline thread_local constinit Outbox* open_ = nullptr;

  const ClockDomain& part_;
  std::vector<Kept> kept_;
};

}  // namespace heddle
