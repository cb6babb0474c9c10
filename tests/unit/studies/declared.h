// SPDX-License-Identifier: Apache-2.0
// Declared structures of the machines of presets.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <systemc>

#include "gpu/gpu.h"
#include "machine_of.h"
#include "tests/module/sm/cached_side.h"
#include "tests/module/sm/sm_fixture.h"

namespace heddle::studies {

/// Structures of a machine that does not run, so that a process can have many.
class Declared final : public sc_core::sc_module {
 public:
  /// l1d: with the L1 data cache, whose size some structures follow.
  Declared(sc_core::sc_module_name name, const std::string& preset, const std::vector<std::string>& settings, bool l1d)
      : sc_module(name), machine_(machine_of(preset, settings).gpu, l1d) {}
  /// Of the SM; null if there is none.
  const Structure* find(const std::string& name) const {
    for (const Structure* structure : machine_.structures().all()) {
      if (structure->name() == "sm0." + name) return structure;
    }
    return nullptr;
  }
  const Structure& structure(const std::string& name) const {
    const Structure* const found = find(name);
    if (found == nullptr) throw std::out_of_range(name);
    return *found;
  }
  /// Storage and logic.
  double all_bits() const {
    double bits = 0;
    for (const Structure* structure : machine_.structures().all())
      bits += structure->view() ? 0 : static_cast<double>(structure->bits());
    return bits;
  }
  unsigned warps() { return machine_.core().residency.threads / machine_.core().warp_size; }

 private:
  class Machine final : public SmTest {
   public:
    Machine(const gpu::GpuParameters& parameters, bool l1d) {
      parameters_ = parameters;
      if (!l1d) {
        build();
        return;
      }
      parameters_.sm_classes.front().count = 1;
      build_on(cached_side(memory_latency_, parameters.sm_classes.front().caches.l1d.cache, services_));
    }
    const Structures& structures() const { return services_.structures; }
    const sm::SmParameters& core() { return sm(); }

   private:
    void TestBody() override {}
  };
  Machine machine_;
};

/// One machine for each preset and settings of a process.
inline Declared& declared(const std::string& preset, const std::vector<std::string>& settings = {}, bool l1d = false) {
  static std::map<std::string, std::unique_ptr<Declared>> machines;
  std::string name = preset + (l1d ? "+l1d" : "");
  for (const std::string& setting : settings) name += "_" + setting;
  auto& machine = machines[name];
  if (!machine) {
    const std::string module = "machine" + std::to_string(machines.size());
    machine = std::make_unique<Declared>(module.c_str(), preset, settings, l1d);
  }
  return *machine;
}
inline Declared& declared_with_l1d(const std::string& preset) { return declared(preset, {}, true); }

}  // namespace heddle::studies
