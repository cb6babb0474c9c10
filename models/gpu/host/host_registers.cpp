// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_registers.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::gpu::host {

static_assert(std::endian::native == std::endian::little, "words go to and from the bytes of an access as they are");

namespace {

enum class Kind : std::uint8_t { none, read_only, read_write, acknowledge, command };

constexpr std::array<Kind, kEnd / 4> make_kinds() {
  std::array<Kind, kEnd / 4> kinds{};
  const auto fill = [&kinds](std::uint64_t begin, std::uint64_t end, Kind kind) {
    for (std::uint64_t at = begin; at < end; at += 4) kinds[at / 4] = kind;
  };
  fill(kIdentification, kInterruptEnable, Kind::read_only);
  fill(kInterruptEnable, kInterruptClear, Kind::read_write);
  fill(kInterruptClear, kInterruptClear + 4, Kind::acknowledge);
  fill(kTextAddress, kLoadModule, Kind::read_write);
  for (const std::uint64_t handle : {kModule, kKernel}) fill(handle, handle + 4, Kind::read_write);
  for (const std::uint64_t order : {kLoadModule, kFindKernel, kFindVariable, kDoorbell, kReset})
    fill(order, order + 4, Kind::command);
  fill(kVariableAddress, kGridX, Kind::read_only);
  fill(kGridX, kSharedBytes + 4, Kind::read_write);
  fill(kParametersAddress, kDoorbell, Kind::read_write);
  fill(kLaunches, kThreadInstructions + 8, Kind::read_only);
  fill(kMessage, kEnd, Kind::read_only);
  return kinds;
}

constexpr std::array<Kind, kEnd / 4> kKinds = make_kinds();

}  // namespace

Registers::Registers(Commands& commands) : commands_(commands) {
  set(kIdentification, kIdentificationValue);
  set(kVersion, kVersionValue);
  for (const std::uint64_t extent : {kGridX, kGridY, kGridZ, kBlockX, kBlockY, kBlockZ}) set(extent, 1);
}

void Registers::set64(std::uint64_t address, std::uint64_t value) {
  set(address, static_cast<std::uint32_t>(value));
  set(address + 4, static_cast<std::uint32_t>(value >> 32));
}

void Registers::set_message(std::string_view text) {
  constexpr std::size_t kBytes = kEnd - kMessage;
  auto* const to = reinterpret_cast<char*>(&words_[kMessage / 4]);
  std::memset(to, 0, kBytes);
  text.substr(0, kBytes - 1).copy(to, kBytes - 1);
}

void Registers::raise(std::uint32_t interrupts) {
  words_[kInterruptStatus / 4] |= interrupts;
  commands_.interrupts_changed();
}

Outcome Registers::check(std::uint64_t address, unsigned bytes, bool write) const {
  if (bytes != 4 && bytes != 8) return Outcome::length;
  if (address % bytes != 0 || address >= kEnd) return Outcome::address;
  for (std::uint64_t at = address; at < address + bytes; at += 4) {
    if (kKinds[at / 4] == Kind::none) return Outcome::address;
  }
  for (std::uint64_t at = address; at < address + bytes; at += 4) {
    const Kind kind = kKinds[at / 4];
    const bool may = write ? kind != Kind::read_only : kind == Kind::read_only || kind == Kind::read_write;
    if (!may) return Outcome::command;
  }
  return write && busy() && is_command(address, bytes) ? Outcome::busy : Outcome::done;
}

bool Registers::is_command(std::uint64_t address, unsigned bytes) {
  for (std::uint64_t at = address; at < address + bytes && at < kEnd; at += 4) {
    if (kKinds[at / 4] == Kind::command) return true;
  }
  return false;
}

Outcome Registers::read(std::uint64_t address, unsigned bytes, unsigned char* to) const {
  const Outcome outcome = check(address, bytes, false);
  if (outcome == Outcome::done) std::memcpy(to, &words_[address / 4], bytes);
  return outcome;
}

Outcome Registers::write(std::uint64_t address, unsigned bytes, const unsigned char* from) {
  const Outcome outcome = check(address, bytes, true);
  if (outcome != Outcome::done) return outcome;
  // Plain registers first, so that a command in the upper half sees the lower half.
  for (const bool commands : {false, true}) {
    for (unsigned i = 0; i < bytes; i += 4) {
      std::uint32_t value = 0;
      std::memcpy(&value, from + i, 4);
      const bool stored = kKinds[(address + i) / 4] == Kind::read_write;
      if (stored == commands) continue;
      if (stored) {
        set(address + i, value);
        if (address + i == kInterruptEnable) commands_.interrupts_changed();
      } else {
        command(address + i, value);
      }
    }
  }
  return Outcome::done;
}

void Registers::command(std::uint64_t address, std::uint32_t value) {
  switch (address) {
    case kInterruptClear:
      words_[kInterruptStatus / 4] &= ~value;
      return commands_.interrupts_changed();
    case kLoadModule:
      return commands_.load_module();
    case kFindKernel:
      return commands_.find_kernel();
    case kFindVariable:
      return commands_.find_variable();
    case kDoorbell:
      return commands_.launch();
    case kReset:
      return commands_.reset();
    default:
      return;
  }
}

}  // namespace heddle::gpu::host
