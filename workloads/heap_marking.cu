// SPDX-License-Identifier: Apache-2.0
// The mark phase of a tracing garbage collector, level by level from the roots: one thread an object of the queue looks
// up the class of its object, then goes through the references in it; whoever marks an object first puts it into the
// queue.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              objects
//
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (GC).
#include <algorithm>

#include "common.h"

constexpr int kBlock = 128;
constexpr unsigned kClasses = 64;
constexpr int kHeader = 2;  // words of an object before its references: its class, and its hash

struct Class {
  int references, words;  // of an object; the words include the header and plain data behind the references
};

// Objects are named by the place of their first word in the heap; 0 is no object. Each word of the heap has a bit in
// `marked`, those of earlier levels, and in `reached`, those of this level too.
__global__ void mark(const unsigned* heap, const Class* classes, const unsigned* marked, unsigned* reached,
                     const int* queue, int count, int* next, int* next_count) {
  const int place = blockIdx.x * kBlock + threadIdx.x;
  if (place >= count) return;
  const int object = queue[place];
  const int references = classes[heap[object]].references;
#pragma unroll 1
  for (int reference = 0; reference < references; ++reference) {
    const unsigned to = heap[object + kHeader + reference];
    if (to == 0) continue;
    const unsigned bit = 1u << (to % 32);
    if ((marked[to / 32] & bit) == 0 && (atomicOr(&reached[to / 32], bit) & bit) == 0)
      next[atomicAdd(next_count, 1)] = static_cast<int>(to);
  }
}

__global__ void end_level(unsigned* marked, const unsigned* reached, int words) {
  const int word = blockIdx.x * kBlock + threadIdx.x;
  if (word < words) marked[word] = reached[word];
}

struct Heap {
  std::vector<unsigned> words;
  std::vector<Class> classes;
  std::vector<int> objects;
};

// Most references lead to objects allocated at about the same time, as those of a data structure do, one in eight
// anywhere; one in eight is null. A class in eight is of arrays of references.
Heap make_heap(int count) {
  workload::Random random(136);
  Heap heap;
  for (unsigned kind = 0; kind < kClasses; ++kind) {
    const int references = static_cast<int>(kind % 8 == 0 ? 24 + random.below(24) : 2 + random.below(12));
    heap.classes.push_back({references, kHeader + references + static_cast<int>(random.below(12))});
  }
  heap.words.assign(4, 0);
  std::vector<unsigned> kinds;
  for (int object = 0; object < count; ++object) {
    kinds.push_back(random.below(kClasses));
    heap.objects.push_back(static_cast<int>(heap.words.size()));
    heap.words.resize(heap.words.size() + heap.classes[kinds.back()].words, 0);
    heap.words[heap.objects.back()] = kinds.back();
    heap.words[heap.objects.back() + 1] = random.next();
  }
  const int reach = std::min(512, count);
  for (int object = 0; object < count; ++object)
    for (int reference = 0; reference < heap.classes[kinds[object]].references; ++reference) {
      const unsigned where = random.below(8);
      int to = static_cast<int>(random.below(static_cast<unsigned>(count)));
      if (where > 1) to = (object + static_cast<int>(random.below(reach)) - reach / 2 + count) % count;
      heap.words[heap.objects[object] + kHeader + reference] = where == 0 ? 0 : heap.objects[to];
    }
  return heap;
}

bool mark_first(std::vector<unsigned>& marks, unsigned object) {
  unsigned& word = marks[object / 32];
  const unsigned before = word;
  word |= 1u << (object % 32);
  return word != before;
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {600, 12288, 131072, 8, 1 << 20}));
  const Heap heap = make_heap(count);
  const int mark_words = static_cast<int>(heap.words.size() / 32 + 1);
  std::vector<unsigned> reference(mark_words, 0);
  std::vector<int> queue;
  for (int root = 0; root < count; root += std::max(1, count / 64)) queue.push_back(heap.objects[root]);
  for (const int root : queue) mark_first(reference, root);
  const int roots = static_cast<int>(queue.size());
  workload::DeviceArray<unsigned> words(heap.words), marked(reference), reached(reference);
  workload::DeviceArray<Class> classes(heap.classes);
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (int field = 0; field < heap.classes[heap.words[queue[head]]].references; ++field) {
      const unsigned to = heap.words[queue[head] + kHeader + field];
      if (to != 0 && mark_first(reference, to)) queue.push_back(static_cast<int>(to));
    }
  queue.resize(count);

  workload::DeviceArray<int> queue_a(queue), queue_b(count), found(1);
  int *now = queue_a.get(), *next = queue_b.get();
  for (int length = roots; length > 0;) {
    found.upload({0});
    mark<<<workload::blocks_for(length, kBlock), kBlock>>>(words.get(), classes.get(), marked.get(), reached.get(), now,
                                                           length, next, found.get());
    CHECK_LAUNCH();
    end_level<<<workload::blocks_for(mark_words, kBlock), kBlock>>>(marked.get(), reached.get(), mark_words);
    CHECK_LAUNCH();
    length = found.download()[0];
    std::swap(now, next);
  }
  workload::Report report("heap_marking");
  report.expect_equal("32 marks", marked.download(), reference);
  return report.finish();
}
