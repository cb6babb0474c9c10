// SPDX-License-Identifier: Apache-2.0
// Round robin: outputs choose one after another, each the next free requesting input after the one it served last. The
// output that chooses first rotates too.
// Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, 18.4 and 19.2.
#include "memory/network/arbiter.h"

namespace heddle::memory {
namespace {

class RoundRobin final : public Arbiter {
 public:
  RoundRobin(unsigned /*inputs*/, unsigned outputs) : next_input_(outputs, 0) {}

  void match(const SwitchRequests& requests, std::vector<SwitchMatch>& matches) override {
    PortSet inputs = requests.free_inputs, outputs = requests.free_outputs;
    unsigned output = first_output_;
    first_output_ = static_cast<unsigned>((first_output_ + 1) % next_input_.size());
    while (outputs.any()) {
      output = next_in_turn(outputs, output);
      outputs.reset(output);
      const PortSet candidates = requests.wanted[output] & inputs;
      if (candidates.none()) continue;
      const unsigned input = next_in_turn(candidates, next_input_[output]);
      matches.push_back({input, output});
      inputs.reset(input);
      next_input_[output] = (input + 1) % kMaxSwitchPorts;
    }
  }

 private:
  std::vector<unsigned> next_input_;  // by output
  unsigned first_output_ = 0;
};

HEDDLE_REGISTER(Arbiter, RoundRobin, "round_robin", "outputs choose in turn, each the next requesting input in turn",
                "Dally and Towles, 2004, 18.4");

}  // namespace
}  // namespace heddle::memory
