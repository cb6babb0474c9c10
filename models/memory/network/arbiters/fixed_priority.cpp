// SPDX-License-Identifier: Apache-2.0
// Fixed priority: in ascending order, each output takes the lowest free input with a packet for it. Deliberately
// unfair, as a bound for studies of arbitration.
#include "memory/network/arbiter.h"

namespace heddle::memory {
namespace {

class FixedPriority final : public Arbiter {
 public:
  FixedPriority(unsigned /*inputs*/, unsigned /*outputs*/) {}

  void match(const SwitchRequests& requests, std::vector<SwitchMatch>& matches) override {
    PortSet inputs = requests.free_inputs;
    requests.free_outputs.for_each([&](std::size_t output) {
      const PortSet candidates = requests.wanted[output] & inputs;
      if (candidates.none()) return;
      const std::size_t input = candidates.first();
      matches.push_back({static_cast<unsigned>(input), static_cast<unsigned>(output)});
      inputs.reset(input);
    });
  }
  bool starves() const override { return true; }
};

HEDDLE_REGISTER(Arbiter, FixedPriority, "fixed_priority", "the lowest-numbered input first", "");

}  // namespace
}  // namespace heddle::memory
