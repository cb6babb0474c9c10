// SPDX-License-Identifier: Apache-2.0
#include "curand/generator.h"

#include <curand_kernel.h>

#include <random>
#include <vector>

namespace heddle::random {

namespace {

/// Mersenne twister (Matsumoto and Nishimura 1998), with the state interface the distributions need.
struct MersenneState {
  std::mt19937 engine;
};
unsigned curand(MersenneState* state) { return static_cast<unsigned>(state->engine()); }

/// Interleaves lanes that are far apart in one sequence: output n is number n / lanes of lane n % lanes. Normal pairs,
/// doubles and Poisson numbers each draw as many numbers as they need from their lane.
template <class State>
class Lanes : public Generator {
 public:
  void bits(std::span<unsigned> out) override {
    fill(out, [](State* lane) { return curand(lane); });
  }
  void uniform(std::span<float> out) override {
    fill(out, [](State* lane) { return curand_uniform(lane); });
  }
  void uniform(std::span<double> out) override {
    fill(out, [](State* lane) { return curand_uniform_double(lane); });
  }
  void normal(std::span<float> out, float mean, float deviation) override {
    fill_pairs(out, mean, deviation, [](State* lane) { return heddle_curand::normal_pair(lane); });
  }
  void normal(std::span<double> out, double mean, double deviation) override {
    fill_pairs(out, mean, deviation, [](State* lane) { return heddle_curand::normal_pair_double(lane); });
  }
  void poisson(std::span<unsigned> out, double lambda) override {
    fill(out, [lambda](State* lane) { return curand_poisson(lane, lambda); });
  }

 protected:
  /// Takes lanes positioned at the start of their part of the sequence.
  void begin(std::vector<State> lanes) {
    lanes_ = std::move(lanes);
    next_ = 0;
  }
  State* take() {
    State* lane = &lanes_[next_];
    if (++next_ == lanes_.size()) next_ = 0;
    return lane;
  }

 private:
  template <class T, class Draw>
  void fill(std::span<T> out, Draw&& draw) {
    for (T& value : out) value = draw(take());
  }
  template <class T, class Draw>
  void fill_pairs(std::span<T> out, T mean, T deviation, Draw&& draw) {
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) {
      const auto pair = draw(take());
      out[i] = mean + deviation * pair.x;
      out[i + 1] = mean + deviation * pair.y;
    }
  }

  std::vector<State> lanes_;
  std::size_t next_ = 0;
};

constexpr unsigned kLanes = 4096;  // cuRAND's documentation, order of results of XORWOW and MRG32k3a

void next_lane(curandStateXORWOW_t* state) { skipahead_sequence(1, state); }
void next_lane(curandStateMRG32k3a_t* state) { skipahead_subsequence(1, state); }

template <class State>
class FarLanes final : public Lanes<State> {
 public:
  void start(const SequenceOptions& options) override {
    std::vector<State> lanes(kLanes);
    const bool seeded = options.ordering == CURAND_ORDERING_PSEUDO_SEEDED;
    curand_init(options.seed, 0, options.offset / kLanes, &lanes[0]);
    for (unsigned i = 1; i < kLanes; ++i) {
      if (seeded) {
        curand_init(heddle_curand::seed_word(options.seed, i), 0, options.offset / kLanes, &lanes[i]);
      } else {
        lanes[i] = lanes[i - 1];
        next_lane(&lanes[i]);
      }
    }
    this->begin(std::move(lanes));
    for (unsigned i = 0; i < options.offset % kLanes; ++i) curand(this->take());
  }
};

class Philox final : public Lanes<curandStatePhilox4_32_10_t> {
 public:
  void start(const SequenceOptions& options) override {
    std::vector<curandStatePhilox4_32_10_t> lane(1);
    curand_init(options.seed, 0, options.offset, &lane[0]);
    begin(std::move(lane));
  }
};

class Mersenne final : public Lanes<MersenneState> {
 public:
  bool takes_offset() const override { return false; }
  void start(const SequenceOptions& options) override {
    const auto low = static_cast<std::uint32_t>(options.seed), high = static_cast<std::uint32_t>(options.seed >> 32);
    std::vector<MersenneState> lane(1);
    if (high == 0) {
      lane[0].engine.seed(low);
    } else {
      std::seed_seq words{low, high};
      lane[0].engine.seed(words);
    }
    begin(std::move(lane));
  }
};

}  // namespace

std::unique_ptr<Generator> make_generator(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
      return std::make_unique<FarLanes<curandStateXORWOW_t>>();
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return std::make_unique<FarLanes<curandStateMRG32k3a_t>>();
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return std::make_unique<Philox>();
    case CURAND_RNG_PSEUDO_MT19937:
      return std::make_unique<Mersenne>();
    default:
      return nullptr;
  }
}

}  // namespace heddle::random
