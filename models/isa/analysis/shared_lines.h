// SPDX-License-Identifier: Apache-2.0
// Which loads of a loop access one line of a cache in a trip, as far as their instructions tell: the same base register
// with the same reaching definitions, and displacements within a line. An addition of a constant to the base counts as
// a displacement. Registers are those that PTX names.
// An unrolled loop has copies of each load. Those that walk along an array have displacements; those that gather, from
// x[i[k]], x[i[k + 1]], ..., do not, and one trip of the loop as written has one of them. Loads of one line of the
// source count once if their addresses are the same function of elements that loads counted once have read.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.6.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/image.h"

namespace heddle::isa {

/// By load: a number that loads of one line have in common, from 0. loads: program counters of memory operations.
std::vector<unsigned> loads_by_line(const Kernel& kernel, const std::vector<std::uint32_t>& loads, unsigned line_bytes);

}  // namespace heddle::isa
