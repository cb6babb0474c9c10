// SPDX-License-Identifier: Apache-2.0
// Heddle's memory system among plain TLM-2.0 modules: initiators without any Heddle knowledge drive an L1, the
// crossbar, an L2 slice and a memory controller, all backed by the same data; another L2 sits above a plain memory. A
// protocol checker guards every socket.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "core/kernel/clock.h"
#include "core/kernel/protocol_checker.h"
#include "core/kernel/services.h"
#include "memory/cache/cache.h"
#include "memory/cache/sm_caches.h"
#include "memory/host_storage.h"
#include "memory/memory_system.h"
#include "tb/plain_initiator.h"
#include "tb/plain_memory.h"

namespace heddle::tb {

class MemoryPlatform final : public sc_core::sc_module {
 public:
  /// Where an initiator is connected.
  enum Entry : unsigned { kL1, kCrossbar, kL2, kController, kL2OverPlainMemory, kEntries };

  /// bytes: size of the memory, at base(). style: response style of the plain memory.
  MemoryPlatform(sc_core::sc_module_name name, std::size_t bytes, PlainMemory::Style style)
      : sc_module(name),
        bytes_(bytes),
        plain_("plain_memory", kBase + bytes, style, sc_core::sc_time(40, sc_core::SC_NS)),
        storage_("storage", kBase, bytes, bytes_.data()),
        clock_("clock", tree_, 1'000'000),
        sm_(services_.statistics, "sm0", "sm"),
        caches_(clock_, l1_parameters(), sm_, services_),
        system_("system", {clock_, clock_, clock_}, {}, 2, services_),
        l2_("l2", {clock_, clock_, clock_}, one_slice(), 1, l2_services_, 0, memory::MemoryEntry::l2),
        controller_("controller", {clock_, clock_, clock_}, one_slice(), 1, controller_services_, 0,
                    memory::MemoryEntry::controller),
        over_plain_owner_(services_.statistics, "over_plain", "over_plain"),
        over_plain_("over_plain", clock_, one_slice().l2, {over_plain_owner_, "cache"}, services_) {
    for (unsigned i = 0; i < kEntries; ++i) {
      initiators_[i] = std::make_unique<PlainInitiator>(("initiator" + std::to_string(i)).c_str());
      connect(initiators_[i]->socket, target(static_cast<Entry>(i)));
    }
    connect(caches_.out(), system_.in(0));
    connect(over_plain_.out(), plain_.socket);
    for (memory::MemorySystem* system : {&system_, &l2_, &controller_}) system->bind_storage(storage_.socket);
  }

  static constexpr std::uint64_t kBase = 0x100000;
  /// A request must stay within an aligned block of this many bytes, which belongs to one slice.
  std::uint64_t granule() const { return system_.map().granule(); }
  PlainInitiator& initiator(Entry entry) { return *initiators_[entry]; }
  /// Memory reached through kL1 to kController.
  std::vector<unsigned char>& bytes() { return bytes_; }
  /// Memory reached through kL2OverPlainMemory, from kBase on.
  unsigned char* plain_bytes() { return plain_.bytes().data() + kBase; }
  PlainMemory& plain_memory() { return plain_; }
  const Statistics& statistics() const { return services_.statistics; }

  /// Protocol violations on any socket so far.
  std::vector<std::string> violations() const {
    std::vector<std::string> all;
    for (const auto& checker : checkers_) {
      all.insert(all.end(), checker->violations().begin(), checker->violations().end());
    }
    return all;
  }
  /// Transactions seen by the checkers.
  std::uint64_t transactions() const {
    std::uint64_t sum = 0;
    for (const auto& checker : checkers_) sum += checker->transactions();
    return sum;
  }

 private:
  static memory::MemorySystemParameters one_slice() {
    memory::MemorySystemParameters p;
    p.map = {};
    p.controller.dram.geometry = {};
    p.l2.lookup_latency = 20;
    p.l2.miss_latency = 10;
    p.l2.tags.sets = 4;
    p.l2.tags.ways = 2;
    return p;
  }
  static memory::SmCachesParameters l1_parameters() {
    memory::SmCachesParameters p;
    p.l1d.cache.lookup_latency = 4;
    p.l1d.cache.tags.ways = 1;
    return p;
  }
  memory::AnyTarget& target(Entry entry) {
    switch (entry) {
      case kL1:
        return caches_.in(memory::SmCacheKind::l1d);
      case kCrossbar:
        return system_.in(1);
      case kL2:
        return l2_.in(0);
      case kController:
        return controller_.in(0);
      default:
        return over_plain_.in();
    }
  }
  template <typename Initiator, typename Target>
  void connect(Initiator& initiator, Target& target) {
    checkers_.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker")));
    initiator.bind(checkers_.back()->in);
    checkers_.back()->out.bind(target);
  }

  std::vector<unsigned char> bytes_;
  PlainMemory plain_;
  memory::HostStorage storage_;
  ClockTree tree_;
  ClockDomain clock_;
  Services services_, l2_services_, controller_services_;
  StatisticsOwner sm_;
  memory::SmCaches caches_;
  memory::MemorySystem system_, l2_, controller_;
  StatisticsOwner over_plain_owner_;
  memory::Cache over_plain_;
  std::array<std::unique_ptr<PlainInitiator>, kEntries> initiators_;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace heddle::tb
