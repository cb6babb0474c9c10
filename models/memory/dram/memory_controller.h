// SPDX-License-Identifier: Apache-2.0
// A memory controller: base-protocol sockets above, one channel with its banks behind call sockets below.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/payload.h"
#include "core/kernel/services.h"
#include "core/ring_queue.h"
#include "memory/address_map.h"
#include "memory/dram/dram_bank.h"
#include "memory/dram/dram_channel.h"
#include "memory/dram/memory_controller_parameters.h"
#include "memory/main_memory.h"
#include "memory/storage_port.h"

namespace heddle::memory {

/// The place of a controller in the machine, given in addition to its parameters.
struct MemoryControllerSetting {
  unsigned sockets = 1;
  std::shared_ptr<const AddressMap> map;  ///< null: one controller; address = row, bank, column
};

class MemoryController final : public sc_core::sc_module, public MainMemory, public Clocked, private BaseProtocolOwner {
 public:
  /// statistics: the group of the controller; channel and banks are groups below it.
  MemoryController(sc_core::sc_module_name name, ClockDomain& domain, const MemoryControllerParameters& parameters,
                   const StatisticsGroup& statistics, Services& services, const MemoryControllerSetting& setting = {});
  explicit MemoryController(const MainMemorySite& site)
      : MemoryController(site.name, site.domain, site.controller, site.statistics, site.services,
                         {site.sockets, site.map}) {}
  ~MemoryController() override;

  TargetSocket& in(unsigned i = 0) override { return ports_[i]->port.socket; }
  /// Socket towards the data; may stay unbound if there is no foreign initiator.
  StoragePort::Socket& storage() { return storage_.socket; }
  AnyInitiator* bytes() override { return &storage_.socket; }

  void tick() override;
  void settle() override {
    count_queue(domain_.arrival_cycle() - 1);
    channel_.settle(domain_.arrival_cycle() - 1);
  }

  const MemoryControllerParameters& parameters() const { return parameters_; }
  const DramTables& tables() const { return tables_; }
  DramChannel& channel() { return channel_; }
  const ChannelGeometry* banks() const override { return &parameters_.dram.geometry; }
  void listen(DramCommandListener& listener) override { channel_.listen(listener); }
  std::uint64_t address_of(const DramRequest& read) const override {
    return transactions_[read.token].payload->get_address();
  }
  /// Transactions accepted and not yet answered.
  unsigned busy() const override { return open_; }

  struct Counts {
    explicit Counts(const StatisticsGroup& statistics);
    Counter requests, replies, read_bytes, written_bytes, read_cycles, queue_cycles;
    Maximum most_queued;
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Transaction {
    Payload* payload = nullptr;
    unsigned port = 0;
    unsigned pieces = 0;   // in the queue or on the bus
    unsigned returns = 0;  // entries held in the return queue
    bool queued = false;   // completely
    Cycle arrival = 0, done = 0;
    std::uint32_t next_free = kNone;
  };
  struct Reply {
    std::uint32_t transaction = 0;
    Cycle due = 0;
  };
  struct Port {
    Port(const char* name, ClockDomain& domain, MemoryController& controller, unsigned number,
         const TargetPortParameters& p)
        : port(name, domain, controller, controller, number, p) {}
    TargetPort port;
    RingQueue<Reply> reads, writes;     // each ordered by due cycle
    std::uint32_t transaction = kNone;  // of the oldest request, if partly queued
    unsigned queued_bytes = 0;
  };

  void end_of_elaboration() override;
  // Steps of a cycle.
  void take_requests();
  void command();
  void reply();

  bool enqueue(unsigned number);
  void complete(const DramCompletion& completion);
  void count_queue(Cycle now);

  void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) override;
  unsigned debug(unsigned, Payload& payload) override { return storage_.debug(payload); }
  bool direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) override { return storage_.direct(payload, dmi); }

  ClockDomain& domain_;
  MemoryControllerParameters parameters_;
  MemoryControllerSetting setting_;
  DramTables tables_;
  DramChannel channel_;
  StoragePort storage_;
  std::vector<std::unique_ptr<CallPort<DramBankCall>>> bank_ports_;
  std::vector<std::unique_ptr<DramBankCall>> banks_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Transaction> transactions_;
  std::uint32_t free_transaction_ = kNone;
  unsigned open_ = 0, waiting_replies_ = 0, turn_ = 0;
  Cycle reply_due_ = kNever;  // of the earliest waiting reply
  std::vector<DramCompletion> completions_;
  Cycle queue_counted_ = 0;
  Counts counts_;
  std::vector<std::unique_ptr<Structure>> structures_;
  ProbeGroup probe_;
};

}  // namespace heddle::memory
