// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/slice.h"

#include <algorithm>
#include <utility>

#include "sm/context_table.h"

namespace heddle::sm {

L0Store::L0Store(sc_core::sc_module_name module_name, SmSite& site, const std::string& path, unsigned bytes,
                 const std::string& charged_to)
    : sc_module(module_name),
      cache("cache"),
      look_ups("look_ups"),
      lines_(bytes / kLineBytes, kNoLine),
      gate_(site.gate),
      state_(site.services, path + ".l0", site.domain()) {
  look_ups.bind(*this);
  state_.charge_to(charged_to);
  Structure& lines = state_.traced_structure(
      "lines", "instructions of the slice's own warps", lines_.size(),
      {{"line", 40 - index_bits(kLineBytes), 1, 1, true}, {"valid", 1, 1, 1}, {"bytes", 8 * kLineBytes, 1, 1}});
  lines.occupied([this](std::size_t row) {
    take_fills();
    return lines_[row] != kNoLine;
  });
  lines.read([this](std::size_t row, std::size_t field) -> std::uint64_t {
    take_fills();
    const bool valid = lines_[row] != kNoLine;
    return field == 1 ? valid : field == 0 && valid ? lines_[row] : 0;
  });
}

bool L0Store::holds(std::uint64_t address) {
  take_fills();
  const std::uint64_t line = line_of(address);
  return lines_[line % lines_.size()] == line;
}

void L0Store::fill(std::uint64_t address, Cycle from) { fills_.push_back({line_of(address), from}); }

void L0Store::take_fills() {
  std::erase_if(fills_, [this](const Fill& fill) {
    if (fill.from > gate_.now()) return false;
    lines_[fill.line % lines_.size()] = fill.line;
    return true;
  });
}

InstructionStore::Answer L0Store::look_up(std::uint64_t address, InstructionReturn& waiter) {
  const Answer answer = cache->look_up(address, *this);
  if (answer == Answer::hit) fill(address, gate_.now() + 1);
  if (answer == Answer::miss) missing_.push_back({line_of(address), &waiter});
  return answer;
}

void L0Store::line_filled(std::uint64_t line, Cycle from) {
  const std::uint64_t first = line_of(line), last = first + cache->line_bytes() / kLineBytes;
  // Several requests may wait for one line; their waiter wants to be told once.
  std::vector<Missing> arrived;
  std::erase_if(missing_, [&](const Missing& missing) {
    if (missing.line < first || missing.line >= last) return false;
    const auto same = [&](const Missing& other) {
      return other.line == missing.line && other.waiter == missing.waiter;
    };
    if (std::none_of(arrived.begin(), arrived.end(), same)) arrived.push_back(missing);
    return true;
  });
  for (const Missing& missing : arrived) {
    fill(missing.line * kLineBytes, from);
    missing.waiter->line_filled(missing.line * kLineBytes, from);
  }
}

Slice::Slice(sc_core::sc_module_name module_name, SmSite& site, const Shape& shape, const ContextTable& contexts,
             const std::string& charged_to)
    : sc_module(module_name),
      signals("signals"),
      overrides("overrides"),
      shape_(shape),
      gate_(site.gate),
      group_(site.statistics, basename()),
      issued_(group_, "issued", "instructions that the slice issued for a warp of its own", unit::kInstructions),
      ganged_(group_, "ganged", "instructions that a warp of the slice issued with its gang", unit::kInstructions),
      fetches_(group_, "fetches", "fetches for warps that the slice schedules", unit::kRequests),
      l0_hits_(group_, "l0_hits", "of these, fetches from the L0 store", unit::kRequests),
      active_(group_, "active_cycles",
              "cycles with a warp that the slice schedules; in the others its front end and scheduler could be off",
              unit::kCycles),
      state_(site.services, site.path(basename()), site.domain()),
      fetch_(state_.signals.pulse("fetch_override", 6,
                                  "signal 4: warp whose buffer the gang front end fills; the last one of a cycle")),
      issue_(state_.signals.pulse("issue_override", 6, "signal 5: warp that issues with its gang")),
      pc_change_(state_.signals.pulse("pc_change", 6, "signal 14: warp whose PC changed; the last one of a cycle")) {
  overrides.bind(*this);
  state_.charge_to(charged_to);
  state_.signals.add("active", 1, "the slice schedules a warp, so its front end and scheduler are on",
                     [this] { return mask_ != 0; });
  state_.signals.show(state_.signals.add("scoreboard_ready", std::min(64u, shape.sets),
                                         "signal 15: warps that do not wait for a register",
                                         [this, &contexts] {
                                           return warps_in(contexts.valid) & ~warps_in(contexts.hazard) &
                                                  ~warps_in(contexts.long_latency);
                                         }),
                      Radix::hexadecimal);
  state_.traced_structure("warp_mask", "warps that the slice schedules", 1, {{"alone", shape.sets, 1, 1}})
      .read([this](std::size_t, std::size_t) { return mask_; });
  if (shape.l0_bytes != 0)
    l0_ = std::make_unique<L0Store>("l0", site, site.path(basename()), shape.l0_bytes, charged_to);
}

std::uint64_t Slice::warps_in(const ContextSet& contexts) const {
  std::uint64_t warps = 0;
  for (unsigned set = 0; set < shape_.sets; ++set)
    warps |= std::uint64_t{contexts.test(set * shape_.slices + shape_.number)} << set;
  return warps;
}

void Slice::changes_pc(unsigned set) {
  if (state_.signals.on()) state_.signals.fire(pc_change_, set);
  signals->pc_changed(shape_.number, set);
}

void Slice::hand_over(unsigned set, bool alone) {
  const std::uint64_t bit = std::uint64_t{1} << set;
  mask_ = alone ? mask_ | bit : mask_ & ~bit;
  active_.set(gate_.now(), mask_ != 0);
}

}  // namespace heddle::sm
