// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/slot_policies.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::sm {

SlotPolicies::SlotPolicies(SmSite& site, const IssueScheme& scheme, unsigned contexts)
    : contexts_(contexts), slots_(site.parameters.schedulers) {
  SchedulerShape all{.contexts = contexts, .members = {}, .seed = site.seed};
  for (IssueSlot s(0); s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    slot.shape = scheme.slot(s);
    all.members |= slot.shape.members;
    slot.shape.members.for_each(
        [&](std::size_t c) { slots_of_[c] = static_cast<std::uint16_t>(slots_of_[c] | 1u << s); });
    const SchedulerShape own{.contexts = contexts, .members = slot.shape.members, .seed = site.seed};
    slot.order = make(slot.shape.fills ? site.parameters.fill_order : site.parameters.order, own);
  }
  vetoes_ = make(site.parameters.vetoes, all);
  for (Slot& slot : slots_) {
    slot.order->build(site);
    updated_.push_back(slot.order.get());
    slot.shape.members.for_each([&](std::size_t c) {
      if (std::has_single_bit(slots_of_[c])) last_issued_[c] = slot.order->last_issued();
    });
  }
  for (auto& veto : vetoes_) veto->build(site);
}

void SlotPolicies::launched(const ContextTable& contexts, ContextId c) {
  for_slots_of(c, [&](std::size_t slot) { slots_[slot].order->launched(contexts, c); });
  for (auto& veto : vetoes_) veto->launched(contexts, c);
}

void SlotPolicies::finished(const ContextTable& contexts, ContextId c) {
  for_slots_of(c, [&](std::size_t slot) { slots_[slot].order->finished(contexts, c); });
  for (auto& veto : vetoes_) veto->finished(contexts, c);
}

void SlotPolicies::tell_vetoes(ContextTable& contexts, ContextId issued, Cycle now) {
  for (auto& veto : vetoes_) veto->issued(contexts, issued);
  ask_vetoes(contexts, now);
}

void SlotPolicies::update(ContextTable& contexts, Cycle now) {
  if (!vetoes_.empty()) ask_vetoes(contexts, now);
  for (std::size_t i = 0; i < updated_.size();) {
    updated_[i]->update(contexts);
    if (updated_[i]->updates()) {
      ++i;
    } else {
      updated_.erase(updated_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

void SlotPolicies::ask_vetoes(ContextTable& contexts, Cycle now) {
  if (const Cycle passed = now - vetoes_asked_; passed != 0) {
    vetoes_asked_ = now;
    for (auto& veto : vetoes_) veto->advance(passed);
  }
  contexts.held.clear();
  for (auto& veto : vetoes_) contexts.held |= veto->held(contexts);
}

Cycle SlotPolicies::next_event(Cycle now) const {
  Cycle next = kNever;
  for (const auto& veto : vetoes_) next = std::min(next, std::max(veto->next_event(), now + 1));
  return next;
}

void SlotPolicies::declare(const SmSite& site) {
  const auto add_state = [&](const std::string& name) -> ModuleState& {
    states_.push_back(std::make_unique<ModuleState>(site.services, site.path(name), site.domain()));
    return *states_.back();
  };
  for (unsigned s = 0; s < slots_.size(); ++s) {
    const std::string name = fmt::format("order{}", s);
    ModuleState& state = add_state(name);
    groups_.push_back(std::make_unique<StatisticsGroup>(site.statistics, name));
    state.charge_to((slots_[s].shape.fills ? site.parameters.fill_order : site.parameters.order).name());
    slots_[s].order->declare_statistics(*groups_.back());
    slots_[s].order->declare_state(state, {.contexts = contexts_, .members = slots_[s].shape.members});
  }
  for (unsigned v = 0; v < vetoes_.size(); ++v) {
    ModuleState& state = add_state(fmt::format("veto{}", v));
    state.charge_to(site.parameters.vetoes.names()[v]);
    vetoes_[v]->declare_state(state, {.contexts = contexts_, .members = {}});
  }
}

}  // namespace heddle::sm
