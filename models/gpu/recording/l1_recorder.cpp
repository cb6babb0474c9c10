// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/l1_recorder.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>

#include "isa/image.h"
#include "sm/memory/access_class.h"
#include "sm/sm.h"

namespace heddle::gpu {

using memory::StoreEffect;
using memory::TracedAccess;
using memory::TracedKind;
using memory::TracedOutcome;

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
/// Transactions between the memory stage and the cache at most; one that is still there never reached the cache.
constexpr std::size_t kMostOnTheWay = 4096;

StoreEffect effect_of(memory::WritePolicy policy, const memory::CacheParameters& p) {
  if (p.allocate_on_store) return StoreEffect::allocates;
  if (policy == memory::WritePolicy::write_back) return StoreEffect::updates;
  return p.store_hit == memory::StoreHit::evict ? StoreEffect::invalidates : StoreEffect::updates;
}

TracedKind kind_of(const sm::AccessClass& what) {
  switch (what.kind) {
    case AccessKind::store:
      return what.local ? TracedKind::local_store : TracedKind::store;
    case AccessKind::atomic:
    case AccessKind::reduction:
      return TracedKind::atomic;
    default:
      return what.coherent ? TracedKind::passed_load : TracedKind::load;
  }
}

}  // namespace

memory::TracedMachine traced_machine(const std::string& name, const sm::SmParameters& sm,
                                     const memory::TracedCache& cache) {
  memory::TracedMachine machine{name, sm.schedulers, sm.memory_queue, memory::TracedOrder::greedy, cache};
  if (sm.order.name() == "lrr") machine.order = memory::TracedOrder::round_robin;
  return machine;
}

memory::TracedCache traced_cache(const memory::CacheParameters& parameters, const memory::CacheLevel& cache) {
  memory::TracedCache traced;
  const bool bounded = cache.capacity() != 0;
  traced.sets = bounded ? parameters.tags.sets : 0;
  traced.ways = bounded ? parameters.tags.ways : 0;
  traced.line_bytes = static_cast<unsigned>(cache.line_bytes());
  traced.miss_entries = parameters.miss_table.entries;
  traced.index = parameters.tags.index_hash;
  traced.global_store = effect_of(parameters.global_store, parameters);
  traced.local_store = effect_of(parameters.local_store, parameters);
  return traced;
}

/// A kernel and what the recorder looks up by program counter.
struct L1Recorder::OfKernel {
  explicit OfKernel(const isa::Kernel& kernel) : code(kernel) {
    traced.name = kernel.name;
    traced.files = kernel.files;
    for (const isa::Loop& loop : kernel.loops) {
      const isa::MicroOp& first = kernel.ops[kernel.blocks[loop.header].first];
      traced.loops.push_back({first.pc, static_cast<std::int32_t>(loop.parent) - 1, loop.depth, source_of(first)});
    }
    place_of.assign(kernel.ops.size(), kNone);
    loop_of.reserve(kernel.ops.size());
    for (const isa::MicroOp& op : kernel.ops) {
      const auto loop = static_cast<std::int32_t>(kernel.blocks[op.block].loop) - 1;
      loop_of.push_back(loop);
      if (op.unit != isa::Unit::memory) continue;
      place_of[op.pc] = static_cast<std::uint32_t>(traced.places.size());
      traced.places.push_back({op.pc, op.ptx_line, loop, source_of(op), kernel.text(op)});
    }
    spacing.assign(kernel.ops.size(), std::numeric_limits<Cycle>::max());
    issues.assign(kernel.ops.size(), 0);
  }

  static memory::TracedSource source_of(const isa::MicroOp& op) {
    if (op.source_file == 0 || op.source_line == 0) return {};
    return {static_cast<std::int32_t>(op.source_file), op.source_line};
  }
  bool begins_loop(std::uint32_t pc) const {
    return loop_of[pc] >= 0 && traced.loops[static_cast<std::size_t>(loop_of[pc])].pc == pc;
  }

  const isa::Kernel& code;
  memory::TracedKernel traced;
  std::vector<std::uint32_t> place_of;  // by program counter; kNone: no memory instruction
  std::vector<std::int32_t> loop_of;    // by program counter; -1: none
  std::vector<Cycle> spacing;           // by program counter: least since the warp's issue before
  std::vector<std::uint64_t> issues;    // by program counter
};

class L1Recorder::OfSm final : public sm::SmListenerBase, public CacheListener {
 public:
  OfSm(L1Recorder& recorder, const sm::Sm& sm, std::uint64_t line_bytes)
      : recorder_(recorder), number_(sm.number()), line_mask_(~(line_bytes - 1)), line_bytes_(line_bytes) {}

  SmId number() const { return number_; }

  void begin_launch() {
    traced_ = {};
    traced_.sm = static_cast<unsigned>(number_);
    warps_.clear();
    under_way_.clear();
    on_the_way_.clear();
    missing_.clear();
    block_in_slot_.clear();
    blocks_ = instructions_ = 0;
    warp_instructions_ = thread_instructions_ = fills_ = fill_cycles_ = 0;
    least_hit_ = std::numeric_limits<Cycle>::max();
  }

  void block_begins(BlockSlot slot, const isa::LaunchState&, std::uint64_t, Cycle) override {
    block_in_slot_[slot.number()] = blocks_++;
  }

  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle now) override {
    OfKernel* const kernel = recorder_.kernel_;
    if (kernel == nullptr || context.kernel != &kernel->code || packet.kind != sm::PacketKind::normal) return;
    thread_instructions_ += packet.active;
    Warp& warp = warp_of(packet);
    const std::uint32_t pc = packet.op->pc;
    if (packet.first) {
      ++warp_instructions_;
      ++kernel->issues[pc];
      if (warp.issued != 0) kernel->spacing[pc] = std::min(kernel->spacing[pc], now - warp.issued);
      warp.issued = now;
      enter(warp, *kernel, pc);
      if (packet.op->opcode == isa::Opcode::bar && packet.op->bar_mode != isa::BarMode::arrive)
        return add_barrier(warp, packet);
    }
    const std::uint32_t place = kernel->place_of[pc];
    if (place == kNone || packet.active == 0 || !cached(packet)) {
      if (packet.first) ++warp.instructions;
      return;
    }
    const sm::AccessClass what = sm::class_of(packet);
    Instruction one;
    one.access.warp = warp.index;
    one.access.place = place;
    one.access.instruction = instructions_++;
    one.access.instructions = std::exchange(warp.instructions, 0);
    one.access.active = static_cast<std::uint16_t>(packet.active);
    one.access.outstanding = static_cast<std::uint8_t>(std::min(warp.loads, 255U));
    one.access.kind = kind_of(what);
    if (kernel->loop_of[pc] >= 0) one.access.trip = warp.trips[static_cast<std::size_t>(kernel->loop_of[pc])];
    one.issued = now;
    one.warp = packet.warp;
    one.waits = what.waits();
    if (one.waits) ++warp.loads;
    under_way_.emplace(packet.trace_id, one);
  }

  void sent(const sm::Packet& packet, std::uint64_t address, unsigned bytes, bool first, Cycle) override {
    const auto found = under_way_.find(packet.trace_id);
    if (found == under_way_.end()) return;
    for (std::uint64_t line = address & line_mask_; line < address + bytes; line += line_bytes_) {
      TracedAccess access = found->second.access;
      access.address = line;
      touch(packet, std::max(address, line), std::min(address + bytes, line + line_bytes_), access);
      if (first) {
        on_the_way_.push_back({access, packet.trace_id, packet.warp, packet.op->pc});
      } else {
        add_member(access);
      }
    }
    while (on_the_way_.size() > kMostOnTheWay) on_the_way_.pop_front();
  }

  void ended(std::uint64_t trace_id, Cycle now) override {
    const auto found = under_way_.find(trace_id);
    if (found == under_way_.end()) return;
    const Instruction& one = found->second;
    if (one.waits) {
      if (const auto warp = warps_.find(one.warp.number()); warp != warps_.end() && warp->second.loads != 0)
        --warp->second.loads;
      if (!one.missed) least_hit_ = std::min(least_hit_, now - one.issued);
    }
    under_way_.erase(found);
  }

  void cache_event(const CacheEvent& event) override {
    if (recorder_.kernel_ == nullptr) return;
    switch (event.what) {
      case CacheEvent::What::fill:
        filled(event);
        return;
      case CacheEvent::What::evict:
        return;
      default:
        break;
    }
    if (event.requester.sm != number_ || event.kind == AccessKind::instruction) return;
    const auto found = std::find_if(on_the_way_.begin(), on_the_way_.end(), [&event](const OnTheWay& one) {
      return one.access.address == event.address && one.pc == event.pc && one.warp == event.requester.warp;
    });
    if (found == on_the_way_.end()) return;
    TracedAccess access = found->access;
    access.outcome = outcome_of(event);
    if (event.what == CacheEvent::What::miss) missing_.emplace(event.address, event.cycle);
    if (access.outcome == TracedOutcome::miss || access.outcome == TracedOutcome::merge) {
      if (const auto one = under_way_.find(found->trace_id); one != under_way_.end()) one->second.missed = true;
    }
    on_the_way_.erase(found);
    add(access);
  }

  /// Adds the SM's part to the launch.
  void end_launch(memory::TracedLaunch& launch) {
    launch.warp_instructions += warp_instructions_;
    launch.thread_instructions += thread_instructions_;
    if (traced_.accesses.empty()) return;
    sort_warps();
    launch.sms.push_back(std::move(traced_));
  }
  Cycle least_hit() const { return least_hit_; }
  std::uint64_t fills() const { return fills_; }
  std::uint64_t fill_cycles() const { return fill_cycles_; }

 private:
  /// A warp that is resident.
  struct Warp {
    std::uint32_t index = 0, block = 0;
    std::uint32_t instructions = 0;  ///< since its previous one in the trace
    unsigned loads = 0;              ///< outstanding
    Cycle issued = 0;
    std::int32_t loop = -1;
    std::vector<std::uint32_t> trips;  ///< by loop
  };
  /// A memory instruction from its issue to its end.
  struct Instruction {
    TracedAccess access;
    Cycle issued = 0;
    WarpId warp;
    bool waits = false, missed = false;
  };
  /// A transaction between the memory stage and the cache.
  struct OnTheWay {
    TracedAccess access;
    std::uint64_t trace_id;
    WarpId warp;
    std::uint32_t pc;
  };

  static TracedOutcome outcome_of(const CacheEvent& event) {
    switch (event.what) {
      case CacheEvent::What::hit:
        return event.owner == event.requester ? TracedOutcome::own_hit : TracedOutcome::other_hit;
      case CacheEvent::What::miss:
        return TracedOutcome::miss;
      case CacheEvent::What::merge:
        return TracedOutcome::merge;
      default:
        return TracedOutcome::none;
    }
  }

  static bool cached(const sm::Packet& packet) {
    return sm::reach_of(packet).caches && sm::class_of(packet).path == sm::CachePath::data;
  }

  Warp& warp_of(const sm::Packet& packet) {
    const std::uint32_t block = block_in_slot_[packet.block_slot.number()];
    const auto [found, fresh] = warps_.try_emplace(packet.warp.number());
    Warp& warp = found->second;
    if (fresh || warp.block != block) {
      warp = {};
      warp.index = static_cast<std::uint32_t>(traced_.warps.size());
      warp.block = block;
      warp.trips.assign(recorder_.kernel_->traced.loops.size(), 0);
      traced_.warps.push_back({block, packet.block_slot.number(), packet.warp.number()});
    }
    return warp;
  }

  /// Counts trips: a loop's first instruction begins one. Whoever comes from outside skips a number, so that the last
  /// trip of an earlier time in the loop is no previous trip.
  static void enter(Warp& warp, const OfKernel& kernel, std::uint32_t pc) {
    const std::int32_t loop = kernel.loop_of[pc];
    if (loop != warp.loop) {
      for (std::int32_t l = loop; l >= 0 && !within(kernel, warp.loop, l); l = parent(kernel, l))
        ++warp.trips[static_cast<std::size_t>(l)];
      warp.loop = loop;
    }
    if (kernel.begins_loop(pc)) ++warp.trips[static_cast<std::size_t>(loop)];
  }
  static std::int32_t parent(const OfKernel& kernel, std::int32_t loop) {
    return kernel.traced.loops[static_cast<std::size_t>(loop)].parent;
  }
  /// Whether `inner` is `outer` or a loop in it.
  static bool within(const OfKernel& kernel, std::int32_t inner, std::int32_t outer) {
    while (inner >= 0 && inner != outer) inner = parent(kernel, inner);
    return inner >= 0;
  }

  void add_barrier(Warp& warp, const sm::Packet& packet) {
    TracedAccess access;
    access.kind = TracedKind::barrier;
    access.warp = warp.index;
    access.instruction = instructions_++;
    access.instructions = std::exchange(warp.instructions, 0);
    access.active = static_cast<std::uint16_t>(packet.active);
    add(access);
  }

  void add(const TracedAccess& access) {
    if (recorder_.accesses_ == recorder_.most_accesses_) {
      recorder_.launch_.truncated = recorder_.truncated_ = true;
      return;
    }
    ++recorder_.accesses_;
    traced_.accesses.push_back(access);
  }

  /// Another packet that the transaction sent last serves, too.
  void add_member(const TracedAccess& access) {
    for (auto one = on_the_way_.rbegin(); one != on_the_way_.rend(); ++one) {
      if (one->access.address != access.address) continue;
      one->access.lanes |= access.lanes;
      one->access.sectors |= access.sectors;
      return;
    }
  }

  /// Finds the threads that touch first .. end, within a line, and the sectors.
  void touch(const sm::Packet& packet, std::uint64_t first, std::uint64_t end, TracedAccess& access) const {
    for (unsigned w = 0; w < packet.word_count; ++w) {
      const isa::Addresses& addresses = packet.memory->addresses[w];
      for (std::uint32_t left = addresses.mask & packet.words[w].mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t from = std::max(addresses.value[lane], first);
        const std::uint64_t to = std::min(addresses.value[lane] + std::max(1U, addresses.bytes), end);
        if (from >= to) continue;
        access.lanes |= std::uint32_t{1} << lane;
        for (std::uint64_t s = (from & ~line_mask_) / memory::kTracedSectorBytes;
             s <= ((to - 1) & ~line_mask_) / memory::kTracedSectorBytes; ++s)
          access.sectors |= std::uint32_t{1} << s;
      }
    }
  }

  void filled(const CacheEvent& event) {
    const auto found = missing_.find(event.address);
    if (found == missing_.end()) return;
    ++fills_;
    fill_cycles_ += event.cycle - found->second;
    missing_.erase(found);
  }

  /// By block, then number, whatever the order of their first issues.
  void sort_warps() {
    std::vector<std::uint32_t> order(traced_.warps.size());
    for (std::uint32_t w = 0; w < order.size(); ++w) order[w] = w;
    const auto& warps = traced_.warps;
    std::sort(order.begin(), order.end(), [&warps](std::uint32_t a, std::uint32_t b) {
      return warps[a].block != warps[b].block ? warps[a].block < warps[b].block : warps[a].warp < warps[b].warp;
    });
    std::vector<memory::TracedWarp> sorted;
    std::vector<std::uint32_t> now(order.size());
    for (std::uint32_t w = 0; w < order.size(); ++w) {
      now[order[w]] = w;
      sorted.push_back(warps[order[w]]);
    }
    traced_.warps = std::move(sorted);
    for (TracedAccess& access : traced_.accesses) access.warp = now[access.warp];
  }

  L1Recorder& recorder_;
  const SmId number_;
  const std::uint64_t line_mask_, line_bytes_;
  memory::TracedSm traced_;
  std::unordered_map<std::uint16_t, Warp> warps_;                   // by WarpId
  std::unordered_map<std::uint64_t, Instruction> under_way_;        // by Packet::trace_id
  std::deque<OnTheWay> on_the_way_;                                 // in the order in which they were sent
  std::unordered_map<std::uint64_t, Cycle> missing_;                // by line: cycle of its miss
  std::unordered_map<std::uint16_t, std::uint32_t> block_in_slot_;  // by BlockSlot
  std::uint32_t blocks_ = 0, instructions_ = 0;
  std::uint64_t warp_instructions_ = 0, thread_instructions_ = 0;
  Cycle least_hit_ = 0;
  std::uint64_t fills_ = 0, fill_cycles_ = 0;
};

L1Recorder::L1Recorder(const TraceFilter& filter, std::uint64_t most_bytes)
    : filter_(filter), most_accesses_(std::max<std::uint64_t>(1, most_bytes / sizeof(TracedAccess))) {}
L1Recorder::~L1Recorder() = default;

bool L1Recorder::listen_to(sm::Sm& sm, memory::CacheLevel& cache) {
  sms_.push_back(std::make_unique<OfSm>(*this, sm, cache.line_bytes()));
  sm.listen(*sms_.back());
  return cache.listen(*sms_.back());
}

L1Recorder::OfKernel& L1Recorder::of(const isa::Kernel& kernel) {
  std::unique_ptr<OfKernel>& known = kernels_[&kernel];
  if (!known) known = std::make_unique<OfKernel>(kernel);
  return *known;
}

void L1Recorder::launch_begins(std::uint64_t launch, const isa::Kernel& kernel, Cycle first) {
  kernel_ = filter_.kernel(kernel.name) ? &of(kernel) : nullptr;
  if (kernel_ == nullptr) return;
  launch_ = {};
  launch_.launch = launch;
  accesses_ = 0;
  first_ = first;
  for (const auto& sm : sms_) sm->begin_launch();
}

void L1Recorder::launch_ends(Cycle last) {
  if (kernel_ == nullptr) return;
  launch_.cycles = last + 1 - first_;
  Cycle least_hit = std::numeric_limits<Cycle>::max();
  std::uint64_t fills = 0, fill_cycles = 0;
  for (const auto& sm : sms_) {
    sm->end_launch(launch_);
    least_hit = std::min(least_hit, sm->least_hit());
    fills += sm->fills();
    fill_cycles += sm->fill_cycles();
  }
  memory::TracedTimes& times = launch_.times;
  if (least_hit != std::numeric_limits<Cycle>::max()) times.hit = static_cast<double>(least_hit);
  if (fills != 0) times.miss = static_cast<double>(fill_cycles) / static_cast<double>(fills);
  double spaced = 0, issues = 0;
  for (std::size_t pc = 0; pc < kernel_->issues.size(); ++pc) {
    if (kernel_->spacing[pc] == std::numeric_limits<Cycle>::max()) continue;
    spaced += static_cast<double>(kernel_->issues[pc]) * static_cast<double>(kernel_->spacing[pc]);
    issues += static_cast<double>(kernel_->issues[pc]);
  }
  if (issues != 0) times.issue_spacing = spaced / issues;
  for (const Sink& sink : sinks_) sink(kernel_->traced, launch_);
  kernel_ = nullptr;
  launch_ = {};
}

}  // namespace heddle::gpu
