// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/shared_timing.h"

#include <algorithm>

namespace heddle::memory {
namespace {

void apply(const DramConstraint& constraint, DramTables::Distances& distances) {
  for (DramCommand before : constraint.preceding) {
    auto& follows = distances[static_cast<unsigned>(before)];
    for (DramCommand after : constraint.following) {
      const auto same = std::find_if(follows.begin(), follows.end(),
                                     [after](const DramTables::Follow& follow) { return follow.command == after; });
      if (same == follows.end()) {
        follows.push_back({after, constraint.latency});
      } else {
        same->distance = std::max(same->distance, constraint.latency);
      }
    }
  }
}

}  // namespace

DramTables::DramTables(const DramDevice& part) : device(part) {
  for (unsigned level = 0; level < kDramLevels; ++level) {
    levels[level] = TimingRules(device.constraints, static_cast<DramLevel>(level));
  }
  for (const DramConstraint& constraint : device.constraints) {
    if (constraint.level == DramLevel::bank || constraint.latency == 0) continue;
    if (constraint.window > 1) {
      windows = true;
      continue;
    }
    const bool beside = constraint.sibling;
    if (constraint.level == DramLevel::bank_group) {
      apply(constraint, beside ? same_rank : same_group);
      continue;
    }
    const bool channel = constraint.level == DramLevel::channel;
    if (channel || beside) apply(constraint, other_rank);
    if (channel || !beside) {
      apply(constraint, same_group);
      apply(constraint, same_rank);
    }
  }
}

SharedTiming::SharedTiming(const DramTables& tables, const ChannelGeometry& geometry)
    : tables_(tables),
      geometry_(geometry),
      earliest_(std::size_t{geometry.ranks} * geometry.bank_groups),
      channel_(tables.level(DramLevel::channel)),
      ranks_(geometry.ranks, TimingNode(tables.level(DramLevel::rank))),
      groups_(earliest_.size(), TimingNode(tables.level(DramLevel::bank_group))) {}

void SharedTiming::issued(DramCommand command, unsigned bank, Cycle now) {
  const unsigned group = bank / geometry_.banks_per_group;
  const unsigned first_of_rank = group / geometry_.bank_groups * geometry_.bank_groups;
  const auto number = static_cast<unsigned>(command);
  for (unsigned other = 0; other < earliest_.size(); ++other) {
    const bool beside = other - first_of_rank < geometry_.bank_groups;
    const auto& distances = other == group ? tables_.same_group : beside ? tables_.same_rank : tables_.other_rank;
    for (const DramTables::Follow& follow : distances[number]) {
      Cycle& earliest = earliest_[other][static_cast<unsigned>(follow.command)];
      earliest = std::max(earliest, now + follow.distance);
    }
  }
  if (tables_.windows) note_windows(command, group, now);
}

void SharedTiming::note_windows(DramCommand command, unsigned group, Cycle now) {
  const unsigned rank = group / geometry_.bank_groups;
  groups_[group].issued(command, now);
  ranks_[rank].issued(command, now);
  channel_.issued(command, now);
  for (unsigned other = 0; other < ranks_.size(); ++other) {
    if (other != rank) ranks_[other].issued_beside(command, now);
  }
  for (unsigned other = rank * geometry_.bank_groups; other < (rank + 1) * geometry_.bank_groups; ++other) {
    if (other != group) groups_[other].issued_beside(command, now);
  }
  for (unsigned other = 0; other < groups_.size(); ++other) {
    const TimingNode& its_rank = ranks_[other / geometry_.bank_groups];
    for (unsigned c = 0; c < kDramCommands; ++c) {
      const auto following = static_cast<DramCommand>(c);
      Cycle& earliest = earliest_[other][c];
      earliest = std::max(
          {earliest, groups_[other].earliest(following), its_rank.earliest(following), channel_.earliest(following)});
    }
  }
}

}  // namespace heddle::memory
