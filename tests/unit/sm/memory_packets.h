// SPDX-License-Identifier: Apache-2.0
// Packets for the parts of the memory stage, without a machine around them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "isa/module.h"
#include "sm/memory/open_groups.h"

namespace heddle::sm {

class MemoryPackets : public ::testing::Test {
 protected:
  MemoryPackets() {
    kernel_.local_bytes = 16;
    launch_.kernel = &kernel_;
    block_.launch = &launch_;
    warp_.block = &block_;
    warp_.live = 0xffffffff;
  }
  /// A packet of one word whose thread i accesses 4 bytes at first + i * stride.
  Packet& packet(isa::Opcode opcode, isa::Space space, std::uint64_t first, std::uint64_t stride = 4,
                 std::uint32_t mask = 0xffffffff) {
    made_.push_back(std::make_unique<Made>());
    Made& made = *made_.back();
    made.op.opcode = opcode;
    made.op.space = space;
    made.op.type = isa::DataType::u32;
    made.op.pc = static_cast<std::uint32_t>(made_.size());
    isa::Addresses& addresses = made.memory.addresses[0];
    for (unsigned i = 0; i < isa::kWordThreads; ++i) addresses.value[i] = first + i * stride;
    addresses.mask = mask;
    addresses.space = space;
    addresses.bytes = 4;
    made.packet.op = &made.op;
    made.packet.memory = &made.memory;
    made.packet.word_count = 1;
    made.packet.words[0] = {&warp_, mask, 0xffffffff};
    made.packet.access_group = made_.size();
    return made.packet;
  }
  Packet& load(std::uint64_t first, std::uint64_t stride = 4, std::uint32_t mask = 0xffffffff) {
    return packet(isa::Opcode::ld, isa::Space::global, first, stride, mask);
  }
  Packet& store(std::uint64_t first, std::uint64_t stride = 4, std::uint32_t mask = 0xffffffff) {
    return packet(isa::Opcode::st, isa::Space::global, first, stride, mask);
  }
  isa::MicroOp& op_of(const Packet& packet) {
    for (auto& made : made_) {
      if (&made->packet == &packet) return made->op;
    }
    throw std::out_of_range("not a packet of this test");
  }
  /// The group that these packets make together.
  std::uint32_t group_of(const std::vector<Packet*>& packets) {
    for (Packet* packet : packets) {
      packet->access_group = packets.front()->access_group;
      open_.add(*packet);
    }
    std::uint32_t last = 0;
    open_.seal([&last](std::uint32_t index) { last = index; });
    return last;
  }

  isa::Kernel kernel_;
  isa::LaunchState launch_;
  isa::BlockState block_;
  isa::WarpState warp_;
  AccessTable table_;
  OpenGroups open_{CoalescerParameters{}, table_};

 private:
  struct Made {
    isa::MicroOp op;
    MemoryAccess memory;
    Packet packet;
  };
  std::vector<std::unique_ptr<Made>> made_;
};

}  // namespace heddle::sm
