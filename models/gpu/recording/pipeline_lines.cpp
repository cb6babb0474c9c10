// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/pipeline_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::gpu {
namespace {

using sm::ContextState;
using sm::PipelineStage;

/// By PipelineStage. The viewer draws arrows between stages whose names start with X.
struct StageName {
  std::string_view text;
  unsigned rank;
};
constexpr std::array<StageName, 8> kStages = {
    {{"OC", 1}, {"Xctl", 2}, {"Xalu", 2}, {"Xsfu", 2}, {"Xfp64", 2}, {"Xsh", 2}, {"Xmem", 3}, {"WB", 5}}};
constexpr unsigned kLinesRank = 4;
constexpr std::string_view kLinesStage = "M";

constexpr Cycle kLongAgo = 10'000;

std::string place_of(const isa::Kernel& kernel, const isa::MicroOp& op) {
  if (op.source_line == 0 || op.source_file >= kernel.files.size()) return {};
  const std::string& file = kernel.files[op.source_file];
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), op.source_line);
}

InstructionText text_of(const isa::Kernel& kernel, std::uint32_t pc) {
  const isa::MicroOp& op = kernel.ops[pc];
  const std::string source = place_of(kernel, op);
  return {KanataWriter::one_line(fmt::format("{:4} {}{}{}", pc, kernel.text(op), source.empty() ? "" : "  ", source)),
          KanataWriter::one_line(fmt::format("kernel {}, PTX line {}. ", kernel.name, op.ptx_line))};
}

}  // namespace

IssuedPacket::IssuedPacket(const sm::Packet& packet, std::string with, std::vector<Word>& words)
    : op(packet.op),
      trace_id(packet.trace_id),
      issue_id(packet.issue_id),
      active(packet.active),
      slot(packet.slot),
      waves(packet.waves),
      first(packet.first),
      last(packet.last),
      lanes(packet.lanes),
      first_word(words.size()),
      company(std::move(with)) {
  for (unsigned w = 0; w < packet.word_count; ++w) {
    if (packet.words[w].mask != 0) words.push_back({packet.words[w].warp->index, packet.words[w].mask});
  }
  end_word = words.size();
}

void PipelineLines::begin_cycle(Cycle now) {
  now_ = now;
  cycle_written_ = false;
}

void PipelineLines::write_cycle() {
  if (!cycle_written_) writer_.at(now_);
  cycle_written_ = true;
}

void PipelineLines::note(const sm::ContextSituation& situation) {
  if (situation.kernel != nullptr) ahead_of(situation.context).kernel = situation.kernel;
}

PipelineLines::Line PipelineLines::begin(ContextId context, const isa::Kernel& kernel, std::uint32_t pc,
                                         std::string_view stage) {
  if (pc >= kernel.ops.size() || !filter_.cycle(now_) || !filter_.warp(context) || !filter_.kernel(kernel.name))
    return kNoLine;
  write_cycle();
  const Line line = writer_.begin(kernel.ops[pc].pc, std::uint64_t{sm_} * sm::kMaxContexts + context);
  const InstructionText& text = texts_.of(kernel, pc, kernel.ops.size(), [&kernel, pc] { return text_of(kernel, pc); });
  writer_.label(line, "sm", sm_.number(), " c", context.number(), ' ', text.label);
  writer_.detail(line, text.detail);
  writer_.stage(line, KanataWriter::kStageLane, stage);
  return line;
}

PipelineLines::Waiting* PipelineLines::waiting(Ahead& ahead, std::uint32_t pc) {
  const auto found =
      std::find_if(ahead.waiting.begin(), ahead.waiting.end(), [pc](const Waiting& one) { return one.pc == pc; });
  return found != ahead.waiting.end() ? &*found : nullptr;
}

void PipelineLines::flush_before(Ahead& ahead, std::uint32_t pc) {
  const bool keeps = waiting(ahead, pc) != nullptr;
  while (!ahead.waiting.empty() && !(keeps && ahead.waiting.front().pc == pc)) {
    end_stall(ahead);
    if (ahead.waiting.front().line != kNoLine) {
      write_cycle();
      writer_.retire(ahead.waiting.front().line, 0, true);
    }
    ahead.waiting.erase(ahead.waiting.begin());
  }
}

void PipelineLines::end_stall(Ahead& ahead) {
  if (ahead.stall == nullptr) return;
  if (!ahead.waiting.empty() && ahead.waiting.front().line != kNoLine) {
    write_cycle();
    writer_.end_stage(ahead.waiting.front().line, KanataWriter::kStallLane, *ahead.stall);
  }
  ahead.stall = nullptr;
}

void PipelineLines::requested(ContextId context, std::uint32_t pc, std::uint32_t count) {
  Ahead& ahead = ahead_of(context);
  if (ahead.kernel == nullptr) return;
  for (std::uint32_t i = pc; i < pc + count; ++i) {
    const Waiting* const found = waiting(ahead, i);
    if (found == nullptr) {
      ahead.waiting.push_back({i, begin(context, *ahead.kernel, i, "F"), now_});
    } else if (found->line != kNoLine) {
      // The context waited for it before the request could be sent.
      write_cycle();
      writer_.stage(found->line, KanataWriter::kStageLane, "F");
    }
  }
}

void PipelineLines::fetched(ContextId context, std::uint32_t pc, std::uint32_t count, std::string_view stage) {
  Ahead& ahead = ahead_of(context);
  for (std::uint32_t i = pc; i < pc + count; ++i) {
    const Waiting* const found = waiting(ahead, i);
    if (found == nullptr || found->line == kNoLine) continue;
    write_cycle();
    writer_.stage(found->line, KanataWriter::kStageLane, stage);
  }
}

void PipelineLines::state(const sm::ContextSituation& situation) {
  Ahead& ahead = ahead_of(situation.context);
  if (situation.state == ContextState::none) {
    flush_before(ahead, ~std::uint32_t{0});
    return;
  }
  // The program counter still points to the branch or nanosleep already issued.
  if (situation.state == ContextState::branch || situation.state == ContextState::asleep ||
      situation.state == ContextState::packing) {
    end_stall(ahead);
    return;
  }
  flush_before(ahead, situation.pc);
  if (ahead.waiting.empty()) {
    const std::string_view stage = situation.state == ContextState::fetch ? "Fq" : "I";
    const Line line = begin(situation.context, *situation.kernel, situation.pc, stage);
    ahead.waiting.push_back({situation.pc, line, now_});
  }
  const std::string* const stall = &sm::context_state_names()[static_cast<std::size_t>(situation.state)];
  if (stall == ahead.stall) return;
  end_stall(ahead);
  ahead.stall = stall;
  if (ahead.waiting.front().line == kNoLine) return;
  write_cycle();
  writer_.stage(ahead.waiting.front().line, KanataWriter::kStallLane, *stall);
}

void PipelineLines::describe(Line line, const IssuedPacket& packet, unsigned of_instruction) {
  if (packets_ && !(packet.first && packet.last))
    writer_.label(line, "  packet ", of_instruction, ", ", packet.active, " threads");
  const Hexadecimal lanes{packet.lanes.word(0)};
  if (packet.waves > 1) {
    writer_.detail(line, "Cycle ", now_, ", slot ", packet.slot.number(), ": ", packet.active, " threads on lanes ",
                   lanes, " in ", packet.waves, " passes. ");
  } else {
    writer_.detail(line, "Cycle ", now_, ", slot ", packet.slot.number(), ": ", packet.active, " threads on lanes ",
                   lanes, ". ");
  }
  if (packet.slot != 0) writer_.label(line, "  /slot ", packet.slot.number());
  if (!packet.company.empty()) writer_.label(line, "  /", KanataWriter::one_line(packet.company));
}

void PipelineLines::issued(const IssuedPacket& packet, std::span<const IssuedPacket::Word> words,
                           const sm::ContextSituation& context) {
  Ahead& ahead = ahead_of(context.context);
  ahead.kernel = context.kernel;
  const std::uint64_t key = packets_ ? packet.trace_id : packet.issue_id;
  if (!packets_) key_of_packet_[packet.trace_id] = key;
  Line line = kNoLine;
  Cycle begun = now_;
  ahead.packets = packet.first ? 1 : ahead.packets + 1;
  if (packet.first) {
    flush_before(ahead, context.pc);
    if (!ahead.waiting.empty()) {
      end_stall(ahead);
      line = ahead.waiting.front().line;
      begun = ahead.waiting.front().begun;
      ahead.waiting.erase(ahead.waiting.begin());
    } else {
      line = begin(context.context, *context.kernel, context.pc, "I");
    }
  } else if (packets_) {
    line = begin(context.context, *context.kernel, context.pc, "I");
  }
  UnderWay& under = under_way_[key];
  if (packet.first || packets_) under = {.line = line, .begun = begun};
  ++under.packets;
  under.active += packet.active;
  under.complete = packet.last || packets_;
  if (under.line == kNoLine) return;
  write_cycle();
  producers_[under.line] = kNever;
  describe(under.line, packet, ahead.packets);
  connect(packet, words, context.block_slot, under);
}

PipelineLines::Writers& PipelineLines::writers_of(BlockSlot block_slot, std::uint32_t warp, std::uint16_t reg) {
  if (block_slot >= writers_.size()) writers_.resize(block_slot + 1);
  std::vector<std::vector<Writers>>& of_block = writers_[block_slot];
  if (warp >= of_block.size()) of_block.resize(warp + 1);
  std::vector<Writers>& of_warp = of_block[warp];
  // Predicates, whose numbers are high, between the others.
  const std::size_t place = reg < isa::kFirstPredicate ? std::size_t{2} * reg : 2 * (reg - isa::kFirstPredicate) + 1;
  if (place >= of_warp.size()) of_warp.resize(place + 1);
  return of_warp[place];
}

void PipelineLines::connect(const IssuedPacket& packet, std::span<const IssuedPacket::Word> words, BlockSlot block_slot,
                            UnderWay& consumer) {
  std::vector<Line>& producers = candidates_;
  producers.clear();
  const isa::RegisterUse& use = packet.op->allocated;
  for (const IssuedPacket::Word& word : words) {
    for (unsigned r = 0; r < use.read_count; ++r) {
      writers_of(block_slot, word.warp, use.reads[r]).for_each(word.mask, [&](Line line) {
        if (line != consumer.line) producers.push_back(line);
      });
    }
  }
  std::sort(producers.begin(), producers.end());
  producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
  for (const Line producer : producers) {
    // Results available before the instruction arrived did not delay it.
    const auto known = producers_.find(producer);
    if (known != producers_.end() && known->second >= consumer.begun) writer_.depends(consumer.line, producer);
  }
  for (const IssuedPacket::Word& word : words) {
    for (unsigned w = 0; w < use.write_count; ++w)
      writers_of(block_slot, word.warp, use.writes[w]).set(word.mask, consumer.line);
  }
}

PipelineLines::UnderWay* PipelineLines::under_way(std::uint64_t trace_id) {
  if (packets_) return under_way_.find(trace_id);
  const std::uint64_t* const key = key_of_packet_.find(trace_id);
  return key != nullptr ? under_way_.find(*key) : nullptr;
}

void PipelineLines::show(UnderWay& under, unsigned rank, std::string_view stage) {
  if (rank <= under.rank || under.line == kNoLine) return;
  under.rank = rank;
  write_cycle();
  writer_.stage(under.line, KanataWriter::kStageLane, stage);
}

void PipelineLines::entered(std::uint64_t trace_id, PipelineStage stage) {
  UnderWay* const under = under_way(trace_id);
  if (under == nullptr) return;
  // An instruction with several packets follows its first packet, until the last is written back.
  if (stage == PipelineStage::writeback && !(under->complete && under->packets == 1)) return;
  const StageName& name = kStages[static_cast<std::size_t>(stage)];
  show(*under, name.rank, name.text);
}

void PipelineLines::sent(std::uint64_t trace_id) {
  if (UnderWay* const under = under_way(trace_id)) show(*under, kLinesRank, kLinesStage);
}

void PipelineLines::ended(std::uint64_t trace_id) {
  UnderWay* const under = under_way(trace_id);
  if (under == nullptr) return;
  const std::uint64_t key = packets_ ? trace_id : key_of_packet_[trace_id];
  key_of_packet_.erase(trace_id);
  if (--under->packets != 0 || !under->complete) return;
  if (under->line != kNoLine) {
    write_cycle();
    writer_.retire(under->line, retired_++, false);
    // No later instruction can depend on lines that ended long ago.
    if (producers_.size() >= most_producers_) {
      std::erase_if(producers_, [this](const auto& one) { return one.second < now_ - std::min(now_, kLongAgo); });
      most_producers_ = std::max(kFewProducers, 2 * producers_.size());
    }
    producers_[under->line] = now_;
  }
  under_way_.erase(key);
}

void PipelineLines::finish() {
  // A run may end before its last instructions have left the pipeline.
  std::vector<std::pair<Line, bool>> open;
  for (const Ahead& ahead : ahead_) {
    for (const Waiting& one : ahead.waiting) open.emplace_back(one.line, true);
  }
  under_way_.for_each([&open](const UnderWay& under) { open.emplace_back(under.line, false); });
  std::sort(open.begin(), open.end());
  for (const auto& [line, flushed] : open) {
    if (line != kNoLine) writer_.retire(line, flushed ? 0 : retired_++, flushed);
  }
  ahead_.clear();
  under_way_.clear();
}

}  // namespace heddle::gpu
