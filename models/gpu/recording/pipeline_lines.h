// SPDX-License-Identifier: Apache-2.0
// The lines of one SM in a pipeline log, and the stage each is in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/kanata.h"
#include "gpu/recording/in_flight_table.h"
#include "gpu/recording/kernel_texts.h"
#include "gpu/recording/trace_filter.h"
#include "sm/watch/sm_listener.h"

namespace heddle::gpu {

/// Data of an issued packet that a line shows; the packet itself may no longer exist.
struct IssuedPacket {
  struct Word {
    std::uint32_t warp;  ///< ISA warp of its block
    std::uint32_t mask;
  };
  /// company: as GroupingUnit::company_of(). words: of all packets of the cycle, to which its own are added.
  IssuedPacket(const sm::Packet& packet, std::string company, std::vector<Word>& words);
  const isa::MicroOp* op;
  std::uint64_t trace_id, issue_id;
  std::uint32_t active;
  IssueSlot slot;
  std::uint16_t waves;
  bool first, last;
  LaneMask lanes;
  std::size_t first_word, end_word;  ///< those of its words with threads
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
  void forget_values(BlockSlot block_slot) {
    if (block_slot < writers_.size()) writers_[block_slot].clear();
  }

  // -- instructions that have not issued
  void requested(ContextId context, std::uint32_t pc, std::uint32_t count);
  void fetched(ContextId context, std::uint32_t pc, std::uint32_t count, std::string_view stage);
  /// Notes what the context's next instruction waits for.
  void state(const sm::ContextSituation& situation);

  // -- packets
  /// words: its own.
  void issued(const IssuedPacket& packet, std::span<const IssuedPacket::Word> words,
              const sm::ContextSituation& context);
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
    std::vector<Waiting> waiting;        ///< few
    const std::string* stall = nullptr;  ///< shown on the second lane of the first line
    unsigned packets = 0;                ///< issued of its present instruction
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

  /// The last writers of a register of an ISA warp: nearly always one, or none.
  class Writers {
   public:
    void set(std::uint32_t threads, Line line) {
      if (line_ == line) {
        threads_ |= threads;
      } else {
        if ((threads_ & ~threads) != 0) others_.push_back({threads_ & ~threads, line_});
        threads_ = threads;
        line_ = line;
      }
      if (!others_.empty()) std::erase_if(others_, [threads](Part& part) { return (part.threads &= ~threads) == 0; });
    }
    /// Calls visit(line) for the writers of these threads.
    template <typename Visit>
    void for_each(std::uint32_t threads, Visit&& visit) const {
      if ((threads_ & threads) != 0) visit(line_);
      for (const Part& part : others_) {
        if ((part.threads & threads) != 0) visit(part.line);
      }
    }

   private:
    struct Part {
      std::uint32_t threads;
      Line line;
    };
    std::uint32_t threads_ = 0;
    Line line_ = kNoLine;  ///< of threads_
    std::vector<Part> others_;
  };

  void write_cycle();
  Ahead& ahead_of(ContextId context) {
    if (context >= ahead_.size()) ahead_.resize(context + 1);
    return ahead_[context];
  }
  Writers& writers_of(BlockSlot block_slot, std::uint32_t warp, std::uint16_t reg);
  Line begin(ContextId context, const isa::Kernel& kernel, std::uint32_t pc, std::string_view stage);
  Waiting* waiting(Ahead& ahead, std::uint32_t pc);
  /// Ends the lines of instructions before the one at `pc`, or all if it is not among them.
  void flush_before(Ahead& ahead, std::uint32_t pc);
  void end_stall(Ahead& ahead);
  void show(UnderWay& under_way, unsigned rank, std::string_view stage);
  UnderWay* under_way(std::uint64_t trace_id);
  void describe(Line line, const IssuedPacket& packet, unsigned of_instruction);
  /// Draws arrows from the producers of the packet's operands, then records it as the writer of its results.
  void connect(const IssuedPacket& packet, std::span<const IssuedPacket::Word> words, BlockSlot block_slot,
               UnderWay& consumer);

  KanataWriter& writer_;
  const TraceFilter& filter_;
  SmId sm_;
  bool packets_;
  InstructionTexts& texts_;
  std::uint64_t& retired_;
  Cycle now_ = 0;
  bool cycle_written_ = false;
  std::vector<Ahead> ahead_;                    ///< by context
  InFlightTable<std::uint64_t> key_of_packet_;  ///< by trace id, for lines of instructions
  InFlightTable<UnderWay> under_way_;           ///< by issue id, or trace id
  /// By block slot, then by ISA warp, then by register, in any order.
  std::vector<std::vector<std::vector<Writers>>> writers_;
  std::vector<Line> candidates_;  ///< of one packet, room for connect()
  static constexpr std::size_t kFewProducers = 16'384;
  std::size_t most_producers_ = kFewProducers;  ///< size at which producers that ended long ago are dropped
  std::unordered_map<Line, Cycle> producers_;   ///< end of recently ended lines; kNever: in flight
};

}  // namespace heddle::gpu
