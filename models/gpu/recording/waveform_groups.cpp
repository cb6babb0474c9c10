// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/waveform_groups.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "core/names.h"

namespace heddle::gpu {
namespace {

struct Group {
  std::string name;
  std::vector<std::string> modules;  ///< patterns of the first part of a path, in order
  std::vector<std::string> apart;    ///< the same, for modules that each have a closed group inside
  bool open;
};

/// Stages of an SM, in the order in which an instruction passes them. What decides about issue is open.
const std::vector<Group>& stages() {
  static const std::vector<Group> kStages = {
      {"front end", {"fetch", "decode", "instruction", "instruction_path"}, {}, false},
      {"issue", {"issue", "packer", "prefix_sum", "grouping", "hazards", "order*", "veto*"}, {}, true},
      {"warps", {"warps"}, {}, true},
      {"operand collect", {"operands"}, {}, false},
      {"execute", {"alu", "sfu", "fp64", "writeback"}, {}, false},
      {"memory", {"memory", "shared_memory"}, {}, true},
      {"L1", {"l1d", "multiplexer"}, {"constant", "texture"}, true},
      {"other", {"*"}, {}, false},
  };
  return kStages;
}

const std::vector<Group>& outside_the_sms() {
  static const std::vector<Group> kGroups = {{"network", {"crossbar"}, {}, true},
                                             {"L2", {}, {"l2_*"}, false},
                                             {"DRAM", {}, {"mc*"}, false},
                                             {"dispatch", {"gpu"}, {}, false},
                                             {"other", {}, {"*"}, false}};
  return kGroups;
}

/// First part of a dotted path, which is removed from it.
std::string_view take_part(std::string_view& path) {
  const auto dot = std::min(path.find('.'), path.size());
  const std::string_view part = path.substr(0, dot);
  path.remove_prefix(std::min(dot + 1, path.size()));
  return part;
}

/// The number at the end of a name like "sm12" or "l2_3"; 0 if there is none.
unsigned number_of(std::string_view name) {
  const auto start = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  unsigned number = 0;
  std::from_chars(name.data() + start, name.data() + name.size(), number);
  return number;
}

bool is_sm(std::string_view name) {
  return name.size() > 2 && name.substr(0, 2) == "sm" && name.find_first_not_of("0123456789", 2) == name.npos;
}

/// Adds the group of a module to a place.
void add_group(WaveformPlace& place, const std::vector<Group>& groups, std::string_view module) {
  for (unsigned g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const auto index_in = [module](const std::vector<std::string>& patterns) {
      const auto matches = [module](const std::string& pattern) { return glob_match(pattern, module); };
      return static_cast<unsigned>(std::find_if(patterns.begin(), patterns.end(), matches) - patterns.begin());
    };
    const unsigned index = index_in(group.modules), apart = index_in(group.apart);
    if (index == group.modules.size() && apart == group.apart.size()) continue;
    place.order.push_back(g);
    place.groups.push_back(group.name);
    if (index != group.modules.size()) {
      place.within = index;
      place.open = group.open;
      return;
    }
    place.order.insert(place.order.end(), {1 + apart, number_of(module)});
    place.groups.emplace_back(module);
    return;
  }
}

}  // namespace

WaveformPlace waveform_place(std::string_view scope) {
  enum Part : unsigned { clocks, sms, outside };
  std::string_view rest = scope;
  const std::string_view first = take_part(rest);
  if (first == "clock") return {{clocks}, 0, {}, true};
  WaveformPlace place;
  if (is_sm(first)) {
    place.order = {sms, number_of(first)};
    place.groups.emplace_back(first);
    add_group(place, stages(), take_part(rest));
  } else {
    place.order = {outside};
    add_group(place, outside_the_sms(), first);
  }
  return place;
}

}  // namespace heddle::gpu
