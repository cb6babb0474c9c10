// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison.h"
#include "core/json.h"

namespace heddle::compare {
namespace {

/// Schema version; incremented when a member changes its meaning or is removed.
constexpr std::uint64_t kSchemaVersion = 1;

void write_differences(const char* key, const std::vector<Difference>& differences, JsonWriter& out) {
  out.key(key).begin_array();
  for (const Difference& difference : differences) {
    out.begin_object(true).member("what", difference.what).key("values").begin_array(true);
    for (const std::string& value : difference.values) {
      if (value.empty()) {
        out.raw("null");
      } else {
        out.value(value);
      }
    }
    out.end_array().end_object();
  }
  out.end_array();
}

void write_amounts(const std::string& key, const Amounts& amounts, JsonWriter& out) {
  out.key(key).begin_array(true);
  for (const std::uint64_t one : amounts.by_run) out.value(one);
  out.end_array();
}

void write_differences(const std::string& key, const Amounts& amounts, JsonWriter& out) {
  out.key(key).begin_array(true);
  for (std::size_t r = 0; r < amounts.by_run.size(); ++r) out.value(amounts.difference(r));
  out.end_array();
}

void write_account(const Account& account, JsonWriter& out) {
  write_amounts("cycles", account.cycles, out);
  write_amounts("slot_nanoseconds", account.slot_nanoseconds, out);
  out.key("causes").begin_array();
  for (const CauseRow& cause : account.causes) {
    out.begin_object(true).member("name", cause.name).member("sentence", cause.sentence);
    write_amounts("cycles", cause.cycles, out);
    write_differences("difference", cause.cycles, out);
    write_amounts("slot_nanoseconds", cause.slot_nanoseconds, out);
    write_differences("slot_nanoseconds_difference", cause.slot_nanoseconds, out);
    out.end_object();
  }
  out.end_array();
}

void write_verdicts(const Comparison& comparison, JsonWriter& out) {
  out.key("verdicts").begin_array();
  for (std::size_t r = 1; r < comparison.verdicts.size(); ++r) {
    const Verdict& verdict = comparison.verdicts[r];
    out.begin_object(true).member("label", comparison.labels[r]).member("speed_up", verdict.speed_up);
    out.member("slots_ratio", verdict.slots_ratio).member("slot_time_ratio", verdict.slot_time_ratio);
    out.member("difference", verdict.difference);
    if (verdict.cause) {
      const CauseRow& cause = comparison.account->causes[*verdict.cause];
      out.member("cause", cause.name).member("cause_difference", cause.in(comparison.unit).difference(r));
    }
    out.key("cautions").begin_array(true);
    for (const std::string& caution : verdict.cautions) out.value(caution);
    out.end_array().end_object();
  }
  out.end_array();
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  JsonWriter out;
  out.begin_object().member("schema_version", kSchemaVersion);
  out.key("runs").begin_array();
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const RunFacts& run = comparison.runs[r];
    out.begin_object().member("file", run.file).member("label", comparison.labels[r]).member("machine", run.machine);
    out.member("complete", run.complete).member("timed", run.timed);
    if (run.core_kilohertz != 0) out.member("core_kilohertz", run.core_kilohertz);
    for (const auto& [name, value] : run.identity) out.member(name, value);
    out.end_object();
  }
  out.end_array();
  write_differences("identity", comparison.identity, out);
  write_differences("configuration", comparison.configuration, out);
  out.key("totals").begin_array();
  for (const TotalRow& row : comparison.totals) {
    out.begin_object(true).member("name", row.name).member("unit", row.unit).key("values").begin_array(true);
    for (const auto& value : row.values) {
      if (!value) {
        out.raw("null");
      } else if (row.whole) {
        out.value(static_cast<std::uint64_t>(*value));
      } else {
        out.value(*value);
      }
    }
    out.end_array().end_object();
  }
  out.end_array();
  if (comparison.account) {
    write_verdicts(comparison, out);
    out.key("account").begin_object();
    out.member("unit", comparison.unit == AccountUnit::cycles ? "cycles" : "slot_nanoseconds");
    write_account(*comparison.account, out);
    out.end_object();
  } else {
    out.member("no_account", comparison.no_account);
  }
  out.key("kernels").begin_array();
  for (const KernelComparison& kernel : comparison.kernels) {
    out.begin_object().member("name", kernel.name).member("launches", kernel.launches);
    write_account(kernel.account, out);
    out.end_object();
  }
  out.end_array();
  if (!comparison.no_kernels.empty()) out.member("no_kernels", comparison.no_kernels);
  out.end_object();
  return out.text();
}

}  // namespace heddle::compare
