// SPDX-License-Identifier: Apache-2.0
// atom and red.
#include <bit>

#include "semantics_fixture.h"
#include "semantics_table.h"

namespace heddle::isa {
namespace {

constexpr unsigned kPlaces = 8;

/// Atomics of 32 lanes on a few places of global or shared memory, checked against a loop over the lanes.
class Atomic : public WarpFixture {
 protected:
  Atomic() { port_.allow(global_.data(), sizeof global_); }

  using Combine = std::function<std::uint64_t(std::uint64_t old, std::uint64_t b, std::uint64_t c)>;

  static unsigned cell_width(DataType type) { return size_of(type) == 8 ? 8 : 4; }
  std::uint64_t cell(unsigned unit, unsigned lane, DataType type) {
    return cell_width(type) == 8 ? longs(unit)[lane] : words(unit)[lane];
  }
  void set_cell(unsigned unit, unsigned lane, DataType type, std::uint64_t value) {
    cell_width(type) == 8 ? static_cast<void>(longs(unit)[lane] = value)
                          : static_cast<void>(words(unit)[lane] = static_cast<std::uint32_t>(value));
  }

  MicroOp operation(AtomOp kind, DataType type, Space space, bool returns) {
    MicroOp op;
    op.opcode = returns ? Opcode::atom : Opcode::red;
    op.type = type;
    op.space = space;
    op.atom_op = kind;
    const DataType storage = size_of(type) == 8 ? DataType::b64 : DataType::b32;
    op.sources = {register_at(0, DataType::b64), register_at(4, storage), register_at(6, storage)};
    op.source_count = kind == AtomOp::cas ? 3 : 2;
    op.destinations[0] = register_at(8, storage);
    op.destination_count = returns ? 1 : 0;
    return op;
  }

  void check(AtomOp kind, DataType type, Space space, std::uint32_t mask, const std::vector<std::uint64_t>& values,
             const Combine& combine) {
    const unsigned bytes = size_of(type);
    const std::uint64_t low = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
    for (const bool returns : {true, false}) {
      const MicroOp op = operation(kind, type, space, returns);
      std::byte* base = space == Space::shared ? shared_.data() : reinterpret_cast<std::byte*>(global_.data());
      table::Random random(static_cast<std::uint64_t>(kind) * 100 + static_cast<std::uint64_t>(type));
      std::array<std::uint64_t, kPlaces> expected;
      for (unsigned p = 0; p < kPlaces; ++p) {
        expected[p] = values[random.below(values.size())] & low;
        std::memcpy(base + p * bytes, &expected[p], bytes);
      }
      std::array<std::uint64_t, 32> returned;
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned p = static_cast<unsigned>(random.below(kPlaces));
        const std::uint64_t window = space == Space::shared ? 0 : reinterpret_cast<std::uint64_t>(base);
        longs(0)[i] = window + p * bytes;
        const std::uint64_t b =
            (kind == AtomOp::cas && random.below(2) == 0 ? expected[p] : values[random.below(values.size())]) & low;
        const std::uint64_t c = values[random.below(values.size())] & low;
        set_cell(4, i, type, b);
        set_cell(6, i, type, c);
        set_cell(8, i, type, 0xeeeeeeeeeeeeeeee);
        returned[i] = expected[p];
        if ((mask >> i & 1) != 0) expected[p] = combine(expected[p], b, c) & low;
      }
      Addresses addresses;
      compute_addresses(op, warp_, mask, addresses);
      execute_memory(op, warp_, addresses, port_);
      for (unsigned p = 0; p < kPlaces; ++p) {
        std::uint64_t got = 0;
        std::memcpy(&got, base + p * bytes, bytes);
        ASSERT_EQ(got, expected[p]) << name_of(type) << " operation " << static_cast<int>(kind) << " place " << p;
      }
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint64_t untouched = cell_width(type) == 8 ? 0xeeeeeeeeeeeeeeee : 0xeeeeeeee;
        ASSERT_EQ(cell(8, i, type), returns && (mask >> i & 1) != 0 ? returned[i] : untouched)
            << name_of(type) << " lane " << i;
      }
    }
  }

  void check_everywhere(AtomOp kind, DataType type, const Combine& combine) {
    const auto& values = table::corners(type);
    for (const Space space : {Space::global, Space::shared}) {
      for (const std::uint32_t mask : {~0u, 0x10f0ff01u}) check(kind, type, space, mask, values, combine);
    }
  }

  alignas(64) std::array<std::uint64_t, kPlaces> global_{};
  TestMemory port_;
};

TEST_F(Atomic, LogicExchangeAndSwap) {
  for (const DataType type : {DataType::b32, DataType::b64}) {
    check_everywhere(AtomOp::and_, type, [](auto a, auto b, auto) { return a & b; });
    check_everywhere(AtomOp::or_, type, [](auto a, auto b, auto) { return a | b; });
    check_everywhere(AtomOp::xor_, type, [](auto a, auto b, auto) { return a ^ b; });
    check_everywhere(AtomOp::exch, type, [](auto, auto b, auto) { return b; });
  }
  for (const DataType type : {DataType::b16, DataType::b32, DataType::b64}) {
    check_everywhere(AtomOp::cas, type, [](auto a, auto b, auto c) { return a == b ? c : a; });
  }
}

TEST_F(Atomic, IntegerSumsAndExtremes) {
  for (const DataType type : {DataType::u32, DataType::s32, DataType::u64, DataType::s64}) {
    const unsigned width = table::width_of(type);
    const auto less = [=](std::uint64_t a, std::uint64_t b) {
      return is_signed(type) ? table::sign_extended(a, width) < table::sign_extended(b, width) : a < b;
    };
    check_everywhere(AtomOp::add, type, [](auto a, auto b, auto) { return a + b; });
    check_everywhere(AtomOp::min, type, [=](auto a, auto b, auto) { return less(b, a) ? b : a; });
    check_everywhere(AtomOp::max, type, [=](auto a, auto b, auto) { return less(a, b) ? b : a; });
  }
}

TEST_F(Atomic, WrappingIncrementAndDecrement) {
  check_everywhere(AtomOp::inc, DataType::u32, [](auto a, auto b, auto) { return a >= b ? 0 : a + 1; });
  check_everywhere(AtomOp::dec, DataType::u32, [](auto a, auto b, auto) { return a == 0 || a > b ? b : a - 1; });
}

TEST_F(Atomic, DoubleSumsFollowTheNanRule) {
  check_everywhere(AtomOp::add, DataType::f64, [](std::uint64_t a, std::uint64_t b, std::uint64_t) -> std::uint64_t {
    const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
    if (x != x) return a | 0x0008000000000000;
    if (y != y) return b | 0x0008000000000000;
    const volatile double sum = x + y;
    return sum != sum ? 0xfff8000000000000 : std::bit_cast<std::uint64_t>(static_cast<double>(sum));
  });
}

TEST_F(Atomic, SingleSumsFlushSubnormalsInGlobalMemoryOnly) {
  for (const Space space : {Space::global, Space::shared}) {
    const auto flush = [=](std::uint32_t bits) {
      return space == Space::global && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
    };
    for (const std::uint32_t mask : {~0u, 0x0ff00ff0u}) {
      check(AtomOp::add, DataType::f32, space, mask, table::corners(DataType::f32),
            [=](auto a, auto b, auto) -> std::uint64_t {
              const volatile float sum = std::bit_cast<float>(flush(static_cast<std::uint32_t>(a))) +
                                         std::bit_cast<float>(flush(static_cast<std::uint32_t>(b)));
              return sum != sum ? 0x7fffffff : flush(std::bit_cast<std::uint32_t>(static_cast<float>(sum)));
            });
    }
  }
}

TEST_F(Atomic, HalfSumsRoundOnce) {
  // Integers up to 2048 are exact in binary16; 2049 is a tie that goes to even.
  const auto half = [](int value) -> std::uint64_t {
    if (value == 0) return 0;
    const int exponent = 31 - std::countl_zero(static_cast<std::uint32_t>(value));
    const int mantissa = exponent <= 10 ? value << (10 - exponent) : value >> (exponent - 10);
    return static_cast<std::uint64_t>((exponent + 15) << 10 | (mantissa & 0x3ff));
  };
  const std::vector<std::pair<int, std::array<int, 2>>> sums = {
      {3, {1, 2}}, {2048, {2047, 1}}, {2048, {2048, 1}}, {2052, {2048, 3}}};
  for (const auto& [sum, parts] : sums) {
    MicroOp op = operation(AtomOp::add, DataType::f16x2, Space::global, true);
    global_[0] = half(parts[0]) | half(parts[1]) << 16;
    longs(0)[0] = reinterpret_cast<std::uint64_t>(global_.data());
    words(4)[0] = static_cast<std::uint32_t>(half(parts[1]) | half(parts[0]) << 16);
    Addresses addresses;
    compute_addresses(op, warp_, 1, addresses);
    execute_memory(op, warp_, addresses, port_);
    EXPECT_EQ(global_[0], half(sum) | half(sum) << 16) << parts[0] << " + " << parts[1];
    op.type = DataType::f16;
    global_[0] = half(parts[0]);
    execute_memory(op, warp_, addresses, port_);
    EXPECT_EQ(global_[0] & 0xffff, half(sum));
  }
}

TEST_F(Atomic, LanesOnOnePlaceActInAscendingOrder) {
  const MicroOp op = operation(AtomOp::exch, DataType::b32, Space::global, true);
  global_[0] = 1000;
  for (unsigned i = 0; i < 32; ++i) {
    longs(0)[i] = reinterpret_cast<std::uint64_t>(global_.data());
    words(4)[i] = i;
  }
  Addresses addresses;
  compute_addresses(op, warp_, ~0u, addresses);
  execute_memory(op, warp_, addresses, port_);
  EXPECT_EQ(words(8)[0], 1000u);
  for (unsigned i = 1; i < 32; ++i) EXPECT_EQ(words(8)[i], i - 1);
  EXPECT_EQ(global_[0], 31u);
}

TEST_F(Atomic, ThroughGenericAddressesInSeveralSpaces) {
  const MicroOp op = operation(AtomOp::add, DataType::u32, Space::generic, true);
  for (unsigned i = 0; i < 32; ++i) {
    longs(0)[i] = i % 2 == 0 ? reinterpret_cast<std::uint64_t>(global_.data()) : kSharedWindow + 8;
    words(4)[i] = 1;
  }
  Addresses addresses;
  compute_addresses(op, warp_, ~0u, addresses);
  execute_memory(op, warp_, addresses, port_);
  std::uint32_t in_shared;
  std::memcpy(&in_shared, &shared_[8], 4);
  EXPECT_EQ(in_shared, 16u);
  EXPECT_EQ(global_[0], 16u);
  EXPECT_EQ(words(8)[31], 15u);
}

TEST_F(Atomic, UndefinedCombinationsAreNamed) {
  const MicroOp op = operation(AtomOp::min, DataType::f32, Space::global, false);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = reinterpret_cast<std::uint64_t>(global_.data());
  Addresses addresses;
  compute_addresses(op, warp_, ~0u, addresses);
  const std::string message = message_of(ExitCode::ptx, [&] { execute_memory(op, warp_, addresses, port_); });
  EXPECT_NE(message.find("red of type f32 in kernel tested"), std::string::npos) << message;
}

}  // namespace
}  // namespace heddle::isa
