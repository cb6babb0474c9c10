// SPDX-License-Identifier: Apache-2.0
// iSLIP: every free output grants one of the inputs that request it, and every granted input accepts one output. Both
// choose round robin from a pointer that moves past a grant only if it is accepted in the first iteration.
// Source: McKeown, IEEE/ACM Transactions on Networking 7(2), 1999.
#include <array>

#include "core/unit.h"
#include "memory/network/arbiter.h"

namespace heddle::memory {
namespace {

class Islip final : public Arbiter {
 public:
  struct Parameters {
    unsigned iterations = 1;
    void describe(ParameterVisitor& v) {
      v("iterations", iterations, "rounds of grant and accept per cycle", unit::kNone, range(1, 16));
    }
  };

  Islip(const Parameters& parameters, unsigned inputs, unsigned outputs)
      : iterations_(parameters.iterations), grant_pointer_(outputs, 0), accept_pointer_(inputs, 0), granted_(inputs) {}

  void match(const SwitchRequests& requests, std::vector<SwitchMatch>& matches) override {
    PortSet inputs = requests.free_inputs, outputs = requests.free_outputs;
    for (unsigned iteration = 0; iteration < iterations_; ++iteration) {
      // 1. Grant: outputs choose among the inputs that request them.
      PortSet with_grant;
      outputs.for_each([&](std::size_t output) {
        const PortSet candidates = requests.wanted[output] & inputs;
        if (candidates.none()) return;
        const unsigned input = next_in_turn(candidates, grant_pointer_[output]);
        if (!with_grant.test(input)) granted_[input].clear();
        with_grant.set(input);
        granted_[input].set(output);
      });
      if (with_grant.none()) return;
      // 2. Accept: inputs choose among their grants.
      with_grant.for_each([&](std::size_t input) {
        const unsigned output = next_in_turn(granted_[input], accept_pointer_[input]);
        matches.push_back({static_cast<unsigned>(input), output});
        inputs.reset(input);
        outputs.reset(output);
        if (iteration == 0) {
          grant_pointer_[output] = static_cast<unsigned>((input + 1) % accept_pointer_.size());
          accept_pointer_[input] = static_cast<unsigned>((output + 1) % grant_pointer_.size());
        }
      });
    }
  }

 private:
  unsigned iterations_;
  std::vector<unsigned> grant_pointer_, accept_pointer_;
  std::vector<PortSet> granted_;
};

HEDDLE_REGISTER(Arbiter, Islip, "islip", "outputs grant and inputs accept round robin",
                "McKeown, IEEE/ACM ToN 7(2), 1999");

}  // namespace
}  // namespace heddle::memory
