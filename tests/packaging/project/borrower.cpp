// SPDX-License-Identifier: Apache-2.0
// A plain TLM-2.0 initiator in front of an installed cache and memory. Ends with status 0 when two reads of a line
// cross the cache, and when the mechanisms that register themselves are there.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstdio>
#include <systemc>

#include "core/mechanism.h"
#include "core/services.h"
#include "memory/cache.h"
#include "sm/scheduling/order_policy.h"

namespace {

const sc_core::sc_time kMemoryTime(50, sc_core::SC_NS);

class Reader final : public sc_core::sc_module {
 public:
  explicit Reader(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}

  /// True when the byte at `address` is what Memory holds there.
  bool read(std::uint64_t address, sc_core::sc_time& delay) {
    unsigned char byte = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(&byte);
    payload.set_data_length(1);
    payload.set_streaming_width(1);
    socket->b_transport(payload, delay);
    return payload.is_response_ok() && byte == address % 251;
  }

  tlm_utils::simple_initiator_socket<Reader> socket;
};

/// Every byte is its address modulo 251.
class Memory final : public sc_core::sc_module {
 public:
  explicit Memory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Memory::b_transport);
  }

  tlm_utils::simple_target_socket<Memory> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      payload.get_data_ptr()[i] = static_cast<unsigned char>((payload.get_address() + i) % 251);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += kMemoryTime;
  }
};

}  // namespace

int main() {
  using namespace heddle;
  if (make(Mechanism<sm::OrderPolicy>("gto"), sm::SchedulerShape{}) == nullptr) {
    std::puts("borrower: no order policy 'gto': registrations were lost when linking");
    return 1;
  }
  ClockTree tree;
  ClockDomain clock{"clock", tree, 1000000};
  Services services;
  StatisticsOwner cache_statistics(services.statistics, "cache", "cache");
  memory::CacheParameters parameters;
  parameters.tags.sets = 32;
  parameters.tags.ways = 4;
  memory::Cache cache("cache", clock, parameters, {cache_statistics, "main"}, services);
  Reader reader("reader");
  Memory below("memory");
  reader.socket.bind(cache.in());
  cache.out().bind(below.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  sc_core::sc_time delay;
  if (!reader.read(0x1234, delay)) {
    std::puts("borrower: the read brought something else");
    return 1;
  }
  std::printf("borrower: the read took %s\n", delay.to_string().c_str());
  return delay >= kMemoryTime ? 0 : 1;
}
