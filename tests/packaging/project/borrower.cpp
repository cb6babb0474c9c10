// SPDX-License-Identifier: Apache-2.0
// Modules of an installed Heddle between plain TLM-2.0 ones: a cache, a memory controller, and an SM that runs a
// kernel. Exits with 0 if one read passes through the cache and another through the controller, the SM completes the
// kernel, and self-registering mechanisms are available.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "core/config/mechanism.h"
#include "core/kernel/instruction_store.h"
#include "core/kernel/services.h"
#include "gpu/dispatch/block_dispatcher.h"
#include "isa/module.h"
#include "memory/cache/cache.h"
#include "memory/dram/memory_controller.h"
#include "sm/scheduling/order_policy.h"
#include "sm/sm.h"

namespace {

const sc_core::sc_time kMemoryTime(50, sc_core::SC_NS);

class Reader final : public sc_core::sc_module {
 public:
  explicit Reader(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}

  /// Whether the byte at `address` equals that in Memory.
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
    socket.register_transport_dbg(this, &Memory::transport_dbg);
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
  /// A controller has its own timing and only requests data.
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time ignored;
    b_transport(payload, ignored);
    return payload.get_data_length();
  }
};

/// The SM's kernel accesses nothing outside.
class Nothing final : public heddle::isa::MemoryPort,
                      public heddle::isa::SymbolResolver,
                      public heddle::sm::EffectSink {
 public:
  bool accessible(std::uint64_t, std::uint64_t) const override { return false; }
  std::string nearest(std::uint64_t) const override { return "nothing"; }
  void texture(const heddle::isa::MicroOp&, heddle::isa::WarpState&, std::uint32_t) override {}
  void system_call(const heddle::isa::MicroOp&, heddle::isa::WarpState&, std::uint32_t) override {}
  std::uint64_t address(const heddle::isa::Variable&) const override { return 0; }
  void gathered(heddle::SmId, bool) override {}
};

/// One SM with a dispatcher that feeds it; its sockets end in plain memories.
struct OneSm final : sc_core::sc_module {
  OneSm(sc_core::sc_module_name name, heddle::ClockDomain& clock, heddle::Services& services)
      : sc_module(name),
        gate(clock),
        sm("sm0", heddle::SmId(0), {}, clock, services, "sm"),
        owner(services.statistics, "gpu", "gpu") {
    sm.data.bind(data.socket);
    sm.constant.bind(constant.socket);
    sm.texture.bind(texture.socket);
    instructions.bind(store);
    sm.instructions.bind(instructions);
    const heddle::gpu::BlockDispatcher::SmDescription description{sm.parameters().residency,
                                                                  sm.grouping().traits().granule};
    dispatcher = std::make_unique<heddle::gpu::BlockDispatcher>("dispatcher", gate, heddle::gpu::DispatcherParameters{},
                                                                std::vector{description}, owner, services);
    connect(*dispatcher->to_sms[0], sm.launches());
    connect(sm.finished(), *dispatcher->from_sms[0]);
    heddle::isa::Environment environment;
    environment.sm_count = 1;
    environment.warps_per_sm = sm.parameters().residency.threads / heddle::isa::kWordThreads;
    sm.attach(nothing, nothing, environment);
  }
  /// Enqueues 8 blocks of 64 threads; `done` becomes true when the last has finished.
  void launch(bool& done) {
    kernel = heddle::isa::Module::parse(
                 ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n"
                 "mov.u32 %r1, %tid.x;\nmul.lo.s32 %r2, %r1, %r1;\nret;\n}\n",
                 "kernel.ptx")
                 ->lower("k", nothing);
    auto launch = std::make_shared<heddle::isa::LaunchState>();
    launch->kernel = kernel.get();
    launch->grid = {8, 1, 1};
    launch->block = {64, 1, 1};
    launch->id = 1;
    dispatcher->on_launch_done([&done](const heddle::isa::LaunchState&) { done = true; });
    dispatcher->enqueue(launch);
  }

  heddle::ClockGate gate;
  heddle::sm::Sm sm;
  heddle::StatisticsOwner owner;
  Memory data{"data"}, constant{"constant"}, texture{"texture"};
  heddle::PerfectInstructionStore store;
  sc_core::sc_export<heddle::InstructionStore> instructions{"instructions"};
  Nothing nothing;
  std::unique_ptr<heddle::gpu::BlockDispatcher> dispatcher;
  std::shared_ptr<const heddle::isa::Kernel> kernel;
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

  StatisticsOwner controller_statistics(services.statistics, "mc0", "mc");
  memory::MemoryControllerParameters controller_parameters;
  controller_parameters.dram.geometry = {1, 4, 4, 4096, 64};
  memory::MemoryController controller("mc0", clock, controller_parameters, {controller_statistics, "controller"},
                                      services);
  Reader beside("beside");
  Memory bytes("bytes");
  beside.socket.bind(controller.in());
  controller.storage().bind(bytes.socket);

  OneSm one("one", clock, services);
  bool finished = false;
  one.launch(finished);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  sc_core::sc_time delay;
  if (!reader.read(0x1234, delay)) {
    std::puts("borrower: the read brought something else");
    return 1;
  }
  sc_core::sc_time beside_delay;
  if (!beside.read(0x4321, beside_delay)) {
    std::puts("borrower: the read through the controller brought something else");
    return 1;
  }
  sc_core::sc_start(1, sc_core::SC_MS);
  if (!finished || !one.sm.idle() || one.sm.issue().warp_instructions() == 0) {
    std::puts("borrower: the SM did not come to the kernel's end");
    return 1;
  }
  std::printf("borrower: the SM issued %llu instructions\n",
              static_cast<unsigned long long>(one.sm.issue().warp_instructions()));
  std::printf("borrower: the read took %s\n", delay.to_string().c_str());
  return delay >= kMemoryTime ? 0 : 1;
}
