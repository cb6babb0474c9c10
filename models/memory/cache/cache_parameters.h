// SPDX-License-Identifier: Apache-2.0
// Parameters of a cache: they make it an L1, a constant, texture or instruction cache, or an L2 slice.
#pragma once

#include "core/config/mechanism.h"
#include "memory/cache/miss_table.h"
#include "memory/cache/tag_array.h"

namespace heddle::memory {

class CacheLevel;

enum class WritePolicy : std::uint8_t { write_through, write_back };
/// Time at which a fetched line is allocated and its victim evicted.
enum class Allocate : std::uint8_t { on_miss, on_fill };
/// Effect of a write-through store on the line it hits.
enum class StoreHit : std::uint8_t { update, evict };

struct CacheParameters {
  Mechanism<CacheLevel> kind{"set_associative"};
  TagArrayParameters tags;
  MissTableParameters miss_table;

  unsigned lookup_latency = 1;
  unsigned data_latency = 0;
  unsigned miss_latency = 0;
  unsigned fill_latency = 1;

  unsigned ports = 1;
  unsigned banks = 1;
  unsigned data_bytes_per_cycle = 0;
  unsigned fill_bytes_per_cycle = 0;
  unsigned input_queue = 2;
  unsigned miss_queue = 8;
  unsigned reply_queue = 8;

  WritePolicy global_store = WritePolicy::write_through;
  WritePolicy local_store = WritePolicy::write_back;
  StoreHit store_hit = StoreHit::evict;
  Allocate allocate = Allocate::on_miss;
  bool allocate_on_store = false;
  bool fetch_on_whole_store = false;
  bool read_only = false;
  bool executes_atomics = false;
  unsigned atomic_interval = 1;
  bool owner_follows_merge = false;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

}  // namespace heddle::memory
