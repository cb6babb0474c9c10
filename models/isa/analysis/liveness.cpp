// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/liveness.h"

#include <algorithm>
#include <bit>

#include "isa/analysis/register_visits.h"
#include "isa/collective.h"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

// One row of bits per block.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t bits) : words_((bits + 63) / 64), data_(rows * words_) {}
  std::uint64_t* row(std::size_t r) { return data_.data() + r * words_; }
  void set(std::size_t r, std::size_t bit) { row(r)[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  bool test(std::size_t r, std::size_t bit) { return ((row(r)[bit / 64] >> (bit % 64)) & 1) != 0; }
  std::size_t words() const { return words_; }
  template <typename Visit>
  void for_each(std::size_t r, Visit&& visit) {
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t word = row(r)[w]; word != 0; word &= word - 1) {
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> data_;
};

class Solver {
 public:
  Solver(std::span<const MicroOp> ops, const ControlFlow& flow, std::size_t registers, std::size_t first_temporary)
      : ops_(ops), flow_(flow), first_temporary_(first_temporary), global_(registers, kNoNumber) {
    out_.ranges.resize(registers);
    out_.live_in.resize(flow.blocks.size());
  }

  Liveness run() {
    number_globals();
    solve();
    build_ranges();
    return std::move(out_);
  }

 private:
  // Only registers that some block reads before definitely writing them can be live across blocks.
  void number_globals() {
    std::vector<std::uint32_t> written(global_.size(), kNoNumber);  // by register: last block that definitely writes it
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      for (std::uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
        for_each_read(ops_[i], [&](const Operand& r) {
          if (written[r.offset] == b || global_[r.offset] != kNoNumber || r.offset >= first_temporary_) return;
          global_[r.offset] = static_cast<std::uint32_t>(registers_.size());
          registers_.push_back(r.offset);
        });
        if (ops_[i].guard.present()) continue;
        for_each_write(ops_[i], [&](const Operand& r) { written[r.offset] = b; });
      }
    }
  }

  void solve() {
    const std::size_t blocks = flow_.blocks.size();
    BitRows reads(blocks, registers_.size()), kills(blocks, registers_.size()), writes(blocks, registers_.size());
    for (std::uint32_t b = 0; b < blocks; ++b) {
      for (std::uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
        for_each_read(ops_[i], [&](const Operand& r) {
          const std::uint32_t g = global_[r.offset];
          if (g != kNoNumber && !kills.test(b, g)) reads.set(b, g);
        });
        for_each_write(ops_[i], [&](const Operand& r) {
          const std::uint32_t g = global_[r.offset];
          if (g == kNoNumber) return;
          writes.set(b, g);
          if (!ops_[i].guard.present()) kills.set(b, g);
        });
      }
    }
    const std::size_t words = reads.words();
    // Forward: registers written on some path to the block's start.
    BitRows written_in(blocks, registers_.size());
    iterate(false, [&](std::uint32_t b) {
      bool changed = false;
      for (const std::uint32_t s : flow_.graph.successors[b]) {
        for (std::size_t w = 0; w < words; ++w) {
          const std::uint64_t value = written_in.row(s)[w] | written_in.row(b)[w] | writes.row(b)[w];
          changed |= value != written_in.row(s)[w];
          written_in.row(s)[w] = value;
        }
      }
      return changed;
    });
    // Backward: registers read before written.
    BitRows live_in(blocks, registers_.size());
    iterate(true, [&](std::uint32_t b) {
      bool changed = false;
      for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t value = 0;
        for (const std::uint32_t s : flow_.graph.successors[b]) value |= live_in.row(s)[w];
        value = (reads.row(b)[w] | (value & ~kills.row(b)[w])) & written_in.row(b)[w];
        changed |= value != live_in.row(b)[w];
        live_in.row(b)[w] = value;
      }
      return changed;
    });
    for (std::uint32_t b = 0; b < blocks; ++b) {
      live_in.for_each(b, [&](std::size_t g) { out_.live_in[b].push_back(registers_[g]); });
      std::sort(out_.live_in[b].begin(), out_.live_in[b].end());
    }
  }

  // Sweeps over the blocks until nothing changes. With this block order, that takes a few sweeps more than the loop
  // nesting depth.
  template <typename Step>
  void iterate(bool backward, Step&& step) {
    const auto n = static_cast<std::uint32_t>(flow_.blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = 0; i < n; ++i) changed |= step(backward ? n - 1 - i : i);
    }
  }

  void add_range(std::uint32_t reg, std::uint32_t from, std::uint32_t to) {
    if (from >= to) return;
    auto& ranges = out_.ranges[reg];
    // Built backwards: only the last element can be adjacent.
    if (!ranges.empty() && ranges.back().first <= to) {
      ranges.back().first = std::min(ranges.back().first, from);
      ranges.back().second = std::max(ranges.back().second, to);
    } else {
      ranges.emplace_back(from, to);
    }
  }

  void build_ranges() {
    std::vector<std::uint32_t> end(global_.size(), 0);    // by register: end of the open live range, 0 is none
    std::vector<std::uint32_t> first(global_.size(), 0);  // by register: earliest access seen in that range
    std::vector<std::uint32_t> open;
    for (std::uint32_t b = static_cast<std::uint32_t>(flow_.blocks.size()); b-- > 0;) {
      const auto [block_first, block_last] = flow_.blocks[b];
      open.clear();
      const auto begin_life = [&](std::uint32_t reg, std::uint32_t to, std::uint32_t from) {
        if (end[reg] == 0) {
          end[reg] = to;
          open.push_back(reg);
        }
        first[reg] = from;
      };
      for (const std::uint32_t s : flow_.graph.successors[b]) {
        for (const std::uint32_t reg : out_.live_in[s]) begin_life(reg, 2 * block_last + 2, 2 * block_last + 2);
      }
      for (std::uint32_t i = block_last + 1; i-- > block_first;) {
        const MicroOp& op = ops_[i];
        const std::uint32_t write = 2 * i + (clobbers_early(op) ? 0 : 1);
        for_each_write(op, [&](const Operand& r) {
          if (end[r.offset] == 0) begin_life(r.offset, 2 * i + 2, write);  // a dead result still needs a register
          first[r.offset] = write;
          if (op.guard.present()) return;
          add_range(r.offset, write, end[r.offset]);
          end[r.offset] = 0;
        });
        for_each_read(op, [&](const Operand& r) { begin_life(r.offset, 2 * i + 1, 2 * i); });
      }
      for (const std::uint32_t reg : open) {
        if (end[reg] == 0) continue;
        const auto& in = out_.live_in[b];
        const bool lives_in = std::binary_search(in.begin(), in.end(), reg);
        add_range(reg, lives_in ? 2 * block_first : std::min(first[reg], end[reg]), end[reg]);
        end[reg] = 0;
      }
    }
    for (auto& ranges : out_.ranges) std::reverse(ranges.begin(), ranges.end());
  }

  std::span<const MicroOp> ops_;
  const ControlFlow& flow_;
  std::size_t first_temporary_;
  std::vector<std::uint32_t> global_;     // by register: its bit
  std::vector<std::uint32_t> registers_;  // by bit
  Liveness out_;
};

}  // namespace

bool clobbers_early(const MicroOp& op) {
  if (exchanges_values(op) || op.opcode == Opcode::syscall || op.opcode == Opcode::tex) return true;
  if (op.destination_count > 1) return true;
  // All lane addresses are computed before anything is written.
  const bool memory = op.unit == Unit::memory;
  const bool wide = op.destination_count == 1 && op.destinations[0].type == DataType::b64;
  for (unsigned i = memory ? 1 : 0; i < op.source_count; ++i) {
    const Operand& source = op.sources[i];
    if (source.base == Operand::Base::frame && source.type != DataType::pred &&
        (source.type == DataType::b64) != wide) {
      return true;
    }
  }
  return false;
}

Liveness find_liveness(std::span<const MicroOp> ops, const ControlFlow& flow, std::size_t registers,
                       std::size_t first_temporary) {
  return Solver(ops, flow, registers, first_temporary).run();
}

}  // namespace heddle::isa
