// SPDX-License-Identifier: Apache-2.0
// Third-party parts of a memory side: plain TLM-2.0 code in place of the model's own.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "core/error.h"
#include "memory/cache/cache.h"
#include "memory/dram/dram_bank.h"
#include "memory/memory_system.h"
#include "tests/module/memory/bench.h"
#include "tests/module/memory/sm_place.h"

namespace heddle::memory {
namespace {

/// A cache without lines that forwards every call.
class PassThrough final : public sc_core::sc_module, public CacheLevel {
 public:
  struct Parameters {
    unsigned line_bytes = 128;
    void describe(ParameterVisitor& v) { v("line_bytes", line_bytes, "bytes of a line", unit::kBytes); }
  };
  PassThrough(const Parameters& parameters, const CacheSite& site)
      : sc_module(sc_core::sc_module_name(site.name)), in_("in"), out_("out"), line_(parameters.line_bytes) {
    in_.register_nb_transport_fw(this, &PassThrough::down);
    out_.register_nb_transport_bw(this, &PassThrough::up);
  }
  AnyTarget& in(unsigned) override { return in_; }
  AnyInitiator& out() override { return out_; }
  unsigned busy() const override { return 0; }
  std::uint64_t line_bytes() const override { return line_; }
  std::uint64_t capacity() const override { return line_; }
  void invalidate() override { ++invalidations; }
  unsigned invalidations = 0, requests = 0;

 private:
  tlm::tlm_sync_enum down(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) ++requests;
    return out_->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum up(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return in_->nb_transport_bw(payload, phase, delay);
  }
  tlm_utils::simple_target_socket<PassThrough> in_;
  tlm_utils::simple_initiator_socket<PassThrough> out_;
  std::uint64_t line_;
};
HEDDLE_REGISTER(CacheLevel, PassThrough, "pass_through", "holds nothing", "this test");

/// A memory that supports only b_transport.
class Blocking final : public sc_core::sc_module, public MainMemory {
 public:
  explicit Blocking(const MainMemorySite& site) : sc_module(sc_core::sc_module_name(site.name)) {
    for (unsigned i = 0; i < site.sockets; ++i) {
      sockets_.push_back(std::make_unique<Socket>(("in" + std::to_string(i)).c_str()));
      sockets_.back()->register_b_transport(this, &Blocking::access);
    }
  }
  AnyTarget& in(unsigned i) override { return *sockets_[i]; }
  unsigned busy() const override { return 0; }
  unsigned accesses = 0;

 private:
  using Socket = tlm_utils::simple_target_socket<Blocking>;
  void access(Payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    delay += sc_core::sc_time(100, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::vector<std::unique_ptr<Socket>> sockets_;
};
HEDDLE_REGISTER(MainMemory, Blocking, "blocks", "100 ns, by b_transport", "this test");

/// A bank that allows column commands only 500 cycles after an activate.
class LateBank final : public DramBankCall {
 public:
  explicit LateBank(const DramBankSite& site) : state_(site.rules, site.one_command_row_switch) {}
  std::optional<std::uint64_t> open_row() const override { return state_.open_row(); }
  Cycle earliest(DramCommand command) const override {
    const bool column = command == DramCommand::read || command == DramCommand::write;
    return std::max(state_.earliest(command), column ? from_ : 0);
  }
  void issue(DramCommand command, std::uint64_t row, Cycle now) override {
    state_.issue(command, row, now);
    if (command == DramCommand::activate) from_ = state_.earliest(DramCommand::read) + 500;
  }

 private:
  BankState state_;
  Cycle from_ = 0;
};
HEDDLE_REGISTER(DramBankCall, LateBank, "late", "500 cycles late", "this test");

/// One SM's L1 data cache, crossbar, L2 and memory, driven by a shooter.
class PartKinds : public ::testing::Test {
 protected:
  PartKinds() { caches_.constant.present = caches_.texture.present = caches_.instruction.present = false; }
  void build() {
    owner_ = std::make_unique<StatisticsOwner>(bench_.services.statistics, "sm0", "sm");
    memory_ = std::make_unique<MemorySystem>("memory", MemoryClocks{bench_.clock, bench_.clock, bench_.clock}, system_,
                                             1, bench_.services);
    sm_ = std::make_unique<SmPlace>("sm0", bench_.clock, caches_, *owner_, bench_.services);
    shooter_ = std::make_unique<Shooter>("shooter", bench_.clock);
    links_.connect(shooter_->out(), sm_->caches.in(SmCacheKind::l1d));
    links_.connect(sm_->caches.out(), memory_->in(0));
  }
  /// Latency of one load of a machine with these parts.
  Cycle unloaded() {
    build();
    const auto load = shooter_->load(10, 0x1000);
    bench_.run_to(5000);
    EXPECT_TRUE(shooter_->all_answered());
    EXPECT_TRUE(memory_->idle());
    return shooter_->latency(load);
  }
  std::string refused() {
    try {
      build();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::configuration);
      return error.what();
    }
    return "nothing is wrong";
  }

  Bench bench_;
  SmCachesParameters caches_;
  MemorySystemParameters system_;
  std::unique_ptr<StatisticsOwner> owner_;
  std::unique_ptr<MemorySystem> memory_;
  std::unique_ptr<SmPlace> sm_;
  std::unique_ptr<Shooter> shooter_;
  CheckedConnections links_;
};

TEST_F(PartKinds, AFirstLevelCacheOfAnotherKindTakesThePlaceOfOurs) {
  caches_.l1d.cache.kind.choose("pass_through");
  build();
  for (unsigned i = 0; i < 4; ++i) shooter_->load(10 + 500 * i, 0x1000);
  shooter_->store(3000, 0x2000);
  bench_.run_to(6000);
  EXPECT_TRUE(shooter_->all_answered());
  auto& cache = dynamic_cast<PassThrough&>(*sm_->caches.cache(SmCacheKind::l1d));
  EXPECT_EQ(cache.requests, 5u);
  sm_->caches.invalidate();
  EXPECT_EQ(cache.invalidations, 1u);
}

TEST_F(PartKinds, ASliceOfTheL2OfAnotherKindTakesThePlaceOfOurs) {
  system_.l2.kind.choose("pass_through");
  EXPECT_GT(unloaded(), 0u);
  unsigned requests = 0;
  for (unsigned i = 0; i < memory_->slices(); ++i) requests += dynamic_cast<PassThrough&>(memory_->slice(i)).requests;
  EXPECT_EQ(requests, 1u);
}

TEST_F(PartKinds, AMemoryThatOnlyBlocksWorksBelowTheL2) {
  system_.main_memory.choose("blocks");
  build();
  for (unsigned i = 0; i < 20; ++i) shooter_->load(10, 0x1000 + 128 * i);
  for (unsigned i = 0; i < 20; ++i) shooter_->store(2000, 0x1000 + 128 * i);
  bench_.run_to(8000);
  EXPECT_TRUE(shooter_->all_answered());
  EXPECT_TRUE(memory_->idle());
  unsigned accesses = 0;
  for (unsigned i = 0; i < memory_->memories(); ++i) accesses += dynamic_cast<Blocking&>(memory_->memory(i)).accesses;
  EXPECT_EQ(accesses, 20u);
  EXPECT_FALSE(memory_->has_banks());
}

TEST_F(PartKinds, ABankOfAnotherKindDelaysALoadByWhatItSays) {
  system_.controller.bank.choose("late");
  // 34 of the L1 data cache, 120 + 100 of the L2, and the rest of an unloaded miss, of
  // AnUnloadedMissIsTheSumOfItsParts.
  const Cycle late = unloaded();
  EXPECT_GE(late, 500u + 34 + 120 + 100);
  EXPECT_LT(late, 500u + 34 + 120 + 100 + 100);
}

TEST_F(PartKinds, LinesThatAreNoPowerOfTwoAreRefusedByTheirKey) {
  caches_.l1d.cache.kind.choose("pass_through");
  caches_.l1d.cache.kind.settings<PassThrough::Parameters>("pass_through").line_bytes = 48;
  EXPECT_EQ(refused(),
            "caches.l1d.kind: \"pass_through\" has lines of 48 bytes; they must be a power of two from 16 to 512");
}

TEST_F(PartKinds, LinesThatSpanSlicesAreRefusedByTheirKey) {
  system_.l2.kind.choose("pass_through");
  system_.l2.kind.settings<PassThrough::Parameters>("pass_through").line_bytes = 512;
  EXPECT_EQ(
      refused(),
      "memory.l2.kind: \"pass_through\" has lines of 512 bytes, but memory.map interleaves slices every 256 bytes");
}

TEST_F(PartKinds, AKindThatNobodyRegisteredIsRefusedByItsKey) {
  caches_.l1d.cache.kind.choose("nothing");
  EXPECT_EQ(refused(), "caches.l1d.kind: no cache is called \"nothing\"");
}

}  // namespace
}  // namespace heddle::memory
