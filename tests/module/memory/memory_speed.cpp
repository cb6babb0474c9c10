// SPDX-License-Identifier: Apache-2.0
// Speed of the memory side: processor time per transaction, by the level that serves it. Not a test; run by hand:
//  build/release/tests/module/memory/memory_speed [million transactions, default 1] [part of a line's name]
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <functional>

#include "memory/dram/memory_controller.h"
#include "memory/memory_system.h"
#include "tests/module/memory/sm_place.h"

namespace heddle::memory {
namespace {

/// Sends one transaction per cycle, with addresses from a function.
class Stream final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  using Address = std::function<std::uint64_t(std::uint64_t i)>;
  Stream(sc_core::sc_module_name name, ClockDomain& domain)
      : sc_module(name), out_("out", domain, *this, *this, 0, {2, 1}), domain_(domain) {
    domain.add(*this);
  }
  InitiatorSocket& out() { return out_.socket; }
  void start(std::uint64_t count, AccessKind kind, Address address, unsigned bytes = 128) {
    left_ = count;
    bytes_ = bytes;
    kind_ = kind;
    address_ = std::move(address);
    domain_.wake_next(*this);
  }
  bool done() const { return left_ == 0 && pool_.outstanding() == 0; }
  void tick() override {
    out_.admit();
    while (Payload* payload = out_.front()) {
      out_.pop();
      payload->release();
    }
    if (left_ != 0 && out_.can_send()) {
      const bool write = kind_ == AccessKind::store;
      Payload& payload = pool_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address_(sent_++), bytes_);
      RequestInfo::of(payload)->kind = kind_;
      --left_;
      out_.send(payload);
    }
    if (left_ != 0) out_.wait_to_send();
    out_.sleep();
  }

 private:
  void blocking(unsigned, Payload&, sc_core::sc_time&) override {}
  unsigned debug(unsigned, Payload&) override { return 0; }
  bool direct(unsigned, Payload&, tlm::tlm_dmi&) override { return false; }

  InitiatorPort out_;
  ClockDomain& domain_;
  PayloadPool pool_;
  std::uint64_t left_ = 0, sent_ = 0;
  unsigned bytes_ = 128;
  AccessKind kind_ = AccessKind::load;
  Address address_;
};

constexpr unsigned kSms = 15;

struct Machine final : sc_core::sc_module {
  explicit Machine(sc_core::sc_module_name n) : sc_module(n) {
    for (unsigned i = 0; i < kSms; ++i) {
      const std::string number = std::to_string(i);
      owners.push_back(std::make_unique<StatisticsOwner>(services.statistics, "sm" + number, "sm"));
      streams.push_back(std::make_unique<Stream>(("stream" + number).c_str(), core));
      places.push_back(
          std::make_unique<SmPlace>(("sm" + number).c_str(), core, SmCachesParameters{}, *owners.back(), services));
    }
    memory = std::make_unique<MemorySystem>("memory", MemoryClocks{icnt, l2, dram}, MemorySystemParameters{}, kSms,
                                            services);
    for (unsigned i = 0; i < kSms; ++i) {
      streams[i]->out().bind(places[i]->caches.in(SmCacheKind::l1d));
      places[i]->caches.out().bind(memory->in(i));
    }
  }
  ClockTree tree;
  ClockDomain core{"core", tree, 700000}, icnt{"icnt", tree, 700000}, l2{"l2", tree, 700000},
      dram{"dram", tree, 924000};
  Services services;
  std::vector<std::unique_ptr<StatisticsOwner>> owners;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<SmPlace>> places;
  std::unique_ptr<MemorySystem> memory;
};

/// One channel of GDDR5 behind a controller, and one socket.
struct Channel final : sc_core::sc_module {
  explicit Channel(sc_core::sc_module_name n) : sc_module(n) {
    MemoryControllerParameters parameters;
    parameters.dram.geometry = {1, 4, 4, 2048, 64};
    controller =
        std::make_unique<MemoryController>("mc0", clock, parameters, StatisticsGroup(owner, "controller"), services);
    stream.out().bind(controller->in());
  }
  ClockTree tree;
  ClockDomain clock{"dram_clock", tree, 924000};
  Services services;
  StatisticsOwner owner{services.statistics, "mc0", "mc"};
  Stream stream{"stream", clock};
  std::unique_ptr<MemoryController> controller;
};

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string_view only;

void measure(Machine& machine, const char* what, unsigned sms, std::uint64_t count, AccessKind kind,
             const std::function<Stream::Address(unsigned sm)>& addresses) {
  if (std::string_view(what).find(only) == std::string_view::npos) return;
  for (unsigned i = 0; i < sms; ++i) machine.streams[i]->start(count / sms, kind, addresses(i));
  const Cycle from = machine.core.now();
  const double before = seconds();
  const auto busy = [&] {
    for (unsigned i = 0; i < sms; ++i) {
      if (!machine.streams[i]->done()) return true;
    }
    return !machine.memory->idle();
  };
  do {
    sc_core::sc_start(machine.core.time_of(1000));
  } while (busy());
  const double used = seconds() - before;
  const Cycle cycles = machine.core.now() - from;
  fmt::print("{:44} {:8.1f} ns a transaction, {:6.2f} us a core cycle, {:5.2f} transactions a cycle\n", what,
             1e9 * used / static_cast<double>(count), 1e6 * used / static_cast<double>(cycles),
             static_cast<double>(count) / static_cast<double>(cycles));
}

/// Requests of one burst each.
void measure(Channel& channel, const char* what, std::uint64_t count, const Stream::Address& address) {
  if (std::string_view(what).find(only) == std::string_view::npos) return;
  channel.stream.start(count, AccessKind::load, address, 64);
  const Cycle from = channel.clock.now();
  const double before = seconds();
  do {
    sc_core::sc_start(channel.clock.time_of(1000));
  } while (!channel.stream.done());
  const double used = seconds() - before;
  const auto cycles = static_cast<double>(channel.clock.now() - from);
  fmt::print("{:44} {:8.2f} M requests a second of processor time, {:5.2f} cycles a request\n", what,
             1e-6 * static_cast<double>(count) / used, cycles / static_cast<double>(count));
}

}  // namespace
}  // namespace heddle::memory

int main(int argc, char** argv) {
  using namespace heddle::memory;
  using heddle::AccessKind;
  const auto count = static_cast<std::uint64_t>(1e6 * (argc > 1 ? std::atof(argv[1]) : 1.0));
  if (argc > 2) only = argv[2];
  Channel channel("channel");
  Machine machine("machine");  // all modules before any time passes
  measure(channel, "DRAM alone, GDDR5, streaming", count, [](std::uint64_t i) { return 64 * i; });
  measure(channel, "DRAM alone, GDDR5, random", count,
          [](std::uint64_t i) { return 64 * ((i * 0x9e3779b97f4a7c15ULL) >> 42); });
  const auto small = [](unsigned sm) {
    return [sm](std::uint64_t i) { return 0x1000000 + 4096 * std::uint64_t{sm} + 128 * (i % 16); };
  };
  // 512 KB shared by all: more than an L1, less than the L2.
  const auto shared = [](unsigned sm) {
    return [sm](std::uint64_t i) { return 0x2000000 + 128 * ((i * 61 + sm * 97) % 4096); };
  };
  const auto streaming = [](unsigned sm) {
    return [sm](std::uint64_t i) { return 0x10000000 + 128 * (i * kSms + sm); };
  };
  const auto random = [](unsigned sm) {
    return [sm](std::uint64_t i) { return 0x40000000 + 128 * (((i * kSms + sm) * 0x9e3779b97f4a7c15ULL) >> 42); };
  };
  measure(machine, "L1 hits, one SM", 1, count, AccessKind::load, small);
  measure(machine, "L1 hits, 15 SMs", kSms, count, AccessKind::load, small);
  measure(machine, "L2 hits, 15 SMs", kSms, count, AccessKind::load, shared);
  measure(machine, "DRAM reads, streaming, 15 SMs", kSms, count, AccessKind::load, streaming);
  measure(machine, "DRAM writes, streaming, 15 SMs", kSms, count, AccessKind::store, streaming);
  measure(machine, "DRAM reads, random, 15 SMs", kSms, count / 2, AccessKind::load, random);
  return 0;
}
