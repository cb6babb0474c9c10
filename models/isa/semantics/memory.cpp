// SPDX-License-Identifier: Apache-2.0
// Loads and stores: checks first, then moves the bytes of all lanes.
#include <bit>
#include <cstring>

#include "core/error.h"
#include "isa/async_copy.h"
#include "isa/operands.h"
#include "isa/semantics/memory_access.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kAllLanes = 0xffffffff;

/// Size in bytes of an address space's window; device memory is checked lane by lane instead.
std::uint64_t window_bytes(Space space, const WarpState& warp) {
  const LaunchState& launch = *warp.block->launch;
  switch (space) {
    case Space::shared:
      return launch.shared_bytes;
    case Space::local:
      return launch.kernel->local_bytes;
    default:
      return launch.parameters.size();
  }
}

Window window_of(Space space, const WarpState& warp) {
  switch (space) {
    case Space::shared:
      return {warp.block->shared, 0};
    case Space::local:
      return {warp.local, warp.block->launch->kernel->local_bytes};
    case Space::param:
      return {const_cast<std::byte*>(warp.block->launch->parameters.data()), 0};
    default:
      return {};
  }
}

bool inside(std::uint64_t address, std::uint64_t bytes, std::uint64_t limit) {
  return address <= limit && bytes <= limit - address;
}

void check_alignment(const MicroOp& op, const WarpState& warp, const Addresses& addresses, const MemoryPort& port) {
  const std::uint64_t low = addresses.bytes - 1;
  if (addresses.contiguous || addresses.uniform) {
    if ((addresses.lowest & low) == 0) return;
  } else {
    std::uint64_t any = 0;
    for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
      any |= addresses.value[static_cast<unsigned>(std::countr_zero(rest))];
    }
    if ((any & low) == 0) return;
  }
  for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if ((addresses.value[lane] & low) != 0) memory_fault(AccessFault::misaligned, op, warp, addresses, lane, port);
  }
}

/// Parameters reached through a generic pointer lie in the launch's own block.
bool in_parameters(std::uint64_t address, std::uint64_t bytes, const WarpState& warp) {
  const auto& parameters = warp.block->launch->parameters;
  return inside(address - reinterpret_cast<std::uint64_t>(parameters.data()), bytes, parameters.size());
}

bool device_accessible(std::uint64_t address, std::uint64_t bytes, const WarpState& warp, const MemoryPort& port) {
  return address + bytes > address &&
         (port.accessible(address, address + bytes) || in_parameters(address, bytes, warp));
}

/// The host address of one lane when the lanes do not share an allocation.
std::byte* place_in_device(const MicroOp& op, const WarpState& warp, const Addresses& addresses, unsigned lane,
                           const MemoryPort& port, CheckedAccess& out) {
  const std::uint64_t address = addresses.value[lane];
  if (device_accessible(address, addresses.bytes, warp, port)) return reinterpret_cast<std::byte*>(address);
  std::byte* produced = &out.produced[std::size_t{32} * lane];
  if (!port.produce(address, addresses.bytes, produced)) {
    memory_fault(AccessFault::out_of_bounds, op, warp, addresses, lane, port);
  }
  if (op.opcode != Opcode::ld) memory_fault(AccessFault::read_only, op, warp, addresses, lane, port);
  return produced;
}

void find_places_in_device(const MicroOp& op, const WarpState& warp, const Addresses& addresses, const MemoryPort& port,
                           CheckedAccess& out) {
  out.mixed = true;
  const std::uint64_t span = addresses.highest - addresses.lowest;
  const bool near = addresses.highest > addresses.lowest && span <= out.produced.size() && op.opcode == Opcode::ld;
  if (near && port.produce(addresses.lowest, span, out.produced.data())) {
    for_each_lane(addresses.mask,
                  [&](unsigned lane) { out.places[lane] = &out.produced[addresses.value[lane] - addresses.lowest]; });
    return;
  }
  for_each_lane(addresses.mask,
                [&](unsigned lane) { out.places[lane] = place_in_device(op, warp, addresses, lane, port, out); });
}

void check_mixed(const MicroOp& op, const WarpState& warp, const Addresses& addresses, const MemoryPort& port,
                 CheckedAccess& out) {
  out.mixed = true;
  for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = addresses.value[lane];
    const bool shared = (addresses.shared_lanes >> lane & 1) != 0, local = (addresses.local_lanes >> lane & 1) != 0;
    if (!shared && !local) {
      out.places[lane] = place_in_device(op, warp, addresses, lane, port, out);
      continue;
    }
    const Space space = shared ? Space::shared : Space::local;
    const std::uint64_t offset = address & ~kWindowMask;
    if (!inside(offset, addresses.bytes, window_bytes(space, warp))) {
      memory_fault(AccessFault::out_of_bounds, op, warp, addresses, lane, port);
    }
    out.places[lane] = window_of(space, warp).at(lane, offset);
  }
}

// -- registers

std::byte* data_place(const Operand& operand, const WarpState& warp) {
  if (operand.base == Operand::Base::frame) return warp.registers + operand.offset;
  return const_cast<std::byte*>(warp.block->launch->kernel->constants.data()) + operand.offset;
}

template <typename Element>
Element read(const std::byte* from) {
  Element value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Memory element to register cell: sign-extended for signed types, zero-extended for the others.
template <typename Element, typename Cell>
Cell extend(Element value) {
  if constexpr (std::is_signed_v<Element>) return static_cast<Cell>(static_cast<std::make_signed_t<Cell>>(value));
  return static_cast<Cell>(value);
}

/// Loads one vector element of every lane into one register. `skip` is the element's offset in the vector, in bytes.
template <typename Element, typename Cell>
void load_element(Cell* to, const Addresses& addresses, const CheckedAccess& access, std::uint32_t skip) {
  const bool strided = addresses.contiguous && !access.mixed && access.window.lane_stride == 0;
  if (strided) {
    const std::byte* from = access.window.at(0, addresses.lowest) + skip;
    if constexpr (sizeof(Element) == sizeof(Cell)) {
      if (addresses.bytes == sizeof(Element)) {
        std::memcpy(to, from, kWordThreads * sizeof(Cell));
        return;
      }
    }
    const std::size_t step = addresses.bytes;
    for (unsigned i = 0; i < kWordThreads; ++i) to[i] = extend<Element, Cell>(read<Element>(from + i * step));
    return;
  }
  if (addresses.uniform && !access.mixed && access.window.lane_stride == 0) {
    const Cell value = extend<Element, Cell>(read<Element>(access.window.at(0, addresses.lowest) + skip));
    if (addresses.mask == kAllLanes) {
      for (unsigned i = 0; i < kWordThreads; ++i) to[i] = value;
    } else {
      for (unsigned i = 0; i < kWordThreads; ++i) to[i] = (addresses.mask >> i & 1) != 0 ? value : to[i];
    }
    return;
  }
  if (addresses.mask == kAllLanes && !access.mixed) {
    for (unsigned i = 0; i < kWordThreads; ++i) {
      to[i] = extend<Element, Cell>(read<Element>(access.window.at(i, addresses.value[i]) + skip));
    }
    return;
  }
  for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    to[lane] = extend<Element, Cell>(read<Element>(access.at(lane, addresses) + skip));
  }
}

template <typename Element>
void load_as(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  for (unsigned e = 0; e < op.vector_width; ++e) {
    const Operand& to = op.destinations[e];
    if (!to.present()) continue;
    std::byte* place = warp.registers + to.offset;
    const auto skip = static_cast<std::uint32_t>(e * sizeof(Element));
    if (size_of(to.type) == 8) {
      load_element<Element>(reinterpret_cast<std::uint64_t*>(place), addresses, access, skip);
    } else if constexpr (sizeof(Element) <= 4) {
      load_element<Element>(reinterpret_cast<std::uint32_t*>(place), addresses, access, skip);
    }
  }
}

void load(const MicroOp& op, WarpState& warp, const Addresses& addresses, const CheckedAccess& access) {
  const bool extends_sign = is_signed(op.type) && !is_float(op.type);
  switch (size_of(op.type)) {
    case 1:
      return extends_sign ? load_as<std::int8_t>(op, warp, addresses, access)
                          : load_as<std::uint8_t>(op, warp, addresses, access);
    case 2:
      return extends_sign ? load_as<std::int16_t>(op, warp, addresses, access)
                          : load_as<std::uint16_t>(op, warp, addresses, access);
    case 4:
      return extends_sign ? load_as<std::int32_t>(op, warp, addresses, access)
                          : load_as<std::uint32_t>(op, warp, addresses, access);
    default:
      return load_as<std::uint64_t>(op, warp, addresses, access);
  }
}

/// Ascending lane order: when two lanes store to the same address, the higher lane wins.
template <typename Element, typename Cell>
void store_element(const Cell* from, const Addresses& addresses, const CheckedAccess& access, std::uint32_t skip) {
  if constexpr (sizeof(Element) == sizeof(Cell)) {
    if (addresses.contiguous && addresses.bytes == sizeof(Element) && !access.mixed && access.window.lane_stride == 0) {
      std::memcpy(access.window.at(0, addresses.lowest), from, kWordThreads * sizeof(Cell));
      return;
    }
  }
  if (addresses.mask == kAllLanes && !access.mixed) {
    for (unsigned i = 0; i < kWordThreads; ++i) {
      const auto value = static_cast<Element>(from[i]);
      std::memcpy(access.window.at(i, addresses.value[i]) + skip, &value, sizeof value);
    }
    return;
  }
  for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto value = static_cast<Element>(from[lane]);
    std::memcpy(access.at(lane, addresses) + skip, &value, sizeof value);
  }
}

/// By element of a store: the registers with its values.
using StoredPlaces = std::array<const std::byte*, 4>;

template <typename Element>
void store_as(const MicroOp& op, const StoredPlaces& places, const Addresses& addresses, const CheckedAccess& access) {
  for (unsigned e = 0; e < op.vector_width; ++e) {
    const Operand& from = op.sources[stored_source(op) + e];
    const std::byte* place = places[e];
    const auto skip = static_cast<std::uint32_t>(e * sizeof(Element));
    if (size_of(from.type) == 8) {
      store_element<Element>(reinterpret_cast<const std::uint64_t*>(place), addresses, access, skip);
    } else {
      store_element<Element>(reinterpret_cast<const std::uint32_t*>(place), addresses, access, skip);
    }
  }
}

void store(const MicroOp& op, const StoredPlaces& places, const Addresses& addresses, const CheckedAccess& access) {
  switch (size_of(op.type)) {
    case 1:
      return store_as<std::uint8_t>(op, places, addresses, access);
    case 2:
      return store_as<std::uint16_t>(op, places, addresses, access);
    case 4:
      return store_as<std::uint32_t>(op, places, addresses, access);
    default:
      return store_as<std::uint64_t>(op, places, addresses, access);
  }
}

StoredPlaces stored_places(const MicroOp& op, const WarpState& warp) {
  StoredPlaces places{};
  for (unsigned e = 0; e < op.vector_width; ++e) places[e] = data_place(op.sources[stored_source(op) + e], warp);
  return places;
}

/// Counts are written after the data, since both may be the same register.
void accumulate(const MicroOp& op, WarpState& warp, const Addresses& addresses, const MemoryPort& port) {
  if (addresses.mask != 0) {
    CheckedAccess access;
    check_access(op, warp, addresses, port, access);
    store(op, stored_places(op, warp), addresses, access);
  }
  const OperandBases bases(warp);
  for_each_lane(addresses.counting,
                [&](unsigned lane) { set_value(op.destinations[0], bases, lane, addresses.counts[lane]); });
}

}  // namespace

void check_access(const MicroOp& op, const WarpState& warp, const Addresses& addresses, const MemoryPort& port,
                  CheckedAccess& out) {
  check_alignment(op, warp, addresses, port);
  switch (addresses.space) {
    case Space::global:
    case Space::constant:
      if (addresses.highest <= addresses.lowest || !port.accessible(addresses.lowest, addresses.highest)) {
        find_places_in_device(op, warp, addresses, port, out);
      }
      return;
    case Space::shared:
    case Space::local:
    case Space::param: {
      const std::uint64_t limit = window_bytes(addresses.space, warp);
      if (addresses.lowest >= addresses.highest || addresses.highest > limit) [[unlikely]] {
        for (std::uint32_t rest = addresses.mask; rest != 0; rest &= rest - 1) {
          const auto lane = static_cast<unsigned>(std::countr_zero(rest));
          if (!inside(addresses.value[lane], addresses.bytes, limit)) {
            memory_fault(AccessFault::out_of_bounds, op, warp, addresses, lane, port);
          }
        }
      }
      out.window = window_of(addresses.space, warp);
      return;
    }
    default:
      check_mixed(op, warp, addresses, port, out);
      return;
  }
}

void read_stored(const MicroOp& op, const WarpState& warp, StoredValues& values) {
  std::byte* to = values.bytes.data();
  for (unsigned e = 0; e < op.vector_width; ++e) {
    const Operand& from = op.sources[stored_source(op) + e];
    const std::size_t bytes = std::size_t{size_of(from.type) == 8 ? 8u : 4u} * kWordThreads;
    std::memcpy(to, data_place(from, warp), bytes);
    to += bytes;
  }
}

void execute_store(const MicroOp& op, const WarpState& warp, const Addresses& addresses, MemoryPort& port,
                   const StoredValues& values) {
  if (addresses.mask == 0) return;
  StoredPlaces places{};
  const std::byte* from = values.bytes.data();
  for (unsigned e = 0; e < op.vector_width; ++e) {
    places[e] = from;
    from += std::size_t{size_of(op.sources[stored_source(op) + e].type) == 8 ? 8u : 4u} * kWordThreads;
  }
  CheckedAccess access;
  check_access(op, warp, addresses, port, access);
  store(op, places, addresses, access);
}

void execute_memory(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port) {
  if (op.opcode == Opcode::cond_acc) {
    accumulate(op, warp, addresses, port);
    return;
  }
  if (addresses.mask == 0 && op.opcode != Opcode::async_copy) return;
  switch (op.opcode) {
    case Opcode::async_copy:
      execute_async_copy(op, warp, addresses, port);
      return;
    case Opcode::mbarrier:
      execute_mbarrier(op, warp, addresses, port);
      return;
    case Opcode::tex:
      port.texture(op, warp, addresses.mask);
      return;
    case Opcode::syscall:
      port.system_call(op, warp, addresses.mask);
      return;
    case Opcode::prefetch:
      return;  // a hint: touches no byte and never faults
    default:
      break;
  }
  CheckedAccess access;
  check_access(op, warp, addresses, port, access);
  switch (op.opcode) {
    case Opcode::ld:
      load(op, warp, addresses, access);
      return;
    case Opcode::st:
      store(op, stored_places(op, warp), addresses, access);
      return;
    case Opcode::atom:
    case Opcode::red:
      execute_atomic(op, warp, addresses, access);
      return;
    default:
      fail(ExitCode::internal, "{} is not a memory operation", name_of(op.opcode));
  }
}

}  // namespace heddle::isa
