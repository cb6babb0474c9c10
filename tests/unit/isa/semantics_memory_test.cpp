// SPDX-License-Identifier: Apache-2.0
// Loads, stores and their checks.
#include "semantics_fixture.h"

namespace heddle::isa {
namespace {

class Memory : public WarpFixture {
 protected:
  Memory() {
    for (unsigned i = 0; i < data_.size(); ++i) data_[i] = 0x01010101u * (i & 0xff) ^ 0x80f00000u;
    port_.allow(data_.data(), sizeof data_);
  }

  /// An access through a 64-bit address register at unit 0; data from unit 8 on, `stride` units apart.
  static MicroOp access(Opcode opcode, Space space, DataType type, unsigned width = 1,
                        DataType storage = DataType::b32) {
    MicroOp op;
    op.opcode = opcode;
    op.space = space;
    op.type = type;
    op.vector_width = static_cast<std::uint8_t>(width);
    op.sources[0] = register_at(0, DataType::b64);
    op.source_count = 1;
    op.ptx_line = 12;
    op.source_file = 1;
    op.source_line = 34;
    for (unsigned e = 0; e < width; ++e) {
      const Operand data = register_at(8 + 2 * e, storage);
      (opcode == Opcode::ld ? op.destinations[e] : op.sources[1 + e]) = data;
    }
    (opcode == Opcode::ld ? op.destination_count : op.source_count) += static_cast<std::uint8_t>(width);
    return op;
  }

  void run(const MicroOp& op, std::uint32_t mask = ~0u) {
    Addresses addresses;
    compute_addresses(op, warp_, mask, addresses);
    execute_memory(op, warp_, addresses, port_);
  }

  std::uint64_t address_of(const void* place) const { return reinterpret_cast<std::uint64_t>(place); }
  void point_at(const void* base, std::uint64_t stride) {
    for (unsigned i = 0; i < 32; ++i) longs(0)[i] = address_of(base) + i * stride;
  }

  alignas(256) std::array<std::uint32_t, 1024> data_;
  TestMemory port_;
};

TEST_F(Memory, ContiguousLoadReadsOneElementALane) {
  point_at(&data_[8], 4);
  run(access(Opcode::ld, Space::global, DataType::u32));
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(8)[i], data_[8 + i]);
  EXPECT_EQ(port_.calls, 1u);
}

TEST_F(Memory, ScatteredLoadReadsEachLanesOwnAddress) {
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = address_of(&data_[i * 37 % 101]);
  run(access(Opcode::ld, Space::global, DataType::f32));
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(8)[i], data_[i * 37 % 101]);
}

TEST_F(Memory, OneAddressIsBroadcastAndKeepsLanesOutsideTheMask) {
  point_at(&data_[5], 0);
  for (unsigned i = 0; i < 32; ++i) words(8)[i] = i;
  run(access(Opcode::ld, Space::global, DataType::u32), 0x0000ff0f);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(8)[i], (0x0000ff0f >> i & 1) != 0 ? data_[5] : i);
}

TEST_F(Memory, LanesOutsideTheMaskNeedNoValidAddress) {
  point_at(&data_[0], 4);
  longs(0)[3] = 0xdead;
  words(8)[3] = 77;
  run(access(Opcode::ld, Space::global, DataType::u32), ~8u);
  EXPECT_EQ(words(8)[2], data_[2]);
  EXPECT_EQ(words(8)[3], 77u);
  EXPECT_EQ(words(8)[4], data_[4]);
}

TEST_F(Memory, AnEmptyMaskTouchesNothing) {
  point_at(nullptr, 1);
  run(access(Opcode::ld, Space::global, DataType::u32), 0);
  EXPECT_EQ(port_.calls, 0u);
}

TEST_F(Memory, NarrowLoadsExtendByTheirType) {
  for (const auto type : {DataType::s8, DataType::u8, DataType::b8, DataType::s16, DataType::u16, DataType::b16,
                          DataType::s32, DataType::u32}) {
    for (const auto storage : {DataType::b32, DataType::b64}) {
      for (const unsigned step : {1u, 3u}) {  // contiguous and scattered
        const unsigned bytes = size_of(type);
        point_at(&data_[0], bytes * step);
        run(access(Opcode::ld, Space::global, type, 1, storage));
        for (unsigned i = 0; i < 32; ++i) {
          std::int64_t expected = 0;
          std::memcpy(&expected, reinterpret_cast<const std::byte*>(&data_[0]) + i * bytes * step, bytes);
          if (is_signed(type)) expected = expected << (64 - 8 * bytes) >> (64 - 8 * bytes);
          if (storage == DataType::b64) {
            EXPECT_EQ(longs(8)[i], static_cast<std::uint64_t>(expected)) << name_of(type) << " lane " << i;
          } else {
            EXPECT_EQ(words(8)[i], static_cast<std::uint32_t>(expected)) << name_of(type) << " lane " << i;
          }
        }
      }
    }
  }
}

TEST_F(Memory, VectorLoadsAndStoresKeepElementOrder) {
  std::array<std::uint32_t, 256> copy{};
  port_.allow(copy.data(), sizeof copy);
  for (const unsigned width : {2u, 4u}) {
    for (const std::uint32_t mask : {~0u, 0x55aa00ffu}) {
      copy.fill(0);
      point_at(&data_[16], 4 * width);
      run(access(Opcode::ld, Space::global, DataType::u32, width), mask);
      point_at(copy.data(), 4 * width);
      run(access(Opcode::st, Space::global, DataType::u32, width), mask);
      for (unsigned i = 0; i < 32; ++i) {
        for (unsigned e = 0; e < width; ++e) {
          EXPECT_EQ(copy[i * width + e], (mask >> i & 1) != 0 ? data_[16 + i * width + e] : 0u);
        }
      }
    }
  }
}

TEST_F(Memory, VectorsOfDoublesMove) {
  alignas(16) std::array<double, 64> from, to{};
  for (unsigned i = 0; i < 64; ++i) from[i] = i * 1.5;
  port_.allow(from.data(), sizeof from);
  port_.allow(to.data(), sizeof to);
  point_at(from.data(), 16);
  run(access(Opcode::ld, Space::global, DataType::f64, 2, DataType::b64));
  point_at(to.data(), 16);
  run(access(Opcode::st, Space::global, DataType::f64, 2, DataType::b64));
  EXPECT_EQ(from, to);
}

TEST_F(Memory, AnAbsentDestinationSkipsItsElement) {
  point_at(&data_[0], 8);
  MicroOp op = access(Opcode::ld, Space::global, DataType::u32, 2);
  op.destinations[0] = Operand{};
  words(8)[0] = 5;
  run(op);
  EXPECT_EQ(words(8)[0], 5u);
  EXPECT_EQ(words(10)[7], data_[15]);
}

TEST_F(Memory, OfTwoStoresToOnePlaceTheHigherLanesStays) {
  point_at(&data_[0], 0);
  for (unsigned i = 0; i < 32; ++i) words(8)[i] = 100 + i;
  run(access(Opcode::st, Space::global, DataType::u32), 0x0fffffff);
  EXPECT_EQ(data_[0], 127u);
}

TEST_F(Memory, NarrowStoresTakeTheLowBytes) {
  point_at(&data_[0], 1);
  for (unsigned i = 0; i < 32; ++i) words(8)[i] = 0xabcdef00 + i;
  run(access(Opcode::st, Space::global, DataType::u8));
  EXPECT_EQ(data_[0], 0x03020100u);
  EXPECT_EQ(data_[7], 0x1f1e1d1cu);
}

TEST_F(Memory, SharedAddressesAreOffsetsAndMayBe32BitsWide) {
  MicroOp op = access(Opcode::st, Space::shared, DataType::u32);
  op.sources[0] = register_at(0, DataType::b32);
  op.address_offset = -4;
  for (unsigned i = 0; i < 32; ++i) {
    words(0)[i] = 4 + 8 * i;
    words(8)[i] = 1000 + i;
  }
  run(op);
  std::uint32_t value;
  std::memcpy(&value, &shared_[8 * 31], 4);
  EXPECT_EQ(value, 1031u);
}

TEST_F(Memory, LocalMemoryIsEachLanesOwn) {
  point_at(nullptr, 0);
  MicroOp op = access(Opcode::st, Space::local, DataType::u32);
  op.address_offset = 12;
  for (unsigned i = 0; i < 32; ++i) words(8)[i] = 3 * i;
  run(op);
  MicroOp back = access(Opcode::ld, Space::local, DataType::u32);
  back.address_offset = 12;
  back.destinations[0] = register_at(20, DataType::b32);
  run(back);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(20)[i], 3 * i);
}

TEST_F(Memory, ParametersAreReadAtAbsoluteOffsets) {
  const std::uint64_t value = 0x1122334455667788;
  std::memcpy(&launch_.parameters[16], &value, 8);
  MicroOp op = access(Opcode::ld, Space::param, DataType::u64, 1, DataType::b64);
  op.sources[0] = Operand{};
  op.absolute_address = true;
  op.address_offset = 16;
  run(op);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(longs(8)[i], value);
}

TEST_F(Memory, AddressesWiderThanTheirSpaceAreCutTo32Bits) {
  for (const Space space : {Space::shared, Space::local, Space::param}) {
    Addresses addresses;
    MicroOp op = access(Opcode::ld, space, DataType::u32);
    // Contiguous across 2^32, as a negative index makes it.
    op.address_offset = 64;
    for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x3'ffff'ffe0 + 4 * i;
    compute_addresses(op, warp_, ~0u, addresses);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(addresses.value[i], 32 + 4 * i);
    EXPECT_TRUE(addresses.contiguous);
    EXPECT_EQ(addresses.lowest, 32u);
    EXPECT_EQ(addresses.highest, 160u);
    EXPECT_EQ(addresses.space, space);
    // Unlike upper bits, which may look like a window of the generic address space; some lanes only.
    op.address_offset = 0;
    for (unsigned i = 0; i < 32; ++i) longs(0)[i] = std::uint64_t{0xffff'0000u + i} << 32 | (4 * (i % 8));
    compute_addresses(op, warp_, 0xff0, addresses);
    for (unsigned i = 4; i < 12; ++i) EXPECT_EQ(addresses.value[i], 4 * (i % 8));
    EXPECT_EQ(addresses.highest, 32u);
    EXPECT_EQ(addresses.shared_lanes | addresses.local_lanes, 0u);
    op.absolute_address = true;
    op.address_offset = (std::int64_t{5} << 32) + 8;
    compute_addresses(op, warp_, ~0u, addresses);
    EXPECT_EQ(addresses.value[7], 8u);
    EXPECT_EQ(addresses.highest, 12u);
  }
}

TEST_F(Memory, AddressesOfDeviceMemoryAndGenericOnesKeepTheir64Bits) {
  Addresses addresses;
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x2000'0000'0000 + 4 * i;
  compute_addresses(access(Opcode::ld, Space::global, DataType::u32), warp_, ~0u, addresses);
  EXPECT_EQ(addresses.lowest, 0x2000'0000'0000u);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = kSharedWindow + 0x1'0000'0000 + 4 * i;
  compute_addresses(access(Opcode::ld, Space::generic, DataType::u32), warp_, ~0u, addresses);
  EXPECT_EQ(addresses.lowest, 0x1'0000'0000u);
}

TEST_F(Memory, GenericAddressesResolveToOneSpaceWhenAllLanesAgree) {
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = kSharedWindow + 4 * i;
  const MicroOp op = access(Opcode::ld, Space::generic, DataType::u32);
  Addresses addresses;
  compute_addresses(op, warp_, ~0u, addresses);
  EXPECT_EQ(addresses.space, Space::shared);
  EXPECT_EQ(addresses.value[31], 124u);
  EXPECT_EQ(addresses.shared_lanes, ~0u);
  EXPECT_TRUE(addresses.contiguous);

  point_at(&data_[0], 4);
  compute_addresses(op, warp_, ~0u, addresses);
  EXPECT_EQ(addresses.space, Space::global);
  EXPECT_EQ(addresses.lowest, address_of(&data_[0]));
  EXPECT_EQ(addresses.highest, address_of(&data_[32]));
}

TEST_F(Memory, GenericAddressesInSeveralSpacesAreServedLaneByLane) {
  point_at(&data_[0], 4);
  const std::uint32_t in_shared = 4242, in_local = 777;
  std::memcpy(&shared_[40], &in_shared, 4);
  std::memcpy(&local_[2 * kLocalBytes + 8], &in_local, 4);
  longs(0)[1] = kSharedWindow + 40;
  longs(0)[2] = kLocalWindow + 8;
  const MicroOp op = access(Opcode::ld, Space::generic, DataType::u32);
  Addresses addresses;
  compute_addresses(op, warp_, ~0u, addresses);
  EXPECT_EQ(addresses.space, Space::generic);
  EXPECT_EQ(addresses.shared_lanes, 2u);
  EXPECT_EQ(addresses.local_lanes, 4u);
  EXPECT_EQ(addresses.lowest, address_of(&data_[0]));
  EXPECT_EQ(addresses.highest, address_of(&data_[32]));
  execute_memory(op, warp_, addresses, port_);
  EXPECT_EQ(words(8)[0], data_[0]);
  EXPECT_EQ(words(8)[1], in_shared);
  EXPECT_EQ(words(8)[2], in_local);
  EXPECT_EQ(words(8)[31], data_[31]);
}

TEST_F(Memory, ParametersAreReachableThroughGenericAddresses) {
  launch_.parameters[8] = std::byte{42};
  point_at(&launch_.parameters[8], 0);
  run(access(Opcode::ld, Space::generic, DataType::u8));
  EXPECT_EQ(words(8)[0], 42u);
}

TEST_F(Memory, AnOutOfBoundsLaneIsNamed) {
  point_at(&data_[0], 4);
  longs(0)[6] = 0x1000;
  const std::string message =
      message_of(ExitCode::memory_fault, [&] { run(access(Opcode::ld, Space::global, DataType::u32)); });
  EXPECT_EQ(
      message,
      "out-of-bounds global load of 4 bytes at 0x1000: kernel tested, module.ptx:12 (program.cu:34) 'the instruction', "
      "thread (38,0,0) of block (1,2,1); nearest allocation: test");
}

TEST_F(Memory, TheLastByteInsideIsFineAndTheNextIsNot) {
  MicroOp op = access(Opcode::ld, Space::shared, DataType::u8);
  point_at(nullptr, 0);
  op.address_offset = kSharedBytes - 1;
  run(op);
  op.address_offset = kSharedBytes;
  const std::string message = message_of(ExitCode::memory_fault, [&] { run(op); });
  EXPECT_NE(message.find("the block has 1024 bytes of shared memory"), std::string::npos) << message;
  op.space = Space::local;
  op.address_offset = kLocalBytes;
  EXPECT_NE(message_of(ExitCode::memory_fault, [&] { run(op); }).find("64 bytes of local memory"), std::string::npos);
  op.space = Space::global;
  op.address_offset = static_cast<std::int64_t>(address_of(&data_[0] + data_.size()));
  message_of(ExitCode::memory_fault, [&] { run(op); });
}

TEST_F(Memory, AddressesThatWrapAroundAreOutOfBounds) {
  MicroOp op = access(Opcode::ld, Space::shared, DataType::u32);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = ~std::uint64_t{3};
  message_of(ExitCode::memory_fault, [&] { run(op); });
  op.space = Space::global;
  message_of(ExitCode::memory_fault, [&] { run(op); });
}

TEST_F(Memory, MisalignedAccessesAreNamed) {
  point_at(&data_[0], 4);
  longs(0)[9] += 2;
  const std::string message =
      message_of(ExitCode::memory_fault, [&] { run(access(Opcode::ld, Space::global, DataType::u32)); });
  EXPECT_NE(message.find("misaligned global load of 4 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("thread (41,0,0)"), std::string::npos) << message;
  EXPECT_NE(message.find("multiple of 4"), std::string::npos) << message;
  point_at(&data_[1], 16);  // aligned for an element, not for the vector
  message_of(ExitCode::memory_fault, [&] { run(access(Opcode::ld, Space::global, DataType::u32, 4)); });
}

TEST_F(Memory, AFaultLeavesRegistersAndMemoryAlone) {
  point_at(&data_[0], 4);
  longs(0)[31] = 0x10;
  for (unsigned i = 0; i < 32; ++i) words(8)[i] = 5;
  const std::uint32_t before = data_[0];
  message_of(ExitCode::memory_fault, [&] { run(access(Opcode::st, Space::global, DataType::u32)); });
  EXPECT_EQ(data_[0], before);
}

TEST_F(Memory, PrefetchNeverFaultsAndTexturesAndCallsGoToThePort) {
  point_at(nullptr, 0);
  run(access(Opcode::prefetch, Space::global, DataType::none));
  run(access(Opcode::tex, Space::texture, DataType::f32), 3);
  run(access(Opcode::syscall, Space::none, DataType::none), 5);
  EXPECT_EQ(port_.texture_mask, 3u);
  EXPECT_EQ(port_.system_mask, 5u);
  EXPECT_EQ(port_.calls, 0u);
}

/// Words that a function produces: each is its address, 0x5'0000 to 0x5'ffff.
class ProducedMemory final : public MemoryPort {
 public:
  bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const override {
    return memory.accessible(lowest, highest_end);
  }
  bool produce(std::uint64_t address, std::uint64_t bytes, void* to) const override {
    if (address < 0x5'0000 || address + bytes > 0x6'0000) return false;
    ++asked;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const std::uint64_t word = (address + i) & ~std::uint64_t{3};
      static_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(word >> (8 * ((address + i) & 3)));
    }
    return true;
  }
  std::string nearest(std::uint64_t) const override { return "nearest"; }
  void texture(const MicroOp&, WarpState&, std::uint32_t) override {}
  void system_call(const MicroOp&, WarpState&, std::uint32_t) override {}
  TestMemory memory;
  mutable unsigned asked = 0;
};

class Produced : public Memory {
 protected:
  void go(const MicroOp& op, std::uint32_t mask = ~0u) {
    Addresses addresses;
    compute_addresses(op, warp_, mask, addresses);
    execute_memory(op, warp_, addresses, produced_);
  }
  ProducedMemory produced_;
};

TEST_F(Produced, LoadsOfALineAskOnceAndOthersLaneByLane) {
  const MicroOp load = access(Opcode::ld, Space::global, DataType::u32);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x5'0100 + 4 * i;
  go(load);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(8)[i], 0x5'0100 + 4 * i);
  EXPECT_EQ(produced_.asked, 1u);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x5'0100 + 1024 * (31 - i);
  go(load, 0xf0f0ffffu);
  EXPECT_EQ(words(8)[0], 0x5'0100u + 1024 * 31);
  EXPECT_EQ(words(8)[31], 0x5'0100u);
}

TEST_F(Produced, WideAndNarrowElementsAndLanesInRealMemoryMix) {
  produced_.memory.allow(data_.data(), sizeof data_);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = i % 2 == 0 ? address_of(&data_[4 * i]) : 0x5'0000 + 16 * i;
  go(access(Opcode::ld, Space::generic, DataType::u64, 2, DataType::b64));
  EXPECT_EQ(longs(8)[4], std::uint64_t{data_[17]} << 32 | data_[16]);
  EXPECT_EQ(longs(10)[5], std::uint64_t{0x5'005c} << 32 | 0x5'0058);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x5'0000 + i;
  go(access(Opcode::ld, Space::global, DataType::u8));
  EXPECT_EQ(words(8)[4], 4u);
  EXPECT_EQ(words(8)[5], 0u);
  EXPECT_EQ(words(8)[6], 5u);
}

TEST_F(Produced, AStoreOrAnAtomicIsForbiddenAndWhatLiesBehindTheEndIsOutOfBounds) {
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x5'0100 + 4 * i;
  EXPECT_NE(message_of(ExitCode::memory_fault, [&] { go(access(Opcode::st, Space::global, DataType::u32)); })
                .find("forbidden global store of 4 bytes at 0x50100"),
            std::string::npos);
  for (unsigned i = 0; i < 32; ++i) longs(0)[i] = 0x5'ff84 + 4 * i;
  EXPECT_NE(message_of(ExitCode::memory_fault, [&] { go(access(Opcode::ld, Space::global, DataType::u32)); })
                .find("out-of-bounds global load of 4 bytes at 0x60000"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::isa
