// SPDX-License-Identifier: Apache-2.0
// Oldest first: packets that could start do so in order of age, as long as their ports are free.
// Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, 18.2 (age as priority).
#include <algorithm>

#include "memory/network/arbiter.h"

namespace heddle::memory {
namespace {

class OldestFirst final : public Arbiter {
 public:
  OldestFirst(unsigned /*inputs*/, unsigned /*outputs*/) {}

  void match(const SwitchRequests& requests, std::vector<SwitchMatch>& matches) override {
    heads_.clear();
    requests.free_outputs.for_each([&](std::size_t output) {
      (requests.wanted[output] & requests.free_inputs).for_each([&](std::size_t input) {
        const SwitchMatch match{static_cast<unsigned>(input), static_cast<unsigned>(output)};
        heads_.push_back({requests.ages.order(match.input, match.output), match});
      });
    });
    std::sort(heads_.begin(), heads_.end(), [](const Head& a, const Head& b) { return a.order < b.order; });
    PortSet inputs = requests.free_inputs, outputs = requests.free_outputs;
    for (const Head& head : heads_) {
      if (!inputs.test(head.match.input) || !outputs.test(head.match.output)) continue;
      matches.push_back(head.match);
      inputs.reset(head.match.input);
      outputs.reset(head.match.output);
    }
  }

 private:
  struct Head {
    std::uint64_t order;
    SwitchMatch match;
  };
  std::vector<Head> heads_;  // of this cycle
};

HEDDLE_REGISTER(Arbiter, OldestFirst, "oldest_first", "the packet that has waited longest first",
                "Dally and Towles, 2004, 18.2");

}  // namespace
}  // namespace heddle::memory
