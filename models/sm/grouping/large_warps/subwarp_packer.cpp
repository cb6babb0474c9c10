// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/large_warps/subwarp_packer.h"

#include "core/config/mechanism.h"
#include "sm/blocks/block_site.h"

namespace heddle::sm {

namespace {

/// Threads of one row, one bit per column.
std::uint32_t row_of(const ThreadSet& threads, const PackerShape& shape, unsigned row) {
  const unsigned first = row * shape.columns;
  const std::uint32_t mask = shape.columns == 32 ? ~0u : (1u << shape.columns) - 1;
  return threads.word32(first / 32) >> (first % 32) & mask;
}

void add_row(ThreadSet& threads, const PackerShape& shape, unsigned row, std::uint32_t columns) {
  const unsigned first = row * shape.columns;
  threads.set_word32(first / 32, threads.word32(first / 32) | columns << (first % 32));
}

void take(SubWarp& packed, const PackerShape& shape, unsigned row, std::uint32_t columns) {
  if (columns == 0) return;
  add_row(packed.threads, shape, row, columns);
  for (std::uint32_t rest = columns; rest != 0; rest &= rest - 1)
    packed.row[static_cast<unsigned>(std::countr_zero(rest))] = static_cast<std::uint8_t>(row);
}

}  // namespace

SubWarp pack_subwarp(const PackerShape& shape, const PackRequest& request) {
  SubWarp packed;
  if (request.mode == PackMode::token) {
    packed.last = true;
    return packed;
  }
  const ThreadSet free = request.work - request.in_flight;
  const ThreadSet eligible = free & request.guard;
  // The producer of the guard may be in flight, so only threads that are not are dropped for a false guard.
  const ThreadSet work = request.work - (free - request.guard);
  if (request.mode == PackMode::rows) {
    for (unsigned row = 0; row < shape.rows && packed.threads.none(); ++row) {
      const std::uint32_t wanted = row_of(work, shape, row);
      if (wanted != 0 && row_of(eligible, shape, row) == wanted) take(packed, shape, row, wanted);
    }
  } else if (request.mode == PackMode::columns) {
    std::uint32_t taken = 0;
    for (unsigned row = 0; row < shape.rows; ++row) {
      const std::uint32_t from_row = row_of(eligible, shape, row) & ~taken;
      take(packed, shape, row, from_row);
      taken |= from_row;
    }
  } else {
    // Threads go to lanes in order; nothing reads their rows.
    unsigned room = shape.columns;
    for (std::size_t t = eligible.first(); t < ThreadSet::kBits && room != 0; t = eligible.next(t + 1), --room)
      packed.threads.set(t);
  }
  packed.any = packed.threads.any();
  packed.left = work - packed.threads;
  packed.last = packed.left.none();
  return packed;
}

class SubwarpPackerModel final : public SubwarpPacker {
 public:
  SubwarpPackerModel(const PackerShape& shape, const BlockSite&) : shape_(shape) {}
  SubWarp pack(const PackRequest& request) override { return pack_subwarp(shape_, request); }

 private:
  PackerShape shape_;
};

HEDDLE_REGISTER(SubwarpPacker, SubwarpPackerModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace heddle::sm
