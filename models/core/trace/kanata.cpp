// SPDX-License-Identifier: Apache-2.0
#include "core/trace/kanata.h"

namespace heddle {

std::string KanataWriter::one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

void KanataWriter::at(Cycle cycle) {
  if (!started_) {
    file_.put("C=\t", cycle, '\n');
  } else if (cycle != cycle_) {
    file_.put("C\t", cycle - cycle_, '\n');
  }
  started_ = true;
  cycle_ = cycle;
}

KanataWriter::Line KanataWriter::begin(std::uint64_t id_in_simulator, std::uint64_t thread) {
  file_.put("I\t", next_, '\t', id_in_simulator, '\t', thread, '\n');
  return next_++;
}

void KanataWriter::stage(Line line, unsigned lane, std::string_view name) {
  file_.put("S\t", line, '\t', lane, '\t', name, '\n');
}

void KanataWriter::end_stage(Line line, unsigned lane, std::string_view name) {
  file_.put("E\t", line, '\t', lane, '\t', name, '\n');
}

void KanataWriter::retire(Line line, std::uint64_t order, bool flushed) {
  file_.put("R\t", line, '\t', order, flushed ? "\t1\n" : "\t0\n");
}

void KanataWriter::depends(Line consumer, Line producer) { file_.put("W\t", consumer, '\t', producer, "\t0\n"); }

}  // namespace heddle
