// SPDX-License-Identifier: Apache-2.0
#include "gpu/checks/checked_access.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/names.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

/// clang appends a number to static variables of functions that is not part of the mangled name.
std::string variable_name(const std::string& name) { return demangled(name.substr(0, name.find("_$_"))); }

}  // namespace

const std::byte* bytes_at(const isa::WarpState& warp, const isa::Addresses& addresses, unsigned lane) {
  const std::uint64_t place = place_of(addresses, lane);
  if (on_chip(addresses, lane)) return warp.block->shared + place;
  return reinterpret_cast<const std::byte*>(place);
}

void stored_bytes(const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, std::byte* to) {
  const unsigned size = isa::size_of(op.type);
  for (unsigned e = 0; e < op.vector_width; ++e) {
    const std::uint64_t value = value_of(op.sources[isa::stored_source(op) + e], isa::OperandBases(warp), lane);
    std::memcpy(to + e * size, &value, size);
  }
}

std::string describe_shared(const isa::Kernel& kernel, std::uint64_t offset) {
  const isa::SharedVariable* best = nullptr;
  for (const isa::SharedVariable& variable : kernel.shared_variables) {
    // Dynamic shared memory has no size of its own and follows all other variables.
    const bool inside = offset >= variable.offset && (variable.size == 0 || offset - variable.offset < variable.size);
    if (inside) best = &variable;
  }
  if (best == nullptr) return fmt::format("shared memory at {}", offset);
  return fmt::format("shared variable '{}' at offset {} (shared memory at {})", variable_name(best->name),
                     offset - best->offset, offset);
}

std::string describe_thread(const Dim3& block_size, std::uint32_t thread, const Dim3& block) {
  return fmt::format("thread ({},{},{}) of block ({},{},{})", thread % block_size.x,
                     thread / block_size.x % block_size.y, thread / block_size.x / block_size.y, block.x, block.y,
                     block.z);
}

}  // namespace heddle::gpu
