// SPDX-License-Identifier: Apache-2.0
#include "sm/sm.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace heddle::sm {

Sm::Sm(sc_core::sc_module_name module_name, SmId number, const SmParameters& parameters, ClockDomain& domain,
       Services& services, const std::string& class_name)
    : Sm(module_name, number, parameters, domain, services, class_name, Options{}) {}

Sm::Sm(sc_core::sc_module_name module_name, SmId number, const SmParameters& parameters, ClockDomain& domain,
       Services& services, const std::string& class_name, const Options& options)
    : sc_module(module_name),
      data("data_socket"),
      constant("constant_socket"),
      texture("texture_socket"),
      instructions("instructions"),
      gate_(domain),
      parameters_(parameters),
      statistics_(services.statistics, basename(), class_name),
      context_(number, parameters_, gate_, services, statistics_) {
  context_.seed = options.seed + number;
  const GroupingShape shape = grouping_shape(parameters_);
  const HazardTraits hazards = traits_of(parameters_.hazards);
  check_needs(parameters_, traits_of(parameters_.grouping, shape), hazards, traits_of(parameters_.residency.policy));
  grouping_ = make(parameters_.grouping, shape, context_.contexts);
  reads_after_loads_ = sm::reads_after_loads(grouping_->traits(), hazards);
  context_.issue_width *= grouping_->traits().packets_per_slot;
  context_.packets_per_access = grouping_->traits().packets_per_access;
  grouping_->build(context_);
  grouping_->subscribe(context_.events);
  // Elsewhere hazards show which contexts wait for memory. A mechanism that listens gets misses in any shape: below.
  const MemoryReporter::Wanted reports{
      .return_wait = grouping_->traits().return_wait,
      .misses = parameters_.shape != PipelineShape::buffered && parameters_.refetch == 0};
  const InstructionStores stores = grouping_->instruction_stores();
  std::vector<std::function<void()>> build = {
      [&] { issue_ = std::make_unique<IssueStage>("issue", context_, *grouping_); },
      [&] { prefix_sum_ = std::make_unique<PrefixSumBlock>("prefix_sum", context_, isa::kWordThreads); },
      [&] { fetch_ = std::make_unique<FetchStage>("fetch", context_, stores.look_ups.size()); },
      [&] { decode_ = std::make_unique<DecodeStage>("decode", context_); },
      [&] { operands_ = std::make_unique<OperandStage>("operands", context_, hazards.follows_operands); },
      [&] { alu_ = std::make_unique<ExecuteStage>("alu", context_, parameters_.alu, "alu", PipelineStage::alu); },
      [&] { sfu_ = std::make_unique<ExecuteStage>("sfu", context_, parameters_.sfu, "sfu", PipelineStage::sfu); },
      [&] { fp64_ = std::make_unique<ExecuteStage>("fp64", context_, parameters_.fp64, "fp64", PipelineStage::fp64); },
      [&] { memory_ = std::make_unique<MemoryStage>("memory", context_, reports); },
      [&] { shared_ = std::make_unique<SharedMemory>("shared", context_); },
      [&] { writeback_ = std::make_unique<WritebackStage>("writeback", context_); },
  };
  if (options.reverse_construction) std::reverse(build.begin(), build.end());
  for (const auto& stage : build) stage();
  if (context_.events.missed.any()) memory_->want_misses();
  connect_stages();
  for (std::size_t i = 0; i < stores.look_ups.size(); ++i) fetch_->store(i + 1).bind(*stores.look_ups[i]);
  for (CallPort<InstructionStore>* port : stores.to_cache) port->bind(instructions);
  if (options.build_inside) options.build_inside(*this);
}

void Sm::connect_stages() {
  connect(issue_->fetch, fetch_->requests);
  issue_->fetch_at_pick.bind(fetch_->at_pick);
  issue_->prefix_sum.bind(prefix_sum_->call);
  connect(fetch_->fetched, decode_->fetched);
  connect(decode_->decoded, issue_->decoded);
  issue_->take_from(fetch_->leads_to(*decode_, issue_->decoded.parameters().latency));
  connect(issue_->units.alu, operands_->from_alu);
  connect(issue_->units.sfu, operands_->from_sfu);
  connect(issue_->units.fp64, operands_->from_fp64);
  connect(issue_->units.memory, operands_->from_memory);
  connect(operands_->reports, issue_->operands);
  connect(operands_->to_alu, alu_->packets);
  connect(operands_->to_sfu, sfu_->packets);
  connect(operands_->to_fp64, fp64_->packets);
  connect(operands_->to_memory, memory_->packets);
  connect(memory_->to_shared, shared_->accesses);
  connect(memory_->reports, issue_->reports);
  connect(shared_->to_memory, memory_->from_shared);
  connect(shared_->done, writeback_->from_shared);
  connect(alu_->done, writeback_->from_alu);
  connect(sfu_->done, writeback_->from_sfu);
  connect(fp64_->done, writeback_->from_fp64);
  for (ExecuteStage* unit : {alu_.get(), sfu_.get(), fp64_.get()}) unit->leads_to(*writeback_);
  connect(memory_->done, writeback_->from_memory);
  connect(writeback_->completions, issue_->completions);
  fetch_->cache.bind(instructions);
  memory_->data.socket.bind(data);
  memory_->constant.socket.bind(constant);
  memory_->texture.socket.bind(texture);
}

void Sm::listen(SmListener& listener) {
  if (watch_ == nullptr) {
    watch_ = std::make_unique<SmWatch>(gate_);
    context_.watch = watch_.get();
    context_.packets.tell(watch_.get());
  }
  watch_->add(listener);
}

void Sm::attach(isa::MemoryPort& port, EffectSink& sink, const isa::Environment& environment) {
  context_.memory_port = &port;
  context_.texels = dynamic_cast<TexelSource*>(&port);
  context_.effect_sink = &sink;
  context_.environment = environment;
}

}  // namespace heddle::sm
