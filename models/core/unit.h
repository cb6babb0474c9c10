// SPDX-License-Identifier: Apache-2.0
// Units of parameters and statistics. Every number a user can set or read has one.
#pragma once

#include <string_view>

namespace heddle {

/// A unit of measure as printed in messages and files; empty for a plain number or a name.
struct Unit {
  const char* name = "";
};
/// Whether values are sizes in bytes, which may be written with a unit: "48KB".
constexpr bool is_size(Unit unit) { return std::string_view(unit.name) == "bytes"; }

namespace unit {
inline constexpr Unit kNone{""};
inline constexpr Unit kCycles{"cycles"};
inline constexpr Unit kInstructions{"instructions"};
inline constexpr Unit kThreadInstructions{"thread-instructions"};
inline constexpr Unit kInstructionsPerCycle{"instructions/cycle"};
inline constexpr Unit kThreadInstructionsPerCycle{"thread-instructions/cycle"};
inline constexpr Unit kThreads{"threads"};
inline constexpr Unit kLanes{"lanes"};
inline constexpr Unit kWarps{"warps"};
inline constexpr Unit kContexts{"contexts"};
inline constexpr Unit kBlocks{"blocks"};
inline constexpr Unit kKernels{"kernels"};
inline constexpr Unit kRegisters{"registers"};
inline constexpr Unit kEntries{"entries"};
inline constexpr Unit kSets{"sets"};
inline constexpr Unit kWays{"ways"};
inline constexpr Unit kLines{"lines"};
inline constexpr Unit kBanks{"banks"};
inline constexpr Unit kPorts{"ports"};
inline constexpr Unit kSlots{"slots"};
inline constexpr Unit kRequests{"requests"};
inline constexpr Unit kReplies{"replies"};
inline constexpr Unit kTransactions{"transactions"};
inline constexpr Unit kTransfers{"transfers"};
inline constexpr Unit kPackets{"packets"};
inline constexpr Unit kFlits{"flits"};
inline constexpr Unit kEntryCycles{"entries x cycles"};
inline constexpr Unit kThreadCycles{"threads x cycles"};
inline constexpr Unit kWarpCycles{"warps x cycles"};
inline constexpr Unit kTransfersPerCycle{"transfers/cycle"};
inline constexpr Unit kAccesses{"accesses"};
inline constexpr Unit kCommands{"commands"};
inline constexpr Unit kRows{"rows"};
inline constexpr Unit kEvents{"events"};
inline constexpr Unit kCalls{"calls"};
inline constexpr Unit kUnits{"units"};
inline constexpr Unit kStages{"stages"};
inline constexpr Unit kBytes{"bytes"};
inline constexpr Unit kBytesPerCycle{"bytes/cycle"};
inline constexpr Unit kBits{"bits"};
inline constexpr Unit kKilohertz{"kHz"};
inline constexpr Unit kMegahertz{"MHz"};
inline constexpr Unit kNanoseconds{"ns"};
inline constexpr Unit kSeconds{"s"};
inline constexpr Unit kRatio{"ratio"};
inline constexpr Unit kPercent{"%"};
}  // namespace unit

}  // namespace heddle
