// SPDX-License-Identifier: Apache-2.0
#include "gpu/instruction_path.h"

#include "memory/cache/cache.h"
#include "tb/plain_memory.h"
#include "tests/module/memory/bench.h"

namespace heddle::gpu {
namespace {

using Answer = InstructionStore::Answer;

/// Looks up lines in chosen cycles, as a fetch stage does, and records the answers.
class Reader final : public Clocked, public InstructionReturn {
 public:
  explicit Reader(ClockDomain& domain) : domain_(domain) { domain.add(*this); }
  InstructionStore* store = nullptr;
  std::vector<Answer> answers;
  std::map<std::uint64_t, Cycle> filled;  ///< line: cycle from which those that wait may go on

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
  void line_filled(std::uint64_t line, Cycle from) override { filled[line] = from; }

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
    path_ = std::make_unique<InstructionPath>("path", bench_.clock, 128, SmId(0));
    path_->port.socket.bind(cache_->in());
    path_->cache.bind(cache_->uses);
    cache_->listen(*path_);
    cache_->out().bind(sink_->in());
    reader_->store = path_.get();
  }
  memory::Bench bench_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<memory::Cache> cache_;
  std::unique_ptr<memory::Sink> sink_;
  std::unique_ptr<InstructionPath> path_;
};

TEST_F(InstructionPathTest, EveryoneWhoWaitsForALineIsToldOfIt) {
  build();
  Reader others[2] = {Reader(bench_.clock), Reader(bench_.clock)};
  for (Reader& other : others) other.store = path_.get();
  reader_->look_up(10, 0x1000);
  others[0].look_up(12, 0x1000);
  bench_.run_to(100);
  const Cycle comes = reader_->filled.at(0x1000);
  EXPECT_EQ(others[0].filled, reader_->filled);
  EXPECT_EQ(sink_->seen().size(), 1u) << "the line is fetched once";
  reader_->look_up(200, 0x2000);
  others[1].look_up(200 + comes - 11, 0x2000);  // the cycle before it may be used
  bench_.run_to(300);
  EXPECT_EQ(others[1].filled, (std::map<std::uint64_t, Cycle>{{0x2000, reader_->filled.at(0x2000)}}));
}

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
  EXPECT_EQ(cache_->counts().read_hits.value(), 10u);
  EXPECT_EQ(cache_->counts().read_misses.value(), 1u);
  EXPECT_EQ(cache_->counts().requests.value(), cache_->counts().replies.value());
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
  EXPECT_EQ(reader_->filled.at(0x1000), comes + 1);
  EXPECT_EQ(reader_->answers, (std::vector{Answer::miss, Answer::miss, Answer::hit}));
  EXPECT_EQ(sink_->seen().size(), 1u) << "the look-up in the cycle of the return asks for nothing";
}

TEST_P(Turns, ALineIsFoundUntilTheCycleInWhichItGoes) {
  build(GetParam());
  reader_->look_up(10, 0x1000);
  reader_->look_up(50, 0x2000);
  // Displaces the first line when the cache looks it up, a cycle later.
  reader_->look_up(100, 0x3000);
  reader_->look_up(101, 0x1000);
  reader_->look_up(102, 0x1000);
  bench_.run_to(200);
  EXPECT_EQ(reader_->answers, (std::vector{Answer::miss, Answer::miss, Answer::miss, Answer::hit, Answer::miss}));
}

INSTANTIATE_TEST_SUITE_P(Order, Turns, ::testing::Bool(),
                         [](const auto& suite) { return suite.param ? "ReaderFirst" : "CacheFirst"; });

using tb::PlainMemory;

/// Without a cache: a plain TLM-2.0 memory answers the path.
class ForeignAnswers : public ::testing::TestWithParam<PlainMemory::Style> {
 protected:
  /// A look-up in cycle 10, others while the line is in flight and after it has arrived.
  void look_up(const sc_core::sc_time& latency, Cycle comes) {
    memory::Bench bench;
    Reader reader(bench.clock);
    PlainMemory memory("memory", 0x2000, GetParam(), latency);
    InstructionPath path("path", bench.clock, 128, SmId(0));
    path.port.socket.bind(memory.socket);
    reader.store = &path;
    reader.look_up(10, 0x1000);
    reader.look_up(comes - 1, 0x1000);
    bench.run_to(comes - 1);
    EXPECT_EQ(reader.filled[0x1000], comes);
    EXPECT_EQ(memory.reads(), 1u) << "it waits with the first";
    reader.look_up(comes, 0x1000);
    bench.run_to(comes + 50);
    EXPECT_EQ(memory.reads(), 2u) << "nobody keeps the line";
  }
};

TEST_P(ForeignAnswers, OnAnEdgeCountFromTheNext) { look_up(sc_core::sc_time(20, sc_core::SC_NS), 31); }

TEST_P(ForeignAnswers, BetweenEdgesCountFromTheFirstThatFollows) {
  look_up(sc_core::sc_time(19'300, sc_core::SC_PS), 30);
}

using Style = PlainMemory::Style;
std::string name_of(const ::testing::TestParamInfo<Style>& info) {
  static const char* const kNames[] = {"Completes", "EarlyResponse", "AcceptsAtOnce", "FourPhases", "SkipsEndReq"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Styles, ForeignAnswers,
                         ::testing::Values(Style::completes, Style::early_response, Style::accepts_at_once,
                                           Style::four_phases, Style::skips_end_req),
                         name_of);

}  // namespace
}  // namespace heddle::gpu
