// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/json.h"
#include "core/statistics/sampling.h"
#include "gpu/recording/timeline_sources.h"

namespace heddle::gpu {

namespace {
constexpr Plain kLoad{"load"};  // flows
}

Timeline::Timeline(const Request& request, const TraceFilter& filter, ClockDomain& core, Services& services,
                   std::function<void()> settle)
    : writer_(request.path, request.most_bytes, request.about),
      request_(request),
      filter_(filter),
      core_(core),
      services_(services),
      settle_(std::move(settle)),
      due_(request.every - 1) {
  writer_.name_process(kGpuProcess, "GPU", 0);
  writer_.name_thread({kGpuProcess, 0}, "kernels", 0);
  core.add(*this);
  core.wake(*this, due_);
  // Other modules may still run in the last cycle of an interval: gauges are read after all of them.
  core.on_every_cycle([this](Cycle cycle) {
    if (cycle >= due_) sample(cycle);
  });
}

Timeline::~Timeline() = default;

void Timeline::tick() { core_.wake(*this, core_.now() < due_ ? due_ : due_ + request_.every); }

void Timeline::add_gauge(std::uint32_t process, std::string name, std::function<double()> read) {
  gauges_.push_back({process, std::move(name), std::move(read)});
}

std::function<double()> Timeline::rate_of(const StatisticsOwner& owner, const std::vector<std::string>& counters) {
  std::vector<std::size_t> numbers;
  for (const std::string& counter : counters) numbers.push_back(owner.number_of(counter));
  return [this, &owner, numbers, before = std::uint64_t{0}]() mutable {
    std::uint64_t sum = 0;
    for (const std::size_t number : numbers) sum += owner.data()[number];
    return static_cast<double>(sum - std::exchange(before, sum)) / static_cast<double>(request_.every);
  };
}

void Timeline::add_occupancies(const std::string& owner, std::uint32_t process) {
  for (const Structure* structure : services_.structures.all()) {
    const std::string& name = structure->name();
    const bool table = name.ends_with(".miss_table") || name.ends_with(".queue") || name.ends_with(".miss_queue");
    if (!table || !structure->counts() || !name.starts_with(owner + ".")) continue;
    // A partition has several slices of the L2.
    const std::string shown = name.starts_with("l2_") ? name : name.substr(owner.size() + 1);
    add_gauge(process, shown + " (entries in use)", [structure] {
      double count = 0;
      for (std::size_t entry = 0; entry < structure->entries(); ++entry) count += structure->is_occupied(entry) ? 1 : 0;
      return count;
    });
  }
}

void Timeline::sample(Cycle now) {
  due_ = now + request_.every;
  if (writer_.full()) return;
  settle_();
  for (const auto& sm : sms_) sm->cut_waits();
  for (Gauge& gauge : gauges_) {
    const double value = gauge.read();
    if (value == gauge.shown || !taken(now, now + 1 - request_.every)) continue;
    gauge.shown = value;
    writer_.counter(gauge.process, gauge.name, static_cast<double>(now + 1 - request_.every), value);
  }
}

void Timeline::listen_to(memory::MainMemory& controller, unsigned number, unsigned slices, const ClockDomain& clock) {
  const std::uint32_t process = kFirstPartition + number;
  const std::string owner = fmt::format("mc{}", number);
  writer_.name_process(process, fmt::format("memory partition {}", number), process);
  add_occupancies(owner, process);
  for (unsigned i = 0; i < slices; ++i) add_occupancies(fmt::format("l2_{}", number * slices + i), process);
  for (const StatisticsOwner* known : services_.statistics.owners()) {
    if (known->name() == owner)
      add_gauge(process, "bandwidth (bytes/cycle)",
                rate_of(*known, {"controller.read_bytes", "controller.written_bytes"}));
  }
  controllers_.push_back(std::make_unique<OfController>(*this, controller, process, clock));
}

void Timeline::listen_to(sm::Sm& sm) {
  if (!filter_.sm(sm.number())) return;
  const std::uint32_t process = kFirstSm + sm.number();
  writer_.name_process(process, fmt::format("SM {}", sm.number()), process);
  add_gauge(process, "active lanes (mean of a cycle)", rate_of(sm.statistics(), {"issue.active_lanes"}));
  add_gauge(process, "ready warps", [&sm] { return static_cast<double>(sm.contexts().ready.count()); });
  add_gauge(process, "resident warps", [&sm] { return static_cast<double>(sm.contexts().valid.count()); });
  // Warps summed over cycles: their mean.
  for (const StatisticDeclaration& one : sm.statistics().declarations()) {
    if (std::string_view(one.unit.name) == unit::kWarpCycles.name)
      add_gauge(process, one.name + " (mean of a cycle)", rate_of(sm.statistics(), {one.name}));
  }
  add_occupancies(sm.statistics().name(), process);
  sms_.push_back(std::make_unique<OfSm>(*this, sm, process));
}

void Timeline::launch_begins(std::uint64_t launch, const std::string& kernel, Cycle now) {
  launch_ = launch;
  kernel_ = kernel;
  launched_ = now;
}

void Timeline::launch_ends(Cycle now) {
  if (launch_ == 0) return;
  if (!writer_.full() && filter_.kernel(kernel_))
    writer_.slice({kGpuProcess, 0}, Quoted{kernel_}, "kernel", launched_, now - launched_, "{\"launch\":", launch_,
                  '}');
  launch_ = 0;
}

const Timeline::BlockText& Timeline::text_of_block(const isa::Kernel& kernel, std::uint32_t block) {
  return block_texts_.of(kernel, block, kernel.blocks.size(), [&kernel, block]() -> BlockText {
    const isa::MicroOp& op = kernel.ops[kernel.blocks[block].first];
    const std::string& file = op.source_file < kernel.files.size() ? kernel.files[op.source_file] : kernel.ptx_name;
    return {fmt::format("BB{} line {}", block, op.source_line != 0 ? op.source_line : op.ptx_line),
            fmt::format("{{\"file\":{},\"pc\":{},\"instructions\":", json_quote(file), op.pc)};
  });
}

std::string_view Timeline::text_of_instruction(const isa::Kernel& kernel, std::uint32_t pc) {
  return instruction_texts_.of(kernel, pc, kernel.ops.size(), [&kernel, pc] {
    return fmt::format("{{\"pc\":{},\"instruction\":{}}}", pc, json_quote(kernel.text(kernel.ops[pc])));
  });
}

void Timeline::load_at_bank(std::uint64_t address, Track bank, double at) {
  if (writer_.full()) return;
  std::string text;
  loads_.for_each(line_of(address), [&](LoadsInFlight::Load& load) {
    if (load.flows || static_cast<double>(load.sent) >= at) return;
    load.flows = true;
    if (text.empty()) text = fmt::format("{}", at);
    writer_.flow(ChromeTraceWriter::Flow::begin, load.id, load.track, kLoad, load.sent);
    writer_.flow(ChromeTraceWriter::Flow::between, load.id, bank, kLoad, text);
  });
}

void Timeline::loads_ended(LoadsInFlight::Packet& packet, Cycle now) {
  loads_.remove(packet, [&](const LoadsInFlight::Load& load) {
    if (load.flows && !writer_.full()) writer_.flow(ChromeTraceWriter::Flow::end, load.id, load.track, kLoad, now);
  });
}

void Timeline::finish() {
  launch_ends(core_.now());
  for (const auto& sm : sms_) sm->finish(core_.now());
  for (const auto& controller : controllers_) controller->finish();
  writer_.close();
}

}  // namespace heddle::gpu
