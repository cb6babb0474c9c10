// SPDX-License-Identifier: Apache-2.0
// Misses that a cache reports on request.
#include <vector>

#include "core/kernel/request_port.h"
#include "tests/module/memory/cache_fixture.h"

namespace heddle::memory {
namespace {

/// Loads at chosen cycles, each asking to hear of its miss.
class Asker final : public sc_core::sc_module, public Clocked, private RequestPortOwner {
 public:
  Asker(sc_core::sc_module_name module_name, ClockDomain& domain)
      : sc_module(module_name), port("port", domain, *this), domain_(domain) {
    domain.add(*this);
  }
  void load(Cycle at, std::uint64_t address) {
    loads_.push_back({at, address});
    domain_.wake(*this, at);
  }
  void tick() override {
    for (const auto& [at, address] : loads_) {
      if (at > domain_.now()) domain_.wake(*this, at);
      if (at != domain_.now()) continue;
      Payload& payload = pool_.take(tlm::TLM_READ_COMMAND, address, 128);
      RequestInfo::of(payload)->reports_miss = true;
      port.send(payload);
    }
  }
  void reply(const RequestPort&, Payload& payload, Cycle visible) override {
    replies.push_back(visible);
    payload.release();
  }
  void missed(const RequestPort&, Payload&, Cycle visible) override { misses.push_back(visible); }

  RequestPort port;
  std::vector<Cycle> misses, replies;

 private:
  ClockDomain& domain_;
  PayloadPool pool_;
  std::vector<std::pair<Cycle, std::uint64_t>> loads_;
};

TEST_F(CacheTest, ARequestThatAsksHearsOfItsMissWhenItIsLookedUp) {
  build(l1(), 2, 4096, false, 1);
  Asker asker("asker", bench_.clock);
  checked_.connect(asker.port.socket, cache_->in(1));
  asker.load(10, 0x1000);
  asker.load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(asker.misses, std::vector<Cycle>{10 + 3 + 1}) << "a cycle after the look-up; the hit says nothing";
  EXPECT_EQ(asker.replies.size(), 2u);
}

}  // namespace
}  // namespace heddle::memory
