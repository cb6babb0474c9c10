// SPDX-License-Identifier: Apache-2.0
// The direction of a channel's data bus, and the batches in which requests of one direction are served while reads and
// writes share a queue.
#pragma once

#include <array>

#include "memory/dram/dram_parameters.h"
#include "memory/dram/next_commands.h"
#include "memory/dram/shared_timing.h"

namespace heddle::memory {

class BusTurns {
 public:
  /// columns_first: whether column commands precede row commands; pure age order does not batch.
  BusTurns(const DramParameters& parameters, const DramTables& tables, bool columns_first);

  /// Whether a bank offers a row hit of either direction.
  bool batched() const { return batched_; }
  /// Whether the last burst was a write.
  bool writes() const { return writes_; }
  /// Cycles from a column command of the other direction to one of this; 0: turning the bus is free, or is not to be
  /// deferred.
  Cycle turn_back() const { return turn_back_[writes_]; }

  /// A column command was issued. Returns whether the bus turned for it.
  bool moved(bool write) {
    const bool turned = write != writes_;
    if (turned) served_ = 0;
    writes_ = write;
    return turned;
  }
  /// A request was served.
  void served() { ++served_; }
  /// Whether the batch is over: as many requests as it may have were served, and the oldest of the column commands
  /// that may issue would turn the bus. may: banks by plane.
  bool over(const NextCommands& commands, const NextCommands::Planes& may) const {
    return batched_ && served_ >= cap_ && passes_older(commands, may);
  }

 private:
  bool passes_older(const NextCommands& commands, const NextCommands::Planes& may) const;

  bool batched_;
  unsigned cap_;                      // requests of a batch
  std::array<Cycle, 2> turn_back_{};  // by direction (1: writes)
  bool writes_ = false;
  unsigned served_ = 0;  // requests since the last turn
};

}  // namespace heddle::memory
