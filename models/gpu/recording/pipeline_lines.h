// SPDX-License-Identifier: Apache-2.0
// The lines of one SM in a pipeline log: which there are, and what stage each is in.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trace/kanata.h"
#include "gpu/recording/trace_filter.h"
#include "sm/watch/sm_listener.h"

namespace heddle::gpu {

/// What a line shows of a packet that issued; the packet itself may be gone when it is looked at.
struct IssuedPacket {
  explicit IssuedPacket(const sm::Packet& packet);
  const isa::MicroOp* op;
  std::uint64_t trace_id, issue_id;
  std::uint32_t active;
  std::uint16_t slot, waves;
  bool first, last;
  LaneMask lanes;
  struct Word {
    std::uint32_t warp;  ///< ISA warp of its block
    std::uint32_t mask;
  };
  std::vector<Word> words;
};

class PipelineLines {
 public:
  using ContextId = sm::ContextId;

  /// packets: a line a packet, else an instruction. retired: counts lines that ended, over all SMs.
  PipelineLines(KanataWriter& writer, const TraceFilter& filter, unsigned sm, bool packets, std::uint64_t& retired)
      : writer_(writer), filter_(filter), sm_(sm), packets_(packets), retired_(retired) {}

  void begin_cycle(Cycle now);
  /// What kernel a context runs.
  void note(const sm::ContextSituation& situation);
  /// Registers of the block in this slot hold nothing yet.
  void forget_values(unsigned block_slot) { writers_.erase(block_slot); }

  // -- instructions that have not issued
  void requested(ContextId context, std::uint32_t pc, std::uint32_t count);
  void fetched(ContextId context, std::uint32_t pc, std::uint32_t count, const char* stage);
  /// What the context waits for with its next instruction.
  void state(const sm::ContextSituation& situation);

  // -- packets
  void issued(const IssuedPacket& packet, const sm::ContextSituation& context);
  void entered(std::uint64_t trace_id, sm::Place place);
  void sent(std::uint64_t trace_id);
  void ended(std::uint64_t trace_id);

  /// Ends all lines; those of instructions that did not issue are flushed.
  void finish();

 private:
  using Line = KanataWriter::Line;
  static constexpr Line kNoLine = ~Line{0};
  /// An instruction that a context has been given and not issued.
  struct Waiting {
    std::uint32_t pc;
    Line line;
    Cycle begun;
  };
  struct Ahead {
    const isa::Kernel* kernel = nullptr;
    std::deque<Waiting> waiting;
    const char* stall = nullptr;  ///< shown on the second lane of the first
  };
  /// A line whose packets are under way.
  struct UnderWay {
    Line line = kNoLine;
    Cycle begun = 0;
    unsigned packets = 0;   ///< that have not ended
    bool complete = false;  ///< the last has issued
    unsigned rank = 0;      ///< of the stage it shows
    std::uint32_t active = 0;
    unsigned of_instruction = 0;
  };

  void write_cycle();
  Line begin(ContextId context, const isa::Kernel& kernel, std::uint32_t pc, const char* stage);
  Waiting* waiting(Ahead& ahead, std::uint32_t pc);
  /// Ends the lines of instructions before the one at `pc`, or all when it is not among them.
  void flush_before(Ahead& ahead, std::uint32_t pc);
  void end_stall(Ahead& ahead);
  void show(UnderWay& under_way, unsigned rank, const char* stage);
  UnderWay* under_way(std::uint64_t trace_id);
  void describe(Line line, const IssuedPacket& packet, const UnderWay& so_far);
  /// Arrows from those whose results the packet waited for; then its own results have it as their writer.
  void connect(const IssuedPacket& packet, unsigned block_slot, UnderWay& consumer);

  KanataWriter& writer_;
  const TraceFilter& filter_;
  unsigned sm_;
  bool packets_;
  std::uint64_t& retired_;
  Cycle now_ = 0;
  bool cycle_written_ = false;
  std::unordered_map<ContextId, Ahead> ahead_;
  std::unordered_map<std::uint64_t, std::uint64_t> key_of_packet_;  ///< by trace id, for lines of instructions
  std::unordered_map<std::uint64_t, UnderWay> under_way_;           ///< by issue id, or trace id
  /// Who wrote a register last, a thread each; by block slot, then by ISA warp and register.
  using Writers = std::array<Line, isa::kWordThreads>;
  std::unordered_map<unsigned, std::unordered_map<std::uint64_t, Writers>> writers_;
  static constexpr std::size_t kFewProducers = 16'384;
  std::size_t most_producers_ = kFewProducers;  ///< at which those that ended long ago are dropped
  std::unordered_map<Line, Cycle> producers_;   ///< when lines ended that did so lately; kNever: under way
};

}  // namespace heddle::gpu
