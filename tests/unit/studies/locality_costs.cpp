// SPDX-License-Identifier: Apache-2.0
// Storage and logic of locality scheduling, as declared by the machines of the presets, and the caches beside them.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.1, 2.5.1, 4.1 and 8.
#include "declared.h"
#include "locality_targets.h"
#include "sm/scheduling/locality/divergence_parameters.h"
#include "sm/scheduling/locality/lost_locality_scores.h"

namespace heddle::studies {
namespace {

Declared& conscious() { return declared_with_l1d("ccws"); }
Declared& detecting() { return declared_with_l1d("daws-detected"); }
Declared& profiled() { return declared_with_l1d("daws-profiled"); }

double field_bits(const Structure& structure, const std::string& name) {
  for (const StructureField& field : structure.fields()) {
    if (field.name == name) return static_cast<double>(field.bits);
  }
  throw std::out_of_range(name);
}
/// Bits of some fields of all entries.
double bits_of(const Structure& structure, std::initializer_list<const char*> fields) {
  double bits = 0;
  for (const char* field : fields) bits += 1.0 * structure.entries() * field_bits(structure, field);
  return bits;
}
const Structure& victim_tags() { return conscious().structure("victim_tags.tags"); }
const Structure& owners() { return conscious().structure("victim_tags.line_owner"); }
const Structure& scores() { return conscious().structure("veto0.scores"); }
double tag_bits() { return bits_of(victim_tags(), {"tag"}); }
double counter_bits() {
  return bits_of(conscious().structure("veto0.lost_total"), {"count"}) +
         bits_of(conscious().structure("veto0.issued_total"), {"count"});
}
sm::LostLocalityParameters usual() { return {}; }
double largest_score() { return (1u << usual().score_bits) - 1; }

gpu::MachineParameters machine() { return machine_of("ccws"); }
const memory::CacheParameters& l1_of(const gpu::MachineParameters& of) {
  return of.gpu.sm_classes.front().caches.l1d.cache;
}
double l2_slice_bytes(const gpu::MachineParameters& of) {
  const memory::TagArrayParameters& tags = of.memory.l2.tags;
  return 1.0 * tags.sets * tags.ways * tags.line_bytes;
}

void add_victim_costs(Evaluations& targets) {
  targets["ccws.cost.vta-area-chip-check"] = [] {
    return rounded(machine().gpu.sm_classes.front().count * source_of("ccws.cost.vta-area-core"), 2);
  };
  targets["ccws.cost.wid-bits"] = [] { return field_bits(owners(), "warp"); };
  targets["ccws.cost.wid-bytes"] = [] { return static_cast<double>(owners().bits()) / 8; };
  targets["ccws.cost.wid-bits-total"] = [] { return static_cast<double>(owners().bits()); };
  for (const char* name : {"ccws.cost.vta-tag-bits", "ccws.cost.vta-tag-bits-check"})
    targets[name] = [] { return field_bits(victim_tags(), "tag"); };
  targets["ccws.cost.vta-entries"] = [] { return victim_tags().entries(); };
  targets["ccws.cost.vta-sets-per-warp"] = [] {
    return 1.0 * conscious().structure("victim_tags.order").entries() / conscious().warps();
  };
  targets["ccws.cost.vta-bits"] = tag_bits;
  targets["ccws.cost.vta-bytes"] = [] { return tag_bits() / 8; };
  targets["ccws.cost.lls-bits"] = [] { return field_bits(scores(), "score"); };
  targets["ccws.cost.lls-count"] = [] { return scores().entries(); };
  targets["ccws.cost.lls-bits-total"] = [] { return static_cast<double>(scores().bits()); };
  targets["ccws.cost.counters"] = [] {
    return conscious().structure("veto0.lost_total").entries() + conscious().structure("veto0.issued_total").entries();
  };
  targets["ccws.cost.total-bytes"] = [] {
    return (tag_bits() + static_cast<double>(owners().bits() + scores().bits()) + counter_bits()) / 8;
  };
  targets["ccws.rtl.fifo-pointer-bits"] = [] { return field_bits(conscious().structure("victim_tags.order"), "ways"); };
  targets["ccws.rtl.vta-comparators"] = [] {
    return 1.0 * victim_tags().entries() / conscious().structure("victim_tags.order").entries();
  };
  targets["ccws.rtl.prefix-sum-max"] = [] { return conscious().warps() * largest_score(); };
  targets["ccws.rtl.prefix-sum-bits"] = [] { return field_bits(conscious().structure("veto0.prefix_sum"), "sum"); };
  targets["ccws.rtl.cutoff-max"] = [] { return 1.0 * conscious().warps() * usual().base_score; };
  targets["ccws.rtl.cutoff-bits"] = [] { return index_bits(conscious().warps() * usual().base_score + 1); };
}

void add_base(Evaluations& targets) {
  targets["ccws.base.l1d-lines"] = [] {
    const gpu::MachineParameters of = machine();
    return l1_of(of).tags.sets * l1_of(of).tags.ways;
  };
  targets["ccws.base.l1d-sets"] = [] { return l1_of(machine()).tags.sets; };
  targets["ccws.base.l2-sets-per-slice"] = [] { return machine().memory.l2.tags.sets; };
  targets["ccws.base.l2-total"] = [] {
    const gpu::MachineParameters of = machine();
    return of.memory.map.controllers * l2_slice_bytes(of) / 1024;
  };
  targets["ccws.base.warps-per-core"] = [] { return conscious().warps(); };
}

void add_footprint_costs(Evaluations& targets) {
  targets["daws.cost.footprint-entries"] = [] { return detecting().structure("load_scheduler.footprints").entries(); };
  targets["daws.cost.footprint-table-bytes"] = [] {
    return bits_of(detecting().structure("load_scheduler.footprints"), {"lines", "loop"}) / 8;
  };
  targets["daws.cost.slct-entries-profiled"] = [] { return profiled().structure("load_classes.table").entries(); };
  targets["daws.cost.slct-bytes"] = [] {
    return static_cast<double>(detecting().structure("load_classifier.classes").bits()) / 8;
  };
  targets["daws.cost.ilrd-entries"] = [] { return detecting().structure("load_classifier.repetitions").entries(); };
  targets["daws.cost.ilrd-sets"] = [] { return sm::DivergenceAwareParameters().repetition_sets; };
  targets["daws.cost.ilrd-tag-bits"] = [] {
    return field_bits(detecting().structure("load_classifier.repetitions"), "tag");
  };
  targets["daws.cost.ilrd-bytes"] = [] {
    return static_cast<double>(detecting().structure("load_classifier.repetitions").bits()) / 8;
  };
  targets["daws.cost.footprint-bits"] = [] {
    return field_bits(detecting().structure("load_scheduler.footprints"), "lines");
  };
  targets["daws.da3.eff-bits"] = [] {
    return field_bits(detecting().structure("load_scheduler.effective_lines"), "lines");
  };
}

}  // namespace

void add_locality_costs(Evaluations& targets) {
  add_victim_costs(targets);
  add_base(targets);
  add_footprint_costs(targets);
}

}  // namespace heddle::studies
