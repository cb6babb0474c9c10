// SPDX-License-Identifier: Apache-2.0
#include "memory/locality/references.h"

#include <bit>
#include <unordered_map>

namespace heddle::memory {
namespace {

class Builder {
 public:
  Builder(const TracedKernel& kernel, const TracedCache& cache, unsigned line_bytes)
      : kernel_(kernel), cache_(cache), line_bytes_(line_bytes), line_bits_(std::countr_zero(line_bytes)) {}

  std::vector<Reference> build(const TracedSm& sm) {
    std::uint32_t number = 0;
    for (const TracedAccess& access : sm.accesses) {
      if (access.kind != TracedKind::barrier && access.kind != TracedKind::passed_load) add(access, number);
      ++number;
    }
    find_trips(sm);
    find_next_uses();
    return std::move(references_);
  }

 private:
  void add(const TracedAccess& access, std::uint32_t number) {
    const std::uint64_t first = access.address >> line_bits_;
    if (line_bytes_ >= cache_.line_bytes) return append(access, number, first);
    const unsigned sectors = line_bytes_ / kTracedSectorBytes, parts = cache_.line_bytes / line_bytes_;
    const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << sectors) - 1);
    for (unsigned part = 0; part < parts; ++part) {
      if ((access.sectors >> (part * sectors) & mask) != 0) append(access, number, first + part);
    }
  }

  void append(const TracedAccess& access, std::uint32_t number, std::uint64_t line) {
    if (line_bytes_ > cache_.line_bytes) {
      if (instruction_ != access.instruction) of_instruction_.clear();
      instruction_ = access.instruction;
      const auto [place, fresh] = of_instruction_.try_emplace(line, references_.size());
      if (!fresh) {
        references_[place->second].lanes |= access.lanes;
        return;
      }
    }
    references_.push_back({line, access.warp, access.place, access.lanes, number, access.kind});
  }

  void find_trips(const TracedSm& sm) {
    struct Touch {
      std::int32_t loop;
      std::uint32_t trip;
    };
    std::vector<std::unordered_map<std::uint64_t, Touch>> touched(sm.warps.size());
    for (Reference& one : references_) {
      if (one.kind != TracedKind::load) continue;
      const Touch now{kernel_.places[one.place].loop, sm.accesses[one.access].trip};
      const auto [found, fresh] = touched[one.warp].try_emplace(one.line, now);
      if (now.loop >= 0) one.trip = TripClass::other;
      if (fresh) continue;
      const Touch before = found->second;
      if (now.loop >= 0 && before.loop == now.loop) {
        if (before.trip == now.trip) one.trip = TripClass::this_trip;
        if (before.trip + 1 == now.trip) one.trip = TripClass::last_trip;
      }
      found->second = now;
    }
  }

  void find_next_uses() {
    std::unordered_map<std::uint64_t, TracePosition> next;
    for (std::size_t i = references_.size(); i-- > 0;) {
      Reference& one = references_[i];
      const auto found = next.find(one.line);
      one.next_use = found != next.end() ? found->second : kNoUse;
      if (one.kind == TracedKind::load || cache_.effect_of(one.kind) == StoreEffect::allocates) {
        next[one.line] = i;
      } else if (cache_.effect_of(one.kind) == StoreEffect::invalidates) {
        next.erase(one.line);
      }
    }
  }

  const TracedKernel& kernel_;
  const TracedCache& cache_;
  const unsigned line_bytes_;
  const int line_bits_;
  std::vector<Reference> references_;
  std::uint32_t instruction_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> of_instruction_;  // by line: its reference
};

}  // namespace

std::vector<Reference> references_of(const TracedSm& sm, const TracedKernel& kernel, const TracedCache& cache,
                                     unsigned line_bytes) {
  return Builder(kernel, cache, line_bytes).build(sm);
}

}  // namespace heddle::memory
