// SPDX-License-Identifier: Apache-2.0
#include "core/trace/kanata.h"

#include <fmt/format.h>

namespace heddle {

void KanataWriter::at(Cycle cycle) {
  if (!started_) {
    file_.put(fmt::format("C=\t{}\n", cycle));
  } else if (cycle != cycle_) {
    file_.put(fmt::format("C\t{}\n", cycle - cycle_));
  }
  started_ = true;
  cycle_ = cycle;
}

KanataWriter::Line KanataWriter::begin(std::uint64_t id_in_simulator, std::uint64_t thread) {
  file_.put(fmt::format("I\t{}\t{}\t{}\n", next_, id_in_simulator, thread));
  return next_++;
}

void KanataWriter::text_of(Line line, unsigned type, std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  file_.put(fmt::format("L\t{}\t{}\t{}\n", line, type, clean));
}

void KanataWriter::stage(Line line, unsigned lane, std::string_view name) {
  file_.put(fmt::format("S\t{}\t{}\t{}\n", line, lane, name));
}

void KanataWriter::end_stage(Line line, unsigned lane, std::string_view name) {
  file_.put(fmt::format("E\t{}\t{}\t{}\n", line, lane, name));
}

void KanataWriter::retire(Line line, std::uint64_t order, bool flushed) {
  file_.put(fmt::format("R\t{}\t{}\t{}\n", line, order, flushed ? 1 : 0));
}

void KanataWriter::depends(Line consumer, Line producer) {
  file_.put(fmt::format("W\t{}\t{}\t0\n", consumer, producer));
}

}  // namespace heddle
