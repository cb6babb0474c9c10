// SPDX-License-Identifier: Apache-2.0
// Services of the host side for running kernels: memory checks, texels, printf, assert, malloc and free, region
// markers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/device_memory.h"
#include "gpu/texture/texture_unit.h"
#include "isa/execute.h"
#include "runtime/device_regions.h"
#include "runtime/kernel_printf.h"
#include "sm/memory/texel_source.h"

namespace heddle::runtime {

class DevicePort final : public isa::MemoryPort, public sm::TexelSource {
 public:
  static constexpr std::uint64_t kDefaultHeapBytes = 8 << 20;

  explicit DevicePort(gpu::DeviceMemory& memory) : memory_(memory) {}

  bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const override {
    return memory_.accessible(lowest, highest_end);
  }
  bool produce(std::uint64_t address, std::uint64_t bytes, void* to) const override {
    return memory_.produce(address, bytes, to);
  }
  std::string nearest(std::uint64_t address) const override;
  void texture(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) override;
  void system_call(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask) override;
  void texels(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask,
              std::vector<isa::Addresses>& texels) override;

  bool wants_cut() const override { return regions_.changed(); }
  void cut() override { on_cut_(); }
  /// Sets the action of cut(); provided by the device, which owns the statistics.
  void on_cut(std::function<void()> action) { on_cut_ = std::move(action); }
  DeviceRegions& regions() { return regions_; }
  /// Sets a source of explanations for wild accesses; provided by the runtime, which knows the failed calls.
  void on_astray(std::function<std::string()> reason) { on_astray_ = std::move(reason); }

  gpu::TextureTable& textures() { return textures_; }
  PrintfBuffer& printf_buffer() { return printf_; }
  std::uint64_t heap_limit() const { return heap_limit_; }
  void set_heap_limit(std::uint64_t bytes) { heap_limit_ = bytes; }
  /// Discards heap blocks, bindings and pending output.
  void reset();

 private:
  void call_printf(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask);
  void call_malloc(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask);
  void call_free(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask);
  void call_assert(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask);
  /// Counts threads into (sign 1) or out of (sign -1) the regions they name.
  void call_region(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t mask, int sign);
  DeviceReader reader(const isa::WarpState& warp, unsigned lane) const;

  gpu::DeviceMemory& memory_;
  gpu::TextureTable textures_;
  PrintfBuffer printf_;
  DeviceRegions regions_;
  std::function<void()> on_cut_ = [] {};
  std::function<std::string()> on_astray_ = [] { return std::string(); };
  std::string heap_refusal_;  ///< the first malloc() in a kernel that failed
  std::uint64_t heap_limit_ = kDefaultHeapBytes, heap_used_ = 0;
};

}  // namespace heddle::runtime
