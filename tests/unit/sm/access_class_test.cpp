// SPDX-License-Identifier: Apache-2.0
// What packets ask the caches for, and at which addresses.
#include "sm/memory/access_class.h"

#include <utility>

#include "memory_packets.h"
#include "sm/memory/cache_addresses.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using isa::Space;

using AccessClasses = MemoryPackets;

TEST_F(AccessClasses, FollowTheInstruction) {
  const std::pair<Opcode, AccessKind> kinds[] = {
      {Opcode::ld, AccessKind::load},        {Opcode::st, AccessKind::store},
      {Opcode::cond_acc, AccessKind::store}, {Opcode::atom, AccessKind::atomic},
      {Opcode::red, AccessKind::reduction},  {Opcode::prefetch, AccessKind::prefetch}};
  for (const auto& [opcode, kind] : kinds) {
    const AccessClass what = class_of(packet(opcode, Space::global, 0x1000));
    EXPECT_EQ(what.kind, kind);
    EXPECT_EQ(what.path, CachePath::data);
  }
  EXPECT_EQ(class_of(packet(Opcode::tex, Space::none, 0)).path, CachePath::texture);
  EXPECT_EQ(class_of(packet(Opcode::ld, Space::constant, 0)).path, CachePath::constant);
  EXPECT_EQ(class_of(packet(Opcode::ld, Space::param, 0)).kind, AccessKind::constant);
}

TEST_F(AccessClasses, SayWhoWaitsForReplies) {
  const auto waits = [&](Opcode opcode) { return class_of(packet(opcode, Space::global, 0)).waits(); };
  EXPECT_TRUE(waits(Opcode::ld) && waits(Opcode::atom));
  EXPECT_FALSE(waits(Opcode::st) || waits(Opcode::red) || waits(Opcode::prefetch));
}

TEST_F(AccessClasses, OfLocalMemoryAreNeverCoherent) {
  for (const Space space : {Space::global, Space::local}) {
    Packet& one = packet(Opcode::ld, space, 0);
    op_of(one).cache_op = isa::CacheOp::cv;
    EXPECT_EQ(class_of(one).coherent, space == Space::global);
    EXPECT_EQ(class_of(one).local, space == Space::local);
  }
}

TEST_F(AccessClasses, OfAGenericPacketDependOnWhereItsThreadsPoint) {
  Packet& one = packet(Opcode::ld, Space::generic, 0);
  isa::Addresses& addresses = one.memory->addresses[0];
  const auto reach = [&](std::uint32_t shared, std::uint32_t local) {
    addresses.shared_lanes = shared;
    addresses.local_lanes = local;
    const AccessReach found = reach_of(one);
    return std::string(found.shared ? "s" : "") + (found.caches ? "c" : "") + (found.local ? "l" : "");
  };
  EXPECT_EQ(reach(0, 0), "c");
  EXPECT_EQ(reach(0xffffffff, 0), "s");
  EXPECT_EQ(reach(0xff, 0), "sc");
  EXPECT_EQ(reach(0, 0xffffffff), "cl");
  EXPECT_EQ(reach(0, 0xff), "c");
  EXPECT_EQ(reach(0xff, 0xffffff00), "scl");
  addresses.mask = 0;
  EXPECT_EQ(reach(0xffffffff, 0xffffffff), "c") << "without threads it passes by the caches";
}

class LocalAddresses : public MemoryPackets {
 protected:
  /// Where the caches see a variable at `offset` of the local memory of thread `lane`.
  std::uint64_t at(unsigned sm, unsigned warp_slot, unsigned lane, std::uint64_t offset) {
    warp_.warp_slot = warp_slot;
    Packet& one = packet(Opcode::ld, Space::local, offset, 0);
    CacheAddresses(SmId(sm)).translate(one);
    return one.memory->addresses[0].value[lane];
  }
};

TEST_F(LocalAddresses, PutTheSameWordOfAllThreadsSideBySide) {
  const std::uint64_t first = at(0, 0, 0, 0);
  EXPECT_EQ(at(0, 0, 1, 0), first + 4);
  EXPECT_EQ(at(0, 0, 0, 3), first + 3);
  EXPECT_EQ(at(0, 0, 0, 4), first + 4 * isa::kWordThreads);
  EXPECT_EQ(at(0, 0, 31, 15), first + 16 * isa::kWordThreads - 1) << "the last byte of 16 a thread";
  EXPECT_EQ(at(0, 1, 0, 0), first + 16 * isa::kWordThreads) << "the next warp's begin there";
  EXPECT_EQ(at(1, 0, 0, 0), first + 512 * 16 * isa::kWordThreads) << "and another SM's beyond all its warps";
}

TEST_F(LocalAddresses, RoundTheFrameUpToWords) {
  kernel_.local_bytes = 13;
  EXPECT_EQ(at(0, 1, 0, 0) - at(0, 0, 0, 0), 16u * isa::kWordThreads);
}

TEST_F(LocalAddresses, AreThoseOfGenericThreadsInTheLocalWindowOnly) {
  Packet& one = packet(Opcode::ld, Space::generic, 0x1000, 4);
  isa::Addresses& addresses = one.memory->addresses[0];
  addresses.local_lanes = 1;
  addresses.contiguous = true;
  CacheAddresses(SmId(0)).translate(one);
  EXPECT_NE(addresses.value[0], 0x1000u);
  EXPECT_EQ(addresses.value[1], 0x1004u);
  EXPECT_FALSE(addresses.contiguous) << "they no longer are";
}

TEST_F(MemoryPackets, ParametersLieApartFromDeviceMemoryAndLocalMemory) {
  Packet& parameter = packet(Opcode::ld, Space::param, 8, 0);
  Packet& variable = packet(Opcode::ld, Space::local, 8, 0);
  Packet& global = load(0x1000);
  for (Packet* one : {&parameter, &variable, &global}) CacheAddresses(SmId(3)).translate(*one);
  EXPECT_GT(parameter.memory->addresses[0].value[0], variable.memory->addresses[0].value[31]);
  EXPECT_EQ(global.memory->addresses[0].value[0], 0x1000u);
}

}  // namespace
}  // namespace heddle::sm
