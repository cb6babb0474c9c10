// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/context_sorter.h"

#include <algorithm>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

namespace {

struct Entry {
  SplitContext context;
  std::uint8_t sources = 0;
};

bool before(const Entry& a, const Entry& b) {
  if (a.context.valid != b.context.valid) return a.context.valid;
  if (a.context.pc != b.context.pc) return a.context.pc < b.context.pc;
  return a.context.fixed && !b.context.fixed;
}

}  // namespace

SortedContexts sort_contexts(const SorterShape& shape, const SorterRequest& request) {
  std::array<Entry, 3> sorted{};
  for (unsigned i = 0; i < 3; ++i) {
    if (!request[i].valid || request[i].threads == 0) continue;
    sorted[i] = {request[i], static_cast<std::uint8_t>(1u << i)};
  }
  std::stable_sort(sorted.begin(), sorted.end(), before);
  std::array<Entry, 3> merged{};
  unsigned count = 0;
  for (const Entry& entry : sorted) {
    if (!entry.context.valid) break;
    SplitContext* const last = count != 0 ? &merged[count - 1].context : nullptr;
    if (last != nullptr && last->pc == entry.context.pc && !last->fixed && !entry.context.fixed) {
      last->threads |= entry.context.threads;
      merged[count - 1].sources = static_cast<std::uint8_t>(merged[count - 1].sources | entry.sources);
    } else {
      merged[count++] = entry;
    }
  }
  if (count > shape.hot) {
    // The leaving one goes last; the others keep their order.
    unsigned leaves = count - 1;
    while (leaves != 0 && merged[leaves].context.fixed) --leaves;
    std::rotate(merged.begin() + leaves, merged.begin() + leaves + 1, merged.begin() + count);
  }
  SortedContexts answer;
  for (unsigned i = 0; i < 3; ++i) {
    answer.contexts[i] = merged[i].context;
    answer.sources[i] = merged[i].sources;
  }
  return answer;
}

namespace {

class ContextSorterModel final : public ContextSorter {
 public:
  ContextSorterModel(const SorterShape& shape, const BlockSite&) : shape_(shape) {}
  SortedContexts sort(const SorterRequest& request) override { return sort_contexts(shape_, request); }

 private:
  SorterShape shape_;
};

HEDDLE_REGISTER(ContextSorter, ContextSorterModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
