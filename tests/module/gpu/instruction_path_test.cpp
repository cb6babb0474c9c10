// SPDX-License-Identifier: Apache-2.0
#include "gpu/instruction_path.h"

#include "memory/cache.h"
#include "tests/module/memory/bench.h"

namespace heddle::gpu {
namespace {

using Answer = InstructionStore::Answer;

/// Looks lines up in chosen cycles, as a fetch stage does, and notes the answers.
class Reader final : public Clocked, public InstructionReturn {
 public:
  explicit Reader(ClockDomain& domain) : domain_(domain) { domain.add(*this); }
  InstructionStore* store = nullptr;
  std::vector<Answer> answers;
  std::map<std::uint64_t, Cycle> filled;  ///< line: cycle of line_filled()

  void look_up(Cycle at, std::uint64_t address) {
    wanted_.emplace(at, address);
    domain_.wake(*this, wanted_.begin()->first);
  }
  void tick() override {
    while (!wanted_.empty() && wanted_.begin()->first <= domain_.now()) {
      answers.push_back(store->look_up(wanted_.begin()->second, *this));
      wanted_.erase(wanted_.begin());
    }
    if (!wanted_.empty()) domain_.wake(*this, wanted_.begin()->first);
  }
  void line_filled(std::uint64_t line) override { filled[line] = domain_.now(); }

 private:
  ClockDomain& domain_;
  std::multimap<Cycle, std::uint64_t> wanted_;
};

constexpr Cycle kMemory = 20;

class InstructionPathTest : public ::testing::Test {
 protected:
  /// One set of two lines of 128 bytes, least recently used out. reader_first: the order of the modules' turns.
  void build(bool reader_first = true) {
    memory::CacheParameters p;
    p.tags.sets = 1;
    p.tags.ways = 2;
    p.read_only = true;
    if (reader_first) reader_ = std::make_unique<Reader>(bench_.clock);
    cache_ = std::make_unique<memory::Cache>("cache", bench_.clock, p, bench_.group("cache"), bench_.services);
    if (!reader_first) reader_ = std::make_unique<Reader>(bench_.clock);
    sink_ = std::make_unique<memory::Sink>("sink", bench_.clock, kMemory);
    path_ = std::make_unique<InstructionPath>("path", bench_.clock, 128, 0);
    path_->port.socket.bind(cache_->in());
    path_->cache.bind(cache_->uses);
    cache_->listen(path_.get());
    cache_->out().bind(sink_->in());
    reader_->store = path_.get();
  }
  memory::Bench bench_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<memory::Cache> cache_;
  std::unique_ptr<memory::Sink> sink_;
  std::unique_ptr<InstructionPath> path_;
};

TEST_F(InstructionPathTest, ALineInUseOutlivesOneThatIsNot) {
  build();
  reader_->look_up(10, 0x1000);
  reader_->look_up(50, 0x2000);
  reader_->look_up(100, 0x1000);  // a hit: now 0x2000 is the one used least recently
  reader_->look_up(150, 0x3000);
  reader_->look_up(200, 0x1000);
  reader_->look_up(201, 0x2000);
  bench_.run_to(300);
  EXPECT_EQ(reader_->answers,
            (std::vector{Answer::miss, Answer::miss, Answer::hit, Answer::miss, Answer::hit, Answer::miss}));
  EXPECT_EQ(sink_->seen().size(), 4u);
}

TEST_F(InstructionPathTest, HitsAreCountedByTheCacheAndRequestsEqualReplies) {
  build();
  reader_->look_up(10, 0x1000);
  for (Cycle at = 50; at < 60; ++at) reader_->look_up(at, 0x1040);
  bench_.run_to(100);
  EXPECT_EQ(cache_->statistics().read_hits.value(), 10u);
  EXPECT_EQ(cache_->statistics().read_misses.value(), 1u);
  EXPECT_EQ(cache_->statistics().requests.value(), cache_->statistics().replies.value());
}

/// Whichever of reader and cache has its turn first.
class Turns : public InstructionPathTest, public ::testing::WithParamInterface<bool> {};

TEST_P(Turns, ALineIsFoundFromTheCycleAfterItsReturn) {
  build(GetParam());
  // Look-up 1, memory, fill 1.
  const Cycle comes = 10 + 1 + kMemory + 1;
  reader_->look_up(10, 0x1000);
  reader_->look_up(comes, 0x1000);
  reader_->look_up(comes + 1, 0x1000);
  bench_.run_to(100);
  EXPECT_EQ(reader_->filled.at(0x1000), comes);
  EXPECT_EQ(reader_->answers, (std::vector{Answer::miss, Answer::miss, Answer::hit}));
  EXPECT_EQ(sink_->seen().size(), 1u) << "the look-up in the cycle of the return asks for nothing";
}

INSTANTIATE_TEST_SUITE_P(Order, Turns, ::testing::Bool(),
                         [](const auto& suite) { return suite.param ? "ReaderFirst" : "CacheFirst"; });

}  // namespace
}  // namespace heddle::gpu
