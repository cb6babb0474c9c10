// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/bus_turns.h"

namespace heddle::memory {

BusTurns::BusTurns(const DramParameters& parameters, const DramTables& tables, bool columns_first)
    : batched_(parameters.turns == DramTurns::batched && columns_first && parameters.write_queue_entries == 0),
      cap_(parameters.turn_cap) {
  if (!batched_) return;
  for (const bool write : {false, true}) {
    const auto distance = [&](bool before) {
      Cycle longest = 0;
      for (const auto& follow :
           tables.same_rank[static_cast<unsigned>(before ? DramCommand::write : DramCommand::read)]) {
        if (follow.command == (write ? DramCommand::write : DramCommand::read)) longest = follow.distance;
      }
      return longest;
    };
    if (distance(!write) > distance(write)) turn_back_[write] = distance(!write);
  }
}

bool BusTurns::passes_older(const NextCommands& commands, const NextCommands::Planes& may) const {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const auto oldest = [&](bool write) {
    std::uint64_t order = kNone;
    for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) {
      for_each_bank(may[plane] & commands.columns(plane, write),
                    [&](unsigned bank) { order = std::min(order, commands.order(NextCommands::slot(bank, plane))); });
    }
    return order;
  };
  const std::uint64_t turning = oldest(!writes_);
  return turning != kNone && turning < oldest(writes_);
}

}  // namespace heddle::memory
