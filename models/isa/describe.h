// SPDX-License-Identifier: Apache-2.0
// Text for messages that name running threads and program locations.
#pragma once

#include <cstdint>
#include <string>

#include "core/bits.h"
#include "isa/state.h"

namespace heddle::isa {

/// A set of threads as "0-3,7"; member i is thread first + i.
std::string describe_lanes(const ThreadSet& threads, std::uint32_t first = 0);
std::string describe_lanes(std::uint32_t mask, std::uint32_t first = 0);
/// "threads 32-47 of block (0,1,0)"; threads are numbered within the block, x fastest.
std::string describe_threads(const BlockState& block, const ThreadSet& threads, std::uint32_t first = 0);
std::string describe_threads(const WarpState& warp, std::uint32_t mask);
/// "app.cu:12", or "app.cu:12, inlined from math.h:40": where the instruction comes from; empty: unknown.
std::string describe_source(const Kernel& kernel, const MicroOp& op);
/// "kernel.ptx:41 `bar.sync 0;` (app.cu:12)".
std::string describe_instruction(const Kernel& kernel, std::uint32_t pc);
std::string describe_instruction(const WarpState& warp, std::uint32_t pc);

}  // namespace heddle::isa
