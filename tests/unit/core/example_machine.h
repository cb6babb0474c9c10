// SPDX-License-Identifier: Apache-2.0
// A small machine description with every kind of parameter, for tests of the configuration.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/mechanism.h"

namespace heddle::example {

enum class Replacement { lru, random };

class Policy {
 public:
  using MakeArguments = void(int);
  virtual ~Policy() = default;
  virtual int answer() const = 0;
};

class Greedy final : public Policy {
 public:
  struct Parameters {
    unsigned patience = 3;
    void describe(ParameterVisitor& v) {
      v("patience", patience, "cycles it stays with a context", unit::kCycles, range(1, 9));
    }
  };
  Greedy(const Parameters& parameters, int base) : answer_(base + static_cast<int>(parameters.patience)) {}
  int answer() const override { return answer_; }

 private:
  int answer_;
};

class Loose final : public Policy {
 public:
  explicit Loose(int base) : answer_(base) {}
  int answer() const override { return answer_; }

 private:
  int answer_;
};

class Veto {
 public:
  virtual ~Veto() = default;
  virtual std::string name() const = 0;
};

class Limit final : public Veto {
 public:
  struct Parameters {
    unsigned warps = 4;
    void describe(ParameterVisitor& v) { v("warps", warps, "warps let through", unit::kWarps, range(1, 48)); }
  };
  explicit Limit(const Parameters& parameters) : warps_(parameters.warps) {}
  std::string name() const override { return "limit " + std::to_string(warps_); }

 private:
  unsigned warps_;
};

class Nothing final : public Veto {
 public:
  std::string name() const override { return "nothing"; }
};

struct Cache {
  unsigned sets = 32, ways = 4;
  Replacement replacement = Replacement::lru;
  std::optional<unsigned> capacity;
  void describe(ParameterVisitor& v) {
    v("sets", sets, "sets of the cache", unit::kSets, power_of_two(1, 1 << 20));
    v("ways", ways, "lines of a set", unit::kWays, range(1, 64), "example, 4");
    v("replacement", replacement, "which way of a set is given up",
      choices<Replacement>({{"lru", Replacement::lru, "least recently used"}, {"random", Replacement::random, "any"}}));
    v("capacity", capacity, "queue entries; derived when null", unit::kEntries, range(1, 64));
  }
  void check(ParameterChecks& c) const {
    c.require(sets * ways <= 4096, "sets", "times ways is at most 4096 lines; make one smaller");
  }
};

inline constexpr const char* kClassNames[] = {"integer", "float", "special"};

struct Sm {
  unsigned warp_size = 32;
  bool bypass = false;
  std::array<unsigned, 3> latency{10, 18, 40};
  Cache l1;
  Mechanism<Policy> order{"loose"};
  MechanismList<Veto> vetoes;
  unsigned shared_bytes = 16384;
  void describe(ParameterVisitor& v) {
    v("warp_size", warp_size, "threads of a warp", unit::kThreads, power_of_two(4, 256));
    v("bypass", bypass, "results skip the register file");
    v.table("latency", latency, kClassNames, "issue to dependent issue", unit::kCycles, range(1, 1000));
    v("l1", l1, "first-level data cache");
    v("order", order, "who issues next");
    v("vetoes", vetoes, "who may not issue");
    v("shared_bytes", shared_bytes, "size of shared memory", unit::kBytes, range(0, 1 << 20));
  }
};

struct SmClass {
  unsigned count = 1;
  std::string name = "sm";
  Sm sm;
  void describe(ParameterVisitor& v) {
    v("count", count, "SMs of this class", unit::kUnits, range(1, 128));
    v("name", name, "what statistics call the class");
    v("sm", sm, "the SM");
  }
};

struct Gpu {
  std::vector<SmClass> sm_classes{SmClass{}};
  double clock_mhz = 700;
  std::vector<int> offsets{-1, 2};
  void describe(ParameterVisitor& v) {
    v("sm_classes", sm_classes, "classes of SMs");
    v("clock", clock_mhz, "core clock", unit::kMegahertz, range(1, 10000));
    v("offsets", offsets, "signed offsets", unit::kBytes, range(-8, 8));
  }
};

struct Machine {
  std::uint64_t seed = 1;
  Gpu gpu;
  void describe(ParameterVisitor& v) {
    v("seed", seed, "source of all randomness");
    v("gpu", gpu, "the GPU");
  }
};

}  // namespace heddle::example
