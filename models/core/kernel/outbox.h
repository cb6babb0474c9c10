// SPDX-License-Identifier: Apache-2.0
// What a part of a clock domain does to the rest of the machine while parts work at the same time. It is kept until all
// parts have had their cycle and then done in the order of the parts, so that results do not depend on threads.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

class ClockDomain;

class Outbox {
 public:
  using Action = void(void* object, void* subject, std::uint64_t value);

  explicit Outbox(const ClockDomain& part) : part_(part) { any_ = true; }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Where this thread has to put what it does to modules of `domain`; null: it may act at once. That is so unless it
  /// runs a part of a domain, and `domain` is not that part.
  static Outbox* towards(const ClockDomain& domain) {
    if (!any_) return nullptr;
    Outbox* const box = open_;
    return box == nullptr || &box->part_ == &domain ? nullptr : box;
  }
  void add(Action* action, void* object, void* subject = nullptr, std::uint64_t value = 0) {
    kept_.push_back({action, object, subject, value});
  }
  /// Does what was kept, in that order.
  void empty() {
    for (const Kept& each : kept_) each.action(each.object, each.subject, each.value);
    kept_.clear();
  }

  /// While it lives, this thread runs the part of `box`.
  class Use {
   public:
    explicit Use(Outbox& box) { open_ = &box; }
    ~Use() { open_ = nullptr; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

 private:
  struct Kept {
    Action* action;
    void* object;
    void* subject;
    std::uint64_t value;
  };

  static inline bool any_ = false;  ///< some machine has parts: spares the others the look at open_, which is a call
  static inline thread_local constinit Outbox* open_ = nullptr;

  const ClockDomain& part_;
  std::vector<Kept> kept_;
};

}  // namespace heddle
