// SPDX-License-Identifier: Apache-2.0
// Nanoseconds per word of 32 lanes for common operations, on each level of this host, full and partial mask. No test.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "isa/execute.h"
#include "isa/semantics/lane_selection.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kPartial = 0x0ff0f0f3;

Operand register_at(unsigned unit, DataType storage) {
  Operand operand;
  operand.base = Operand::Base::frame;
  operand.offset = unit * kRegisterUnitBytes;
  operand.type = storage;
  return operand;
}

/// The shortest of several runs.
template <typename Run>
double nanoseconds(Run&& run) {
  constexpr unsigned kRepeats = 20000, kRuns = 20;
  double best = 1e9;
  for (unsigned r = 0; r < kRuns; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < kRepeats; ++i) run();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / kRepeats);
  }
  return best;
}

class OpenMemory final : public MemoryPort {
 public:
  OpenMemory(const void* start, std::size_t bytes)
      : start_(reinterpret_cast<std::uint64_t>(start)), end_(start_ + bytes) {}
  bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const override {
    return lowest >= start_ && highest_end <= end_;
  }
  std::string nearest(std::uint64_t) const override { return {}; }
  void texture(const MicroOp&, WarpState&, std::uint32_t) override {}
  void system_call(const MicroOp&, WarpState&, std::uint32_t) override {}

 private:
  std::uint64_t start_, end_;
};

struct Bench {
  alignas(64) std::array<std::byte, 64 * kRegisterUnitBytes> frame{};
  alignas(64) std::array<std::uint32_t, 4096> data{};
  std::vector<std::byte> shared = std::vector<std::byte>(4096);
  Kernel kernel;
  LaunchState launch;
  BlockState block;
  WarpState warp;
  OpenMemory port{data.data(), sizeof data};

  Bench() {
    launch.kernel = &kernel;
    launch.block = {256, 1, 1};
    launch.shared_bytes = 4096;
    block.launch = &launch;
    block.shared = shared.data();
    warp.block = &block;
    warp.registers = frame.data();
    warp.constants = kernel.constants.data();
  }
  std::uint64_t* longs(unsigned unit) {
    return reinterpret_cast<std::uint64_t*>(frame.data() + unit * kRegisterUnitBytes);
  }
};

template <typename Modify>
void lane_row(Bench& bench, const char* level, const char* name, Opcode opcode, DataType type, Modify&& modify) {
  MicroOp op;
  op.opcode = opcode;
  op.type = type;
  const DataType storage = size_of(type) == 8 ? DataType::b64 : DataType::b32;
  op.destinations[0] = register_at(0, storage);
  for (unsigned s = 0; s < 3; ++s) op.sources[s] = register_at(4 + 2 * s, storage);
  op.destination_count = op.source_count = 1;
  modify(op);
  const LaneFunction function = lane_function(op);
  std::byte* const bases[2] = {bench.frame.data(), bench.frame.data()};
  const double full = nanoseconds([&] { function(op, bases, ~0u); });
  const double partial = nanoseconds([&] { function(op, bases, kPartial); });
  std::printf("%-9s %-24s %8.2f %8.2f\n", level, name, full, partial);
}

void memory_row(Bench& bench, const char* level, const char* name, Opcode opcode, Space space, DataType type,
                unsigned width, std::uint64_t base, std::uint64_t stride) {
  MicroOp op;
  op.opcode = opcode;
  op.space = space;
  op.type = type;
  op.vector_width = static_cast<std::uint8_t>(width);
  op.sources[0] = register_at(0, DataType::b64);
  const DataType storage = size_of(type) == 8 ? DataType::b64 : DataType::b32;
  for (unsigned e = 0; e < width; ++e) {
    op.destinations[e] = register_at(8 + 2 * e, storage);
    op.sources[1 + e] = register_at(8 + 2 * e, storage);
  }
  op.destination_count = static_cast<std::uint8_t>(width);
  op.atom_op = AtomOp::add;
  for (unsigned i = 0; i < kWordThreads; ++i) bench.longs(0)[i] = base + i * stride;
  Addresses addresses;
  const auto run = [&](std::uint32_t mask) {
    return nanoseconds([&] {
      compute_addresses(op, bench.warp, mask, addresses);
      execute_memory(op, bench.warp, addresses, bench.port);
    });
  };
  std::printf("%-9s %-24s %8.2f %8.2f\n", level, name, run(~0u), run(kPartial));
}

void run_level(const char* level) {
  select_lane_operations(level);
  const auto bench = std::make_unique<Bench>();
  const auto row = [&](const char* name, Opcode opcode, DataType type, auto&& modify) {
    lane_row(*bench, level, name, opcode, type, modify);
  };
  const auto plain = [](MicroOp&) {};
  const auto approximate = [](MicroOp& op) { op.approximate = true; };
  const auto from = [](DataType type, Rounding rounding = Rounding::none) {
    return [=](MicroOp& op) {
      op.source_type = type;
      op.rounding = rounding;
    };
  };
  row("mov.b32", Opcode::mov, DataType::b32, plain);
  row("add.s32", Opcode::add, DataType::s32, plain);
  row("mad.lo.s32", Opcode::mad, DataType::s32, plain);
  row("mul.wide.s32", Opcode::mul, DataType::s32, [](MicroOp& op) { op.mul_mode = MulMode::wide; });
  row("add.s64", Opcode::add, DataType::s64, plain);
  row("shl.b32", Opcode::shl, DataType::b32, plain);
  row("setp.lt.s32", Opcode::setp, DataType::s32, [](MicroOp& op) { op.compare = Compare::lt; });
  row("setp.lt.f32", Opcode::setp, DataType::f32, [](MicroOp& op) { op.compare = Compare::lt; });
  row("selp.b32", Opcode::selp, DataType::b32, plain);
  row("add.f32", Opcode::add, DataType::f32, plain);
  row("fma.rn.f32", Opcode::fma_, DataType::f32, plain);
  row("fma.rn.ftz.f32", Opcode::fma_, DataType::f32, [](MicroOp& op) { op.flush_to_zero = true; });
  row("fma.rz.f32", Opcode::fma_, DataType::f32, [](MicroOp& op) { op.rounding = Rounding::rz; });
  row("div.rn.f32", Opcode::div_, DataType::f32, plain);
  row("max.f32", Opcode::max_, DataType::f32, plain);
  row("fma.rn.f64", Opcode::fma_, DataType::f64, plain);
  row("fma.rn.f16x2", Opcode::fma_, DataType::f16x2, plain);
  row("div.s32", Opcode::div_, DataType::s32, plain);
  row("div.s64", Opcode::div_, DataType::s64, plain);
  row("cvt.rn.f32.s32", Opcode::cvt, DataType::f32, from(DataType::s32));
  row("cvt.rzi.s32.f32", Opcode::cvt, DataType::s32, from(DataType::f32, Rounding::rzi));
  row("cvt.s64.s32", Opcode::cvt, DataType::s64, [&](MicroOp& op) {
    op.source_type = DataType::s32;
    op.sources[0].type = DataType::b32;
  });
  row("rcp.approx.f32", Opcode::rcp, DataType::f32, approximate);
  row("ex2.approx.f32", Opcode::ex2, DataType::f32, approximate);
  row("lg2.approx.f32", Opcode::lg2, DataType::f32, approximate);
  row("sin.approx.f32", Opcode::sin_, DataType::f32, approximate);
  row("popc.b32", Opcode::popc, DataType::b32, plain);
  row("lop3.b32", Opcode::lop3, DataType::b32, plain);
  row("prmt.b32", Opcode::prmt, DataType::b32, plain);

  const auto global = reinterpret_cast<std::uint64_t>(bench->data.data());
  memory_row(*bench, level, "ld.global.f32 contiguous", Opcode::ld, Space::global, DataType::f32, 1, global, 4);
  memory_row(*bench, level, "ld.global.f64 contiguous", Opcode::ld, Space::global, DataType::f64, 1, global, 8);
  memory_row(*bench, level, "ld.global.v4.f32", Opcode::ld, Space::global, DataType::f32, 4, global, 16);
  memory_row(*bench, level, "ld.global.f32 one place", Opcode::ld, Space::global, DataType::f32, 1, global, 0);
  memory_row(*bench, level, "ld.global.f32 stride 128", Opcode::ld, Space::global, DataType::f32, 1, global, 128);
  memory_row(*bench, level, "ld.f32 generic", Opcode::ld, Space::generic, DataType::f32, 1, global, 4);
  memory_row(*bench, level, "st.global.f32 contiguous", Opcode::st, Space::global, DataType::f32, 1, global, 4);
  memory_row(*bench, level, "ld.shared.f32 stride 8", Opcode::ld, Space::shared, DataType::f32, 1, 0, 8);
  memory_row(*bench, level, "red.global.add.u32", Opcode::red, Space::global, DataType::u32, 1, global, 4);

  MicroOp special;
  special.opcode = Opcode::special;
  special.special = SpecialRegister::tid_x;
  special.destinations[0] = register_at(0, DataType::b32);
  std::printf("%-9s %-24s %8.2f\n", level, "mov %tid.x",
              nanoseconds([&] { execute_lanes(special, bench->warp, ~0u, {}); }));
}

}  // namespace
}  // namespace heddle::isa

int main() {
  std::printf("%-9s %-24s %8s %8s\n", "level", "operation", "full", "partial");
  for (const char* level : {"baseline", "avx2", "avx512"}) {
    if (heddle::isa::host_supports(level)) heddle::isa::run_level(level);
  }
}
