// SPDX-License-Identifier: Apache-2.0
// mbarrier objects: 8 bytes of shared memory that count the pending arrivals and transaction bytes of the current
// phase.
#include <cstring>

#include "isa/async_copy.h"
#include "isa/describe.h"
#include "isa/fault.h"
#include "isa/operands.h"
#include "isa/semantics/memory_access.h"

namespace heddle::isa {
namespace {

constexpr unsigned kCountBits = 20, kBytesBits = 21;
constexpr std::uint64_t kMostCount = (std::uint64_t{1} << kCountBits) - 1;
constexpr std::uint64_t kValid = std::uint64_t{1} << 61;

/// An unpacked object. Fields from the lowest bit: pending, expected, bytes (two's complement), valid, phase in bit 63.
/// mbarrier.pending_count reads the first field of a state (word_lanes.cpp).
struct Barrier {
  std::int64_t pending, expected, bytes;
  bool phase;

  explicit Barrier(std::uint64_t word)
      : pending(static_cast<std::int64_t>(word & kMostCount)),
        expected(static_cast<std::int64_t>(word >> kCountBits & kMostCount)),
        bytes(static_cast<std::int64_t>(word << (64 - 2 * kCountBits - kBytesBits)) >> (64 - kBytesBits)),
        phase(mbarrier_phase(word)) {}
  std::uint64_t word() const {
    const std::uint64_t field = static_cast<std::uint64_t>(bytes) & ((std::uint64_t{1} << kBytesBits) - 1);
    return static_cast<std::uint64_t>(pending) | static_cast<std::uint64_t>(expected) << kCountBits |
           field << (2 * kCountBits) | kValid | std::uint64_t{phase} << 63;
  }
  void settle() {
    if (pending != 0 || bytes != 0) return;
    phase = !phase;
    pending = expected;
  }
};

[[noreturn]] void fail_object(const MicroOp& op, const WarpState& warp, unsigned lane, std::uint64_t offset,
                              const std::string& why) {
  throw KernelFault(FaultKind::operand,
                    fmt::format("kernel '{}': the mbarrier object at shared address {:#x} {}; {} at {}",
                                warp.block->launch->kernel->name, offset, why, describe_threads(warp, 1u << lane),
                                describe_instruction(warp, op.pc)));
}

std::uint64_t load_word(const std::byte* place) {
  std::uint64_t word;
  std::memcpy(&word, place, sizeof word);
  return word;
}

void arrive(const MicroOp& op, const WarpState& warp, unsigned lane, std::uint64_t offset, std::byte* place,
            std::int64_t count, std::int64_t dropped, std::int64_t expected_bytes) {
  Barrier barrier(load_word(place));
  if (count > barrier.pending)
    fail_object(op, warp, lane, offset,
                fmt::format("expects {} more arrivals in this phase, but {} came", barrier.pending, count));
  barrier.bytes += expected_bytes;
  barrier.expected -= dropped;
  barrier.pending -= count;
  barrier.settle();
  const std::uint64_t word = barrier.word();
  std::memcpy(place, &word, sizeof word);
}

/// Checks that the lanes' objects lie in shared memory and are accessible.
void check_objects(const MicroOp& op, const WarpState& warp, const Addresses& addresses, const MemoryPort& port) {
  if (addresses.space != Space::shared) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(addresses.mask));
    fail_object(op, warp, lane, addresses.value[lane], "is not in shared memory");
  }
  CheckedAccess access;
  check_access(op, warp, addresses, port, access);
}

}  // namespace

bool mbarrier_passes(const MicroOp& op, const WarpState& warp, unsigned lane, std::uint64_t word) {
  const std::uint64_t asked = value_of(op.sources[1], OperandBases(warp), lane);
  return mbarrier_phase(word) != (op.by_parity ? (asked & 1) != 0 : mbarrier_phase(asked));
}

void execute_mbarrier(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port) {
  check_objects(op, warp, addresses, port);
  const OperandBases bases(warp);
  for_each_lane(addresses.mask, [&](unsigned lane) {
    const std::uint64_t offset = addresses.value[lane];
    std::byte* place = warp.block->shared + offset;
    const std::uint64_t word = load_word(place);
    const bool has_operand = op.source_count > 1;
    const std::uint64_t operand = has_operand ? value_of(op.sources[1], bases, lane) : 1;
    const auto put = [&](std::uint64_t value) { std::memcpy(place, &value, sizeof value); };
    if (op.mbarrier_mode == MbarrierMode::init) {
      if (operand == 0 || operand > kMostCount)
        fail_object(op, warp, lane, offset,
                    fmt::format("cannot expect {} arrivals, the range is 1 to {}", operand, kMostCount));
      Barrier barrier(0);
      barrier.pending = barrier.expected = static_cast<std::int64_t>(operand);
      put(barrier.word());
      return;
    }
    if (op.mbarrier_mode == MbarrierMode::inval) return put(0);
    if ((word & kValid) == 0) fail_object(op, warp, lane, offset, "is not initialised: mbarrier.init comes first");
    const auto count = static_cast<std::int64_t>(operand);
    switch (op.mbarrier_mode) {
      case MbarrierMode::expect_tx:
      case MbarrierMode::complete_tx: {
        Barrier barrier(word);
        const bool completes = op.mbarrier_mode == MbarrierMode::complete_tx;
        barrier.bytes += completes ? -count : count;
        if (completes) barrier.settle();
        put(barrier.word());
        return;
      }
      case MbarrierMode::arrive:
      case MbarrierMode::arrive_drop:
        arrive(op, warp, lane, offset, place, count, op.mbarrier_mode == MbarrierMode::arrive_drop ? count : 0, 0);
        break;
      case MbarrierMode::arrive_expect_tx:
      case MbarrierMode::arrive_drop_expect_tx:
        arrive(op, warp, lane, offset, place, 1, op.mbarrier_mode == MbarrierMode::arrive_drop_expect_tx ? 1 : 0,
               count);
        break;
      case MbarrierMode::test_wait:
      case MbarrierMode::try_wait:
        set_value(op.destinations[0], bases, lane, mbarrier_passes(op, warp, lane, word) ? 1 : 0);
        return;
      case MbarrierMode::copies_arrive_noinc:
        arrive(op, warp, lane, offset, place, 1, 0, 0);
        return;
      default:  // copies_arrive: raises the expected count and arrives at once
        return;
    }
    if (op.destination_count > 0) set_value(op.destinations[0], bases, lane, word);
  });
}

void announce_arrivals(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port) {
  check_objects(op, warp, addresses, port);
  for_each_lane(addresses.mask, [&](unsigned lane) {
    std::byte* place = warp.block->shared + addresses.value[lane];
    const std::uint64_t word = load_word(place);
    if ((word & kValid) == 0)
      fail_object(op, warp, lane, addresses.value[lane], "is not initialised: mbarrier.init comes first");
    if (op.mbarrier_mode == MbarrierMode::copies_arrive_noinc) return;
    Barrier barrier(word);
    ++barrier.pending;
    const std::uint64_t more = barrier.word();
    std::memcpy(place, &more, sizeof more);
  });
}

void arrive_late(const MicroOp& op, WarpState& warp, unsigned lane, std::uint64_t offset) {
  arrive(op, warp, lane, offset, warp.block->shared + offset, 1, 0, 0);
}

}  // namespace heddle::isa
