// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/memory_controller.h"

#include <algorithm>

#include "core/error.h"
#include "core/unit.h"
#include "memory/dram/command_trace.h"
#include "memory/dram/dram_energy.h"
#include "memory/memory_system.h"

namespace heddle::memory {

void MemoryControllerParameters::describe(ParameterVisitor& v) {
  dram.describe(v);
  v("bank", bank, "bank model");
  v("front_latency", front_latency, "from arrival of a request to its entry into the queue", unit::kCycles,
    range(1, 10000));
  v("back_latency", back_latency, "from the end of the data to the reply", unit::kCycles, range(0, 10000));
  v("port_queue", port_queue, "requests a port may hold before they are queued, besides those within front_latency",
    unit::kRequests, range(1, 4096));
}

void MemoryControllerParameters::check(ParameterChecks& checks) const { dram.check(checks); }

MemoryController::Counts::Counts(const StatisticsGroup& s)
    : requests(s, "requests", "requests queued", unit::kRequests),
      replies(s, "replies", "replies sent; equal to requests when idle", unit::kReplies),
      read_bytes(s, "read_bytes", "bytes read", unit::kBytes),
      written_bytes(s, "written_bytes", "bytes written", unit::kBytes),
      read_cycles(s, "read_cycles", "sum over reads of the time from entry into the queue to the reply", unit::kCycles),
      queue_cycles(s, "queue_cycles", "queue entries in use, summed over cycles", unit::kEntryCycles),
      most_queued(s, "most_queued", "most queue entries in use", unit::kEntries) {}

MemoryController::MemoryController(sc_core::sc_module_name name, ClockDomain& domain,
                                   const MemoryControllerParameters& parameters, const StatisticsGroup& statistics,
                                   Services& services, const MemoryControllerSetting& setting)
    : sc_module(name),
      domain_(domain),
      parameters_(parameters),
      setting_(setting),
      tables_(make(parameters.dram.standard)->device()),
      channel_(parameters.dram, tables_, StatisticsGroup(statistics, "channel")),
      storage_("storage",
               [this](std::uint64_t first, std::uint64_t last) {
                 for (auto& port : ports_) port->port.invalidate_direct(first, last);
               }),
      counts_(statistics),
      probe_(services.probes, statistics.owner().name() + "." + statistics.name(), domain.whole().name()) {
  if (!setting_.map) {
    setting_.map = std::make_shared<const AddressMap>(AddressMapParameters{}, parameters.dram.geometry, this->name());
  }
  const TargetPortParameters port{parameters.port_queue + parameters.front_latency - 1, parameters.front_latency};
  for (unsigned i = 0; i < setting_.sockets; ++i) {
    const std::string socket_name = setting_.sockets == 1 ? "in" : "in" + std::to_string(i);
    ports_.push_back(std::make_unique<Port>(socket_name.c_str(), domain, *this, i, port));
  }
  for (unsigned i = 0; i < parameters.dram.geometry.banks(); ++i) {
    const std::string number = std::to_string(i);
    bank_ports_.push_back(std::make_unique<CallPort<DramBankCall>>(("bank_port" + number).c_str()));
    const std::string bank_name = "bank" + number;
    banks_.push_back(
        make(parameters.bank,
             DramBankSite{bank_name.c_str(), tables_.level(DramLevel::bank), tables_.device.row_switch_is_one_command,
                          StatisticsGroup(statistics, bank_name), services, domain.whole().name()}));
    if (!banks_.back())
      fail(ExitCode::configuration, "memory.controller.bank: no kind of bank is called \"{}\"", parameters.bank.name());
    bank_ports_.back()->bind(*banks_.back());
  }
  domain_.add(*this);
  const ChannelGeometry& geometry = parameters.dram.geometry;
  const double clock_ns = 1e9 * domain.time_of(1000000).to_seconds() / 1e6;
  declare_energy(StatisticsGroup(statistics, "channel"), DramEnergy(tables_.device, clock_ns, geometry.banks_of_rank()),
                 channel_.counts(), geometry.ranks);

  const std::string path = statistics.owner().name() + "." + statistics.name();
  structures_.push_back(std::make_unique<Structure>(
      services.structures, path + ".queue", "requests that a controller selects from",
      parameters.dram.queue_entries + parameters.dram.write_queue_entries,
      std::vector<StructureField>{{"address", 40, 1, 1, true}, {"write", 1, 1, 1}, {"valid", 1, 1, 1}}));
  structures_.back()->occupied([this](std::size_t entry) { return entry < channel_.queue().size(); });
  structures_.push_back(std::make_unique<Structure>(
      services.structures, path + ".return_queue", "read replies that wait or are in flight",
      parameters.dram.return_entries,
      std::vector<StructureField>{{"data", 8 * parameters.dram.geometry.burst_bytes, 1, 1}, {"valid", 1, 1, 1}}));
  probe_.add("queued", 16, "queue entries in use", [this] { return channel_.queue().size(); });
  probe_.add("open", 16, "transactions in progress", &open_);
}

MemoryController::~MemoryController() = default;

void MemoryController::end_of_elaboration() {
  std::vector<BankInterface*> banks;
  for (auto& port : bank_ports_) banks.push_back((*port)[0]);
  channel_.connect(std::move(banks));
}

void MemoryController::tick() {
  take_requests();
  command();
  reply();
}

// 1. From the sockets into the queue: one request per cycle and socket, round robin, while there is room.
void MemoryController::take_requests() {
  const auto count = static_cast<unsigned>(ports_.size());
  const unsigned first = turn_;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = (first + i) % count;
    Port& port = *ports_[number];
    port.port.admit();
    if (port.port.front() != nullptr && enqueue(number)) turn_ = (number + 1) % count;
    port.port.sleep();
  }
}

/// Queues the oldest request of a socket, split at row boundaries. False if no piece found room.
bool MemoryController::enqueue(unsigned number) {
  Port& port = *ports_[number];
  Payload& payload = *port.port.front();
  const std::uint64_t burst_bytes = parameters_.dram.geometry.burst_bytes;
  const std::uint64_t address = payload.get_address();
  const unsigned length = std::max(1U, payload.get_data_length());
  const RequestInfo* const info = RequestInfo::of(payload);
  const std::uint32_t source = request_source(info);
  while (port.queued_bytes < length) {
    if (channel_.full(payload.is_write())) return false;
    if (port.transaction == kNone) {
      port.transaction = free_transaction_;
      if (port.transaction != kNone) {
        free_transaction_ = transactions_[port.transaction].next_free;
      } else {
        port.transaction = static_cast<std::uint32_t>(transactions_.size());
        transactions_.emplace_back();
      }
      transactions_[port.transaction] = {&payload, number, 0, 0, false, domain_.now(), 0, kNone};
      ++open_;
      ++counts_.requests;
    }
    // Consecutive bursts in one row form one piece.
    const std::uint64_t first = address + port.queued_bytes;
    const std::uint64_t end = address + length;
    const DramAddress place = setting_.map->decode(first);
    const std::uint64_t row_granule = setting_.map->row_granule();
    const std::uint64_t next = std::min((first / row_granule + 1) * row_granule, end);
    const auto bursts = (next - 1) / burst_bytes - first / burst_bytes + 1;
    DramRequest request;
    request.row = place.row;
    request.column = place.column;
    request.bank = static_cast<std::uint8_t>(place.bank);
    request.bursts = static_cast<std::uint16_t>(bursts);
    request.arrival = domain_.now();
    request.token = port.transaction;
    request.write = payload.is_write();
    request.whole = first % burst_bytes == 0 && next % burst_bytes == 0 && (info == nullptr || !info->partial);
    request.keep_row_open = !request.write && info != nullptr && info->keep_row_open;
    request.source = source;
    count_queue(domain_.now());
    channel_.add(request);
    counts_.most_queued.record(channel_.queue().size());
    ++transactions_[port.transaction].pieces;
    port.queued_bytes = static_cast<unsigned>(next - address);
  }
  transactions_[port.transaction].queued = true;
  // The write queue forwards to later reads, so the data must be visible from now on.
  if (payload.is_write() && channel_.queue().split()) storage_.move(payload);
  (payload.is_write() ? counts_.written_bytes : counts_.read_bytes) += payload.get_data_length();
  port.transaction = kNone;
  port.queued_bytes = 0;
  port.port.pop();
  return true;
}

// 2. Issue a command and schedule the next call.
void MemoryController::command() {
  const Cycle now = domain_.now();
  count_queue(now);
  completions_.clear();
  const Cycle next = channel_.cycle(now, completions_);
  for (const auto& completion : completions_) complete(completion);
  if (next != kNever) domain_.wake(*this, next);
  // If a socket has another request and the queue has room for it, try again in the next cycle.
  for (auto& port : ports_) {
    const Payload* const payload = port->port.front();
    if (payload == nullptr || channel_.full(payload->is_write())) continue;
    domain_.wake(*this, now + 1);
    break;
  }
}

void MemoryController::complete(const DramCompletion& completion) {
  Transaction& transaction = transactions_[completion.token];
  --transaction.pieces;
  if (!completion.write) ++transaction.returns;
  transaction.done = std::max(transaction.done, completion.done);
  if (transaction.pieces != 0 || !transaction.queued) return;
  if (completion.write && !channel_.queue().split()) storage_.move(*transaction.payload);
  Port& port = *ports_[transaction.port];
  const Cycle due = transaction.done + parameters_.back_latency;
  (completion.write ? port.writes : port.reads).push({completion.token, due});
  ++waiting_replies_;
  reply_due_ = std::min(reply_due_, due);
}

// 3. One reply per cycle and socket, the earliest due first.
void MemoryController::reply() {
  if (waiting_replies_ == 0) return;
  const Cycle now = domain_.now();
  if (reply_due_ > now) {
    domain_.wake(*this, reply_due_);
    return;
  }
  reply_due_ = kNever;
  for (auto& pointer : ports_) {
    Port& port = *pointer;
    const auto due = [](const RingQueue<Reply>& queue) { return queue.empty() ? kNever : queue.front().due; };
    if (port.port.can_respond() && std::min(due(port.reads), due(port.writes)) <= now) {
      RingQueue<Reply>& from = due(port.reads) <= due(port.writes) ? port.reads : port.writes;
      const std::uint32_t number = from.pop().transaction;
      Transaction& transaction = transactions_[number];
      Payload& payload = *transaction.payload;
      for (; transaction.returns != 0; --transaction.returns) {
        channel_.returned();
        domain_.wake(*this, now + 1);  // a read that waited for the return queue may issue
      }
      if (!payload.is_write()) {
        storage_.move(payload);
        counts_.read_cycles += now - transaction.arrival;
      }
      transaction.next_free = free_transaction_;
      free_transaction_ = number;
      --waiting_replies_;
      --open_;
      ++counts_.replies;
      port.port.respond(payload);
    }
    const Cycle next = std::min(due(port.reads), due(port.writes));
    if (next == kNever) continue;
    reply_due_ = std::min(reply_due_, next);
    if (next > now + 1) {
      domain_.wake(*this, next);
    } else {
      port.port.wait_to_respond();
    }
  }
}

void MemoryController::count_queue(Cycle now) {
  counts_.queue_cycles += (now - queue_counted_) * channel_.queue().size();
  queue_counted_ = now;
}

void MemoryController::blocking(unsigned, Payload& payload, sc_core::sc_time& delay) {
  // Latency of an access to a closed row on an idle channel.
  Cycle cycles = parameters_.front_latency + parameters_.back_latency + tables_.device.burst_cycles +
                 (payload.is_write() ? tables_.device.write_latency : tables_.device.read_latency);
  for (const auto& rule : tables_.level(DramLevel::bank).own(DramCommand::activate)) {
    if (rule.following == DramCommand::read) cycles += rule.latency;
  }
  delay += domain_.time_of(cycles);
  storage_.move(payload);
}

namespace {

[[maybe_unused]] const bool bandwidth =
    MemoryBandwidths::instance().add("dram", [](const MemorySystemParameters& memory) {
      const DramParameters& dram = memory.controller.dram;
      const DramDevice device = make(dram.standard)->device();
      return std::make_unique<MemoryBandwidth>(
          MemoryBandwidth{device.beats_per_cycle, dram.geometry.burst_bytes, device.burst_cycles});
    });

}  // namespace

HEDDLE_REGISTER(MainMemory, MemoryController, "dram", "memory controllers with DRAM banks", "docs/mechanisms/dram.md");

}  // namespace heddle::memory
