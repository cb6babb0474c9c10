// SPDX-License-Identifier: Apache-2.0
#include "issue_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/classify.h"
#include "isa/describe.h"

namespace heddle::sm {

namespace {

std::size_t number(std::size_t of) { return of; }

}  // namespace

std::string text_of(const ThreadSet& threads) {
  if (threads == ThreadSet::everything()) return "everything";
  return threads.none() ? "none" : isa::describe_lanes(threads);
}

std::vector<std::size_t> members_of(const ContextSet& contexts) {
  std::vector<std::size_t> members;
  contexts.for_each([&](std::size_t c) { members.push_back(c); });
  return members;
}

void ScriptedGrouping::launch(const Placement& placement) {
  for (std::uint32_t first = 0; first < placement.threads; first += traits().span) {
    std::size_t free = 0;
    while (table_.valid.test(free)) ++free;
    const ContextId c(free);
    first_thread_[c] = placement.first_thread + first;
    table_[c].block = placement.block_slot;
    table_[c].warp = static_cast<WarpNumber>(free);
    table_.set(c, 0, ThreadSet::first_n(std::min(placement.threads - first, traits().span)));
    placement.contexts->push_back(c);
  }
}

void ScriptedGrouping::release(BlockSlot slot) { tell(fmt::format("release {}", number(slot))); }

void ScriptedGrouping::release_granule(BlockSlot slot, std::uint32_t first_thread) {
  tell(fmt::format("release {} from {}", number(slot), first_thread));
}

LanePlan ScriptedGrouping::lanes(ContextId, const isa::MicroOp&, const ThreadSet& threads) const {
  if (plan) return plan(threads);
  LanePlan one;
  one.lanes.set_word(0, threads.word(0));
  return one;
}

void ScriptedGrouping::advanced(ContextId c) {
  tell(fmt::format("advanced {}", number(c)));
  table_.set(c, table_[c].pc + 1, table_[c].threads);
}

void ScriptedGrouping::branched(ContextId c, const isa::MicroOp&, const std::vector<Path>& taken) {
  if (branches && branches(c)) return;
  std::string what = fmt::format("branched {}:", number(c));
  for (const Path& path : taken) what += fmt::format(" {} to {}", text_of(path.threads), path.pc);
  tell(what);
  table_.set(c, taken.front().pc, taken.front().threads);
  if (has_branched) has_branched(c);
}

void ScriptedGrouping::exited(ContextId c, const ThreadSet& threads) {
  tell(fmt::format("exited {}: {}", number(c), text_of(threads)));
  table_.set(c, table_[c].pc + 1, table_[c].threads - threads);
}

void ScriptedGrouping::retired(ContextId c) { tell(fmt::format("retired {}", number(c))); }

void ScriptedGrouping::waiting_changed(ContextId c, const ThreadSet& awaited) {
  tell(fmt::format("{} awaits {}", number(c), text_of(awaited)));
}

bool ScriptedGrouping::part_waiting(ContextId c, const ThreadSet& waiting) {
  tell(fmt::format("{} wait in {}", text_of(waiting), number(c)));
  return parts;
}

void ScriptedGrouping::waiting_paths(ContextId, std::vector<Path>& to) const {
  to.insert(to.end(), paths.begin(), paths.end());
}

Wait ScriptedHazards::check(const ContextTable&, ContextId c, const isa::MicroOp&) { return waits[c]; }

std::uint32_t ScriptedHazards::issued(const ContextTable&, const Packet& packet, bool variable) {
  tell(fmt::format("issued {}: {}", packet.op->pc, variable ? "variable" : "fixed"));
  return ++last_token_;
}

void ScriptedHazards::released(const Release& release) {
  tell(
      fmt::format("released {}: {}, token {}", release.op->pc, release.variable ? "variable" : "fixed", release.token));
}

Cycle ScriptedHazards::release_at(const Packet&, Cycle done) const { return done + late; }

bool ScriptedHazards::commit(Packet& packet) {
  if (!commits) held_back.push_back(&packet);
  return commits;
}

void ScriptedHazards::advance(Cycle, std::vector<PacketHandle>& released) { released = std::exchange(lets_go, {}); }

void ScriptedHazards::gathered(const Packet& packet) { tell(fmt::format("gathered {}", packet.op->pc)); }

void ScriptedHazards::regrouped(const Regrouping& regrouping) {
  std::string what = fmt::format("warp {}:", number(regrouping.warp));
  for (const Regrouping::Part& part : regrouping.parts)
    what += fmt::format(" [{}: {} -> {}]", number(part.context), text_of(part.before), text_of(part.after));
  tell(what);
}

void ScriptedHazards::admit(const isa::Kernel& kernel) { tell(fmt::format("admit {}", kernel.name)); }

isa::PrefixSums Calls::PrefixNetwork::sum(std::uint64_t predicates) {
  summed.push_back(predicates);
  return isa::PrefixSum(lanes()).sum(predicates);
}

InstructionStore::Answer Calls::InstructionCache::fetch_at_pick(const FetchRequest& request) {
  requests.push_back(request);
  return answer;
}

Calls::Calls(const sc_core::sc_module_name& name) : sc_module(name) {
  prefix_sum.bind(network);
  fetch_at_pick.bind(cache);
}

IssueBench::IssueBench(const GroupingTraits& traits, const ResidencyParameters& residency)
    : sm(SmNumber{0}, parameters, gate, services, owner),
      blocks(SmNumber{0}, residency),
      grouping(traits, sm.contexts) {
  parameters.residency = residency;
  sm.memory_port = &port;
  sm.effect_sink = &sink;
  kernel.name = "k";
  kernel.ptx_name = "k.ptx";
  kernel.registers = kRegisters;
  kernel.predicates = kPredicates;
  kernel.predicate_offset = kRegisters * isa::kRegisterUnitBytes;
  kernel.frame_bytes = kernel.predicate_offset + 4 * kPredicates;
  kernel.ops.reserve(64);  // add() returns references
  launch.kernel = &kernel;
  launch.grid = {100};
  core.add(pulse_);
}

void IssueBench::go_to(Cycle cycle) {
  core.wake(pulse_, cycle);
  // sc_start() holds back what happens at its very end.
  sc_core::sc_start(core.time_of(cycle) + sc_core::sc_time(1, sc_core::SC_PS) - sc_core::sc_time_stamp());
}

isa::MicroOp& IssueBench::add(isa::Opcode opcode, std::initializer_list<isa::Operand> sources,
                              std::initializer_list<isa::Operand> destinations) {
  isa::MicroOp op;
  op.opcode = opcode;
  op.pc = static_cast<std::uint32_t>(kernel.ops.size());
  op.ptx_line = op.pc + 1;
  op.text = op.pc;
  std::copy(sources.begin(), sources.end(), op.sources.begin());
  std::copy(destinations.begin(), destinations.end(), op.destinations.begin());
  op.source_count = static_cast<std::uint8_t>(sources.size());
  op.destination_count = static_cast<std::uint8_t>(destinations.size());
  isa::classify(op);
  kernel.ops.push_back(op);
  return kernel.ops.back();
}

isa::Operand IssueBench::register_at(unsigned i) {
  return {.offset = i * isa::kRegisterUnitBytes, .base = isa::Operand::Base::frame, .type = isa::DataType::b32};
}

isa::Operand IssueBench::wide_register_at(unsigned i) {
  return {.offset = i * isa::kRegisterUnitBytes, .base = isa::Operand::Base::frame, .type = isa::DataType::b64};
}

isa::Operand IssueBench::predicate_at(unsigned i, bool negate) {
  return {.offset = kRegisters * isa::kRegisterUnitBytes + 4 * i,
          .base = isa::Operand::Base::frame,
          .negate = negate,
          .type = isa::DataType::pred};
}

isa::Operand IssueBench::constant(std::uint32_t value) {
  const std::size_t offset = kernel.constants.size();
  kernel.constants.resize(offset + isa::kRegisterUnitBytes);
  for (unsigned lane = 0; lane < isa::kWordThreads; ++lane)
    std::memcpy(kernel.constants.data() + offset + 4 * lane, &value, 4);
  return {
      .offset = static_cast<std::uint32_t>(offset), .base = isa::Operand::Base::constants, .type = isa::DataType::b32};
}

BlockSlot IssueBench::start(unsigned threads) {
  launch.block = {threads};
  const BlockNeed need =
      BlockNeed::of(kernel, threads, launch.shared_bytes, grouping.traits().granule, parameters.residency);
  const BlockSlot slot = blocks.place(launch, next_block_++, need, need.granules);
  BlockStore::Resident& block = blocks[slot];
  block.started = threads;
  std::vector<ContextId> fresh;
  grouping.launch({.block_slot = slot, .threads = threads, .kernel = &kernel, .contexts = &fresh});
  for (const ContextId c : fresh) {
    Context& context = sm.contexts[c];
    const std::uint32_t first = grouping.first_thread(c);
    const unsigned words = std::max(1u, grouping.traits().span / isa::kWordThreads);
    context.kernel = &kernel;
    context.words = &block.warps[first / isa::kWordThreads];
    context.shift = static_cast<std::uint8_t>(first % isa::kWordThreads);
    context.word_count =
        static_cast<std::uint8_t>(std::min<std::size_t>(words, block.warps.size() - first / isa::kWordThreads));
    sm.contexts.age[c] = sm.contexts.next_age++;
    context.next = &kernel.ops.front();
  }
  return slot;
}

void IssueBench::split(ContextId from, ContextId to, const ThreadSet& threads, std::uint32_t pc) {
  ContextTable& table = sm.contexts;
  const ThreadSet staying = table[from].threads - threads;
  table[to] = table[from];
  table[to].threads.clear();
  table[to].lane_count = 0;
  grouping.place_at(to, grouping.first_thread(from));
  table.set(from, table[from].pc, staying);
  table.set(to, pc, threads);
}

std::uint32_t& IssueBench::value(isa::WarpState& warp, unsigned i, unsigned lane) const {
  return reinterpret_cast<std::uint32_t*>(warp.registers + i * isa::kRegisterUnitBytes)[lane];
}

std::uint32_t& IssueBench::predicate(isa::WarpState& warp, unsigned i) const {
  return reinterpret_cast<std::uint32_t*>(warp.registers + kernel.predicate_offset)[i];
}

Packet& IssueBench::packet(ContextId c, const ThreadSet& threads) {
  const Context& context = sm.contexts[c];
  Packet& packet = sm.packets.take();
  const std::uint32_t generation = packet.generation;
  packet = Packet{};
  packet.generation = generation;
  packet.op = &kernel.ops[context.pc];
  packet.context = c;
  packet.warp = context.warp;
  packet.block_slot = context.block;
  packet.word_count = context.word_count;
  packet.threads = threads;
  packet.issued = gate.now();
  packet.holders = 1;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(threads, w);
    packet.words[w] = {context.words + w, mask, 0xffffffff};
    packet.active += static_cast<std::uint32_t>(std::popcount(mask));
  }
  return packet;
}

}  // namespace heddle::sm
