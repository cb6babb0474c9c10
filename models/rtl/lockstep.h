// SPDX-License-Identifier: Apache-2.0
// Lockstep comparison: model and RTL receive the same request in every call. The first difference ends the run with a
// message that names block, cycle, inputs and both outputs, and leaves a waveform of the last calls.
//
// A struct describes a block:
//
//   struct PackerBlock {
//     using Unit = sm::SubwarpPacker;  using Request = ...;  using Answer = ...;  using Shape = sm::PackerShape;
//     static Answer ask(Unit&, const Request&);
//     static std::vector<PortValue> inputs(const Shape&, const Request&);    // order and widths are constant
//     static std::vector<PortValue> outputs(const Shape&, const Answer&);
//   };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sm/blocks/block_site.h"

namespace heddle::rtl {

struct PortValue {
  std::string name;
  unsigned width = 1;                ///< bits
  std::vector<std::uint64_t> words;  ///< (width + 63) / 64 words, lowest first
};

struct ComparedCall {
  Cycle cycle = 0;
  std::vector<PortValue> inputs, model, rtl;
};

/// calls: oldest first; the last one differs. Throws Error(kDifference).
[[noreturn]] void report_difference(const sm::BlockSite& site, const std::vector<ComparedCall>& calls);

/// The counter of calls in which RTL and model agreed, `lockstep.<block>.agreed`. The site has statistics.
Counter agreed_calls(const sm::BlockSite& site);

template <typename Block>
class LockstepHistory {
 public:
  using Unit = typename Block::Unit;
  using Request = typename Block::Request;
  using Answer = typename Block::Answer;
  using Shape = typename Block::Shape;

  /// Calls shown in the waveform.
  static constexpr std::size_t kCalls = 64;

  LockstepHistory(Shape shape, sm::BlockSite site, std::unique_ptr<Unit> model, std::unique_ptr<Unit> rtl)
      : shape_(shape), site_(std::move(site)), model_(std::move(model)), rtl_(std::move(rtl)) {
    if (site_.statistics != nullptr) agreed_.emplace(agreed_calls(site_));
  }

  /// The common answer. Throws Error(kDifference) if the two differ.
  const Answer& ask(const Request& request) {
    Call& call = calls_[count_++ % kCalls];
    call.cycle = site_.clock.now();
    call.request = request;
    call.model = Block::ask(*model_, request);
    call.rtl = Block::ask(*rtl_, request);
    if (!(call.model == call.rtl)) report();
    if (agreed_) ++*agreed_;
    return call.rtl;
  }

 private:
  struct Call {
    Cycle cycle;
    Request request;
    Answer model, rtl;
  };

  [[noreturn, gnu::cold, gnu::noinline]] void report() const {
    std::vector<ComparedCall> compared;
    for (std::size_t i = count_ < kCalls ? 0 : count_ - kCalls; i < count_; ++i) {
      const Call& call = calls_[i % kCalls];
      compared.push_back({call.cycle, Block::inputs(shape_, call.request), Block::outputs(shape_, call.model),
                          Block::outputs(shape_, call.rtl)});
    }
    report_difference(site_, compared);
  }

  Shape shape_;
  sm::BlockSite site_;
  std::unique_ptr<Unit> model_, rtl_;
  std::array<Call, kCalls> calls_{};
  std::size_t count_ = 0;
  std::optional<Counter> agreed_;
};

}  // namespace heddle::rtl
