// SPDX-License-Identifier: Apache-2.0
// The lines of one SM in a pipeline log, and the stage each is in.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trace/kanata.h"
#include "gpu/recording/kernel_texts.h"
#include "gpu/recording/trace_filter.h"
#include "sm/watch/sm_listener.h"

namespace heddle::gpu {

/// Data of an issued packet that a line shows; the packet itself may no longer exist.
struct IssuedPacket {
  /// company: as GroupingUnit::company_of().
  IssuedPacket(const sm::Packet& packet, std::string company);
  const isa::MicroOp* op;
  std::uint64_t trace_id, issue_id;
  std::uint32_t active;
  IssueSlot slot;
  std::uint16_t waves;
  bool first, last;
  LaneMask lanes;
  struct Word {
    std::uint32_t warp;  ///< ISA warp of its block
    std::uint32_t mask;
  };
  std::vector<Word> words;
  std::string company;
};

/// What the lines of an instruction have in common.
struct InstructionText {
  std::string label, detail;
};
using InstructionTexts = KernelTexts<InstructionText>;

class PipelineLines {
 public:
  /// packets: one line per packet, else per instruction. texts, retired: of all SMs; retired counts ended lines.
  PipelineLines(KanataWriter& writer, const TraceFilter& filter, SmId sm, bool packets, InstructionTexts& texts,
                std::uint64_t& retired)
      : writer_(writer), filter_(filter), sm_(sm), packets_(packets), texts_(texts), retired_(retired) {}

  void begin_cycle(Cycle now);
  /// Notes the kernel that a context runs.
  void note(const sm::ContextSituation& situation);
  /// A new block starts in this slot: its registers have no producers yet.
  void forget_values(BlockSlot block_slot) { writers_.erase(block_slot); }

  // -- instructions that have not issued
  void requested(ContextId context, std::uint32_t pc, std::uint32_t count);
  void fetched(ContextId context, std::uint32_t pc, std::uint32_t count, const char* stage);
  /// Notes what the context's next instruction waits for.
  void state(const sm::ContextSituation& situation);

  // -- packets
  void issued(const IssuedPacket& packet, const sm::ContextSituation& context);
  void entered(std::uint64_t trace_id, sm::PipelineStage stage);
  void sent(std::uint64_t trace_id);
  void ended(std::uint64_t trace_id);

  /// Ends all lines; instructions that did not issue are shown as flushed.
  void finish();

 private:
  using Line = KanataWriter::Line;
  static constexpr Line kNoLine = ~Line{0};
  /// An instruction requested or fetched for a context but not yet issued.
  struct Waiting {
    std::uint32_t pc;
    Line line;
    Cycle begun;
  };
  struct Ahead {
    const isa::Kernel* kernel = nullptr;
    std::deque<Waiting> waiting;
    const char* stall = nullptr;  ///< shown on the second lane of the first line
    unsigned packets = 0;         ///< issued of its present instruction
  };
  /// A line with packets in flight.
  struct UnderWay {
    Line line = kNoLine;
    Cycle begun = 0;
    unsigned packets = 0;   ///< packets that have not ended
    bool complete = false;  ///< the last packet has issued
    unsigned rank = 0;      ///< rank of the stage shown
    std::uint32_t active = 0;
  };

  void write_cycle();
  Line begin(ContextId context, const isa::Kernel& kernel, std::uint32_t pc, const char* stage);
  Waiting* waiting(Ahead& ahead, std::uint32_t pc);
  /// Ends the lines of instructions before the one at `pc`, or all if it is not among them.
  void flush_before(Ahead& ahead, std::uint32_t pc);
  void end_stall(Ahead& ahead);
  void show(UnderWay& under_way, unsigned rank, const char* stage);
  UnderWay* under_way(std::uint64_t trace_id);
  void describe(Line line, const IssuedPacket& packet, unsigned of_instruction);
  /// Draws arrows from the producers of the packet's operands, then records it as the writer of its results.
  void connect(const IssuedPacket& packet, BlockSlot block_slot, UnderWay& consumer);

  KanataWriter& writer_;
  const TraceFilter& filter_;
  SmId sm_;
  bool packets_;
  InstructionTexts& texts_;
  std::uint64_t& retired_;
  Cycle now_ = 0;
  bool cycle_written_ = false;
  std::unordered_map<ContextId, Ahead> ahead_;
  std::unordered_map<std::uint64_t, std::uint64_t> key_of_packet_;  ///< by trace id, for lines of instructions
  std::unordered_map<std::uint64_t, UnderWay> under_way_;           ///< by issue id, or trace id
  /// Last writer of each register, per thread; by block slot, then by ISA warp and register.
  using Writers = std::array<Line, isa::kWordThreads>;
  std::unordered_map<BlockSlot, std::unordered_map<std::uint64_t, Writers>> writers_;
  std::vector<Line> candidates_;  ///< of one packet, room for connect()
  static constexpr std::size_t kFewProducers = 16'384;
  std::size_t most_producers_ = kFewProducers;  ///< size at which producers that ended long ago are dropped
  std::unordered_map<Line, Cycle> producers_;   ///< end of recently ended lines; kNever: in flight
};

}  // namespace heddle::gpu
