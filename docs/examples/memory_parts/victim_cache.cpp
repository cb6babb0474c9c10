// SPDX-License-Identifier: Apache-2.0
// A first-level cache with a victim buffer: direct-mapped, and what a line displaces stays in a few places beside, looked
// up at the same time. Stores and atomics are written through. An ordinary TLM-2.0 module: nb_transport both ways, events
// of the kernel, no clock of Heddle's but for the length of a cycle.
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "memory/cache/cache_level.h"

namespace {

using heddle::AccessKind;
using heddle::RequestInfo;
using heddle::memory::AnyInitiator;
using heddle::memory::AnyTarget;
using Payload = tlm::tlm_generic_payload;

class VictimCache final : public sc_core::sc_module, public heddle::memory::CacheLevel {
 public:
  struct Parameters {
    unsigned lines = 128, line_bytes = 128, victims = 4, hit_cycles = 20;

    void describe(heddle::ParameterVisitor& v) {
      v("lines", lines, "lines of the direct-mapped part", heddle::unit::kEntries, heddle::power_of_two(1, 65536));
      v("line_bytes", line_bytes, "bytes of a line", heddle::unit::kBytes, heddle::power_of_two(16, 512));
      v("victims", victims, "places for displaced lines", heddle::unit::kEntries, heddle::range(0, 64));
      v("hit_cycles", hit_cycles, "arrival of a request to its look-up", heddle::unit::kCycles,
        heddle::range(1, 1000));
    }
  };

  VictimCache(const Parameters& parameters, const heddle::memory::CacheSite& site)
      : sc_module(sc_core::sc_module_name(site.name)),
        in_("in"),
        out_("out"),
        parameters_(parameters),
        look_up_time_(site.domain.time_of(parameters.hit_cycles)),
        tags_(parameters.lines, kFree),
        statistics_(site.statistics),
        hits_(statistics_, "victim_hits", "reads that found their line among the displaced", heddle::unit::kRequests),
        misses_(statistics_, "misses", "lines fetched", heddle::unit::kRequests) {
    in_.register_nb_transport_fw(this, &VictimCache::from_above);
    in_.register_b_transport(this, &VictimCache::at_once);
    in_.register_transport_dbg(this, &VictimCache::debug);
    out_.register_nb_transport_bw(this, &VictimCache::from_below);
  }

  // What a machine asks.
  AnyTarget& in(unsigned) override { return in_; }
  AnyInitiator& out() override { return out_; }
  std::uint64_t line_bytes() const override { return parameters_.line_bytes; }
  std::uint64_t capacity() const override {
    return std::uint64_t{parameters_.lines + parameters_.victims} * parameters_.line_bytes;
  }
  unsigned busy() const override { return open_; }
  void invalidate() override {
    std::fill(tags_.begin(), tags_.end(), kFree);
    victims_.clear();
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  // 1. A request comes: taken at once, looked up after hit_cycles.
  tlm::tlm_sync_enum from_above(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      replying_ = nullptr;
      payload.release();
      reply_next();
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    ++open_;
    look_ups_.notify(payload, phase, delay + look_up_time_);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  // 2. Its look-up: a reply, fetches of the lines that are absent, or the request itself goes below.
  void look_up(Payload& payload, const tlm::tlm_phase&) {
    const RequestInfo& info = *RequestInfo::of(payload);  // every request of a machine has one
    const std::uint64_t first = payload.get_address() / parameters_.line_bytes;
    const std::uint64_t last =
        (payload.get_address() + std::max(1u, payload.get_data_length()) - 1) / parameters_.line_bytes;
    const bool changes =
        payload.is_write() || info.kind == AccessKind::atomic || info.kind == AccessKind::reduction;
    // What other SMs may have written is for the level below to know.
    if (changes || info.coherent) {
      for (std::uint64_t line = first; line <= last; ++line) drop(line);
      waits_for_[&payload] = 1;
      return send(payload, payload.get_address(), payload.get_data_length(), kFree);
    }
    unsigned absent = 0;
    for (std::uint64_t line = first; line <= last; ++line) absent += find(line) ? 0 : 1;
    if (absent == 0) return answer(payload);
    waits_for_[&payload] = absent;
    for (std::uint64_t line = first; line <= last; ++line) {
      if (find(line)) continue;
      ++misses_;
      send(payload, line * parameters_.line_bytes, parameters_.line_bytes, line);
    }
  }

  /// Whether a line is here; one that was displaced moves back.
  bool find(std::uint64_t line) {
    if (tags_[line % tags_.size()] == line) return true;
    const auto victim = std::find(victims_.begin(), victims_.end(), line);
    if (victim == victims_.end()) return false;
    ++hits_;
    victims_.erase(victim);
    fill(line);
    return true;
  }
  void fill(std::uint64_t line) {
    std::uint64_t& place = tags_[line % tags_.size()];
    if (place != kFree && place != line) {
      victims_.push_back(place);
      if (victims_.size() > parameters_.victims) victims_.pop_front();
    }
    place = line;
  }
  void drop(std::uint64_t line) {
    std::uint64_t& place = tags_[line % tags_.size()];
    if (place == line) place = kFree;
    victims_.erase(std::remove(victims_.begin(), victims_.end(), line), victims_.end());
  }

  // 3. Requests below, one at a time until each is accepted. What they say of themselves is what caused them says.
  void send(Payload& cause, std::uint64_t address, unsigned bytes, std::uint64_t line) {
    Payload& below = pool_.take(line == kFree ? cause.get_command() : tlm::TLM_READ_COMMAND, address, bytes);
    RequestInfo& info = *RequestInfo::of(below);
    info = *RequestInfo::of(cause);
    info.route = 0;
    causes_[&below] = {&cause, line};
    waiting_.push_back(&below);
    send_next();
  }
  void send_next() {
    while (requesting_ == nullptr && !waiting_.empty()) {
      Payload& payload = *waiting_.front();
      waiting_.pop_front();
      requesting_ = &payload;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      const auto answer = out_->nb_transport_fw(payload, phase, delay);
      if (answer == tlm::TLM_COMPLETED) {
        requesting_ = nullptr;
        replies_.notify(payload, tlm::BEGIN_RESP, delay);
      } else if (answer == tlm::TLM_UPDATED) {
        (void)from_below(payload, phase, delay);
        if (phase == tlm::BEGIN_RESP) {
          phase = tlm::END_RESP;
          out_->nb_transport_fw(payload, phase, delay);
        }
      }
    }
  }

  // 4. Replies from below: the line is here, and who waited for all of its lines is answered.
  tlm::tlm_sync_enum from_below(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (requesting_ == &payload) {
      requesting_ = nullptr;
      accepted_.notify(delay);
    }
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    replies_.notify(payload, phase, delay);
    return tlm::TLM_COMPLETED;
  }
  void arrived(Payload& payload, const tlm::tlm_phase&) {
    const auto [cause, line] = causes_.at(&payload);
    causes_.erase(&payload);
    const tlm::tlm_response_status status = payload.get_response_status();
    payload.release();
    if (line != kFree && status == tlm::TLM_OK_RESPONSE) fill(line);
    if (status != tlm::TLM_OK_RESPONSE) cause->set_response_status(status);
    if (--waits_for_.at(cause) != 0) return;
    waits_for_.erase(cause);
    answer(*cause);
  }

  // 5. Replies above, one at a time.
  void answer(Payload& payload) {
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    answers_.push_back(&payload);
    reply_next();
  }
  void reply_next() {
    while (replying_ == nullptr && !answers_.empty()) {
      Payload& payload = *answers_.front();
      answers_.pop_front();
      --open_;
      replying_ = &payload;
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      const auto taken = in_->nb_transport_bw(payload, phase, delay);
      if (taken == tlm::TLM_ACCEPTED) return;
      replying_ = nullptr;
      payload.release();
    }
  }

  // Untimed access passes.
  void at_once(Payload& payload, sc_core::sc_time& delay) { out_->b_transport(payload, delay); }
  unsigned debug(Payload& payload) { return out_->transport_dbg(payload); }

  tlm_utils::simple_target_socket<VictimCache> in_;
  tlm_utils::simple_initiator_socket<VictimCache> out_;
  Parameters parameters_;
  sc_core::sc_time look_up_time_;
  std::vector<std::uint64_t> tags_;
  std::deque<std::uint64_t> victims_;  // the oldest first
  heddle::PayloadPool pool_;
  struct Cause {
    Payload* request;
    std::uint64_t line;  // kFree: the request itself
  };
  std::map<const Payload*, Cause> causes_;          // of requests below
  std::map<const Payload*, unsigned> waits_for_;  // requests above: answers from below to come
  std::deque<Payload*> waiting_, answers_;
  Payload* requesting_ = nullptr;
  Payload* replying_ = nullptr;
  unsigned open_ = 0;
  tlm_utils::peq_with_cb_and_phase<VictimCache> look_ups_{this, &VictimCache::look_up};
  tlm_utils::peq_with_cb_and_phase<VictimCache> replies_{this, &VictimCache::arrived};
  sc_core::sc_event accepted_;
  heddle::StatisticsGroup statistics_;
  heddle::Counter hits_, misses_;

  SC_HAS_PROCESS(VictimCache);
  void before_end_of_elaboration() override {
    SC_METHOD(send_next);
    sensitive << accepted_;
    dont_initialize();
  }
};

HEDDLE_REGISTER(heddle::memory::CacheLevel, VictimCache, "victim", "direct-mapped, with a buffer of displaced lines",
                "docs/guide-memory-kind.md");

}  // namespace
