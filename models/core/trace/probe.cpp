// SPDX-License-Identifier: Apache-2.0
#include "core/trace/probe.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"

namespace heddle {

ProbeGroup::ProbeGroup(Probes& probes, std::string path, std::string domain)
    : probes_(probes), path_(std::move(path)), domain_(std::move(domain)) {
  auto& list = probes_.list_;
  const auto at = std::lower_bound(list.begin(), list.end(), path_,
                                   [](const ProbeGroup* g, const auto& p) { return natural_less(g->path(), p); });
  if (at != list.end() && (*at)->path() == path_) fail(ExitCode::internal, "two probe groups are called '{}'", path_);
  list.insert(at, this);
  fired_groups_ = &probes_.fired_[domain_];
}

ProbeGroup::~ProbeGroup() {
  std::erase(probes_.list_, this);
  std::erase(*fired_groups_, this);
}

ProbeGroup::SignalId ProbeGroup::add_reader(std::string name, unsigned width, std::string sentence,
                                            std::function<void(std::uint64_t*)> read, const TextTable* text) {
  if (name.empty() || sentence.empty() || width == 0) {
    fail(ExitCode::internal, "signal '{}.{}' needs a name, a width and a sentence", path_, name);
  }
  if (std::any_of(signals_.begin(), signals_.end(), [&](const auto& signal) { return signal.name == name; })) {
    fail(ExitCode::internal, "signal '{}.{}' is declared twice", path_, name);
  }
  const Radix radix = text != nullptr ? Radix::text : width == 1 ? Radix::binary : Radix::decimal;
  signals_.push_back({std::move(name), std::move(sentence), width, radix, text, std::move(read)});
  pulses_.push_back(0);
  fired_.resize((signals_.size() + 63) / 64);
  return signals_.size() - 1;
}

ProbeGroup::SignalId ProbeGroup::pulse(std::string name, unsigned width, std::string sentence, const TextTable* text) {
  if (width > 64) fail(ExitCode::internal, "pulse '{}.{}' is wider than 64 bits", path_, name);
  const SignalId signal = add_reader(std::move(name), width, std::move(sentence), nullptr, text);
  signals_[signal].pulse = true;
  return signal;
}

ProbeGroup::SignalId ProbeGroup::add_planes(const std::vector<std::string>& names, unsigned width,
                                            const std::string& sentence, std::function<void(std::uint64_t*)> read,
                                            const TextTable* text) {
  const SignalId first = signals_.size();
  if (width > 64) fail(ExitCode::internal, "signals '{}.{}' ... are wider than 64 bits", path_, names.front());
  for (const std::string& name : names) signals_[add_reader(name, width, sentence, nullptr, text)].together = 0;
  signals_[first].read = std::move(read);
  signals_[first].together = names.size();
  signals_[first].planes = true;
  return first;
}

std::vector<ProbeGroup*> Probes::groups() const { return list_; }

void Probes::sample_now(const ProbeCycle& cycle) {
  listener_->sample(cycle);
  const auto found = fired_.find(cycle.domain);
  if (found == fired_.end()) return;
  for (ProbeGroup* const group : found->second) {
    std::fill(group->fired_.begin(), group->fired_.end(), 0);
    group->any_fired_ = false;
  }
  found->second.clear();
}

}  // namespace heddle
