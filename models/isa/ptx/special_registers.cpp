// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/special_registers.h"

#include <cstddef>
#include <iterator>

namespace heddle::isa {
namespace {

struct Row {
  std::string_view text;  // including the component
  SpecialRegister value;
  bool wide = false;
};

using enum SpecialRegister;

constexpr Row kRows[] = {
    {"%tid.x", tid_x},
    {"%tid.y", tid_y},
    {"%tid.z", tid_z},
    {"%ntid.x", ntid_x},
    {"%ntid.y", ntid_y},
    {"%ntid.z", ntid_z},
    {"%ctaid.x", ctaid_x},
    {"%ctaid.y", ctaid_y},
    {"%ctaid.z", ctaid_z},
    {"%nctaid.x", nctaid_x},
    {"%nctaid.y", nctaid_y},
    {"%nctaid.z", nctaid_z},
    {"%laneid", laneid},
    {"%warpid", warpid},
    {"%nwarpid", nwarpid},
    {"%smid", smid},
    {"%nsmid", nsmid},
    {"%gridid", gridid, true},
    {"%lanemask_eq", lanemask_eq},
    {"%lanemask_le", lanemask_le},
    {"%lanemask_lt", lanemask_lt},
    {"%lanemask_ge", lanemask_ge},
    {"%lanemask_gt", lanemask_gt},
    {"%clock", SpecialRegister::clock},
    {"%clock_hi", clock_hi},
    {"%clock64", clock64, true},
    {"%globaltimer", globaltimer, true},
    {"%globaltimer_lo", globaltimer_lo},
    {"%globaltimer_hi", globaltimer_hi},
    {"%dynamic_smem_size", dynamic_smem_size},
    {"%total_smem_size", total_smem_size},
    {"%tid.w", zero},  // the fourth component of the coordinates reads as zero
};

const Row& row(SpecialRegister special) { return kRows[static_cast<std::size_t>(special)]; }

static_assert([] {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].value) != i) return false;
  }
  return true;
}());

}  // namespace

bool find_special_register(std::string_view name, std::string_view component, SpecialRegister& out) {
  if (component == "w" && (name == "%tid" || name == "%ntid" || name == "%ctaid" || name == "%nctaid")) {
    out = zero;
    return true;
  }
  for (const Row& r : kRows) {
    const bool with_component = r.text.size() > 2 && r.text[r.text.size() - 2] == '.';
    const std::string_view base = with_component ? r.text.substr(0, r.text.size() - 2) : r.text;
    const std::string_view own = with_component ? r.text.substr(r.text.size() - 1) : std::string_view();
    if (base == name && own == component) {
      out = r.value;
      return true;
    }
  }
  return false;
}

DataType storage_of(SpecialRegister special) { return row(special).wide ? DataType::b64 : DataType::b32; }
std::string_view name_of(SpecialRegister special) { return row(special).text; }

}  // namespace heddle::isa
