// SPDX-License-Identifier: Apache-2.0
// A memory below the L2 that knows b_transport alone, with bytes of its own.
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel/services.h"
#include "memory/main_memory.h"

namespace {

class BlockingMemory final : public sc_core::sc_module, public heddle::memory::MainMemory {
 public:
  struct Parameters {
    unsigned latency_ns = 100;
    void describe(heddle::ParameterVisitor& v) {
      v("latency_ns", latency_ns, "time of every access, in nanoseconds", heddle::unit::kNone, heddle::range(1, 100000));
    }
  };

  BlockingMemory(const Parameters& parameters, const heddle::memory::MainMemorySite& site)
      : sc_module(sc_core::sc_module_name(site.name)),
        latency_(parameters.latency_ns, sc_core::SC_NS),
        statistics_(site.statistics),
        accesses_(statistics_, "accesses", "reads and writes done", heddle::unit::kRequests) {
    for (unsigned i = 0; i < site.sockets; ++i) {
      sockets_.push_back(std::make_unique<Socket>(("in" + std::to_string(i)).c_str()));
      sockets_.back()->register_b_transport(this, &BlockingMemory::access);
      sockets_.back()->register_transport_dbg(this, &BlockingMemory::debug);
    }
  }

  heddle::memory::AnyTarget& in(unsigned i) override { return *sockets_[i]; }
  unsigned busy() const override { return under_way_; }

 private:
  using Socket = tlm_utils::simple_target_socket<BlockingMemory>;

  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++under_way_;
    ++accesses_;
    wait(delay + latency_);
    delay = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    move(payload);
    --under_way_;
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    move(payload);
    return payload.get_data_length();
  }
  void move(tlm::tlm_generic_payload& payload) {
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
      const std::uint64_t address = payload.get_address() + i;
      unsigned char& byte = payload.get_data_ptr()[i];
      if (payload.is_write()) {
        bytes_[address] = byte;
      } else if (payload.is_read()) {
        const auto found = bytes_.find(address);
        byte = found != bytes_.end() ? found->second : 0;
      }
    }
  }

  sc_core::sc_time latency_;
  std::vector<std::unique_ptr<Socket>> sockets_;
  std::map<std::uint64_t, unsigned char> bytes_;  // those that were written
  unsigned under_way_ = 0;
  heddle::StatisticsGroup statistics_;
  heddle::Counter accesses_;
};

HEDDLE_REGISTER(heddle::memory::MainMemory, BlockingMemory, "blocking", "one access after another, by b_transport",
                "docs/guide-memory-kind.md");

}  // namespace
