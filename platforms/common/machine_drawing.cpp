// SPDX-License-Identifier: Apache-2.0
#include "common/machine_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <systemc>
#include <tlm>
#include <vector>

#include "common/machine_statistics.h"

namespace heddle {
namespace {

enum class Connection { transport, link, call };

/// Modules by full name, and who is connected to whom.
struct Graph {
  std::set<std::string> modules;
  std::map<std::pair<std::string, std::string>, Connection> edges;
};

/// The module that owns a port or export.
std::string module_of(const sc_core::sc_object& object) {
  const sc_core::sc_object* parent = object.get_parent_object();
  while (parent != nullptr && dynamic_cast<const sc_core::sc_module*>(parent) == nullptr)
    parent = parent->get_parent_object();
  return parent == nullptr ? "" : parent->name();
}

/// Whether the object is the backward half of a TLM-2.0 socket, which is named after it: "data_port_0",
/// "data_export_0".
bool backward_half(const sc_core::sc_object& object, std::string_view infix) {
  const std::string name = object.name();
  const std::size_t at = name.rfind(infix);
  return at != std::string::npos && name.find_first_not_of("0123456789", at + infix.size()) == std::string::npos &&
         sc_core::sc_find_object(name.substr(0, at).c_str()) != nullptr;
}

class Reader {
 public:
  Graph read() {
    for (sc_core::sc_object* object : sc_core::sc_get_top_level_objects()) visit(*object);
    Graph graph;
    graph.modules = modules_;
    for (const auto& [port, interface] : ports_) {
      const auto target = targets_.find(interface);
      if (target == targets_.end()) continue;
      const std::string from = module_of(*port), to = target->second;
      if (from == to || from.empty() || to.empty()) continue;
      graph.edges.emplace(std::pair{from, to}, kind_of(*port, interface));
    }
    return graph;
  }

 private:
  void visit(sc_core::sc_object& object) {
    if (dynamic_cast<sc_core::sc_module*>(&object) != nullptr) modules_.insert(object.name());
    if (auto* const port = dynamic_cast<sc_core::sc_port_base*>(&object)) {
      if (!backward_half(object, "_port_") && port->get_interface() != nullptr)
        ports_.emplace_back(port, port->get_interface());
    } else if (auto* const target = dynamic_cast<sc_core::sc_export_base*>(&object)) {
      if (!backward_half(object, "_export_") && target->get_interface() != nullptr)
        targets_.emplace(target->get_interface(), module_of(object));
    }
    for (sc_core::sc_object* child : object.get_child_objects()) visit(*child);
  }
  static Connection kind_of(const sc_core::sc_port_base& port, const sc_core::sc_interface* interface) {
    if (dynamic_cast<const tlm::tlm_fw_transport_if<>*>(interface) != nullptr) return Connection::transport;
    return std::string_view(port.kind()).find("initiator") != std::string_view::npos ? Connection::link
                                                                                     : Connection::call;
  }

  std::set<std::string> modules_;
  std::vector<std::pair<const sc_core::sc_port_base*, const sc_core::sc_interface*>> ports_;
  std::map<const sc_core::sc_interface*, std::string> targets_;
};

std::string without_number(const std::string& name) {
  std::size_t end = name.size();
  while (end != 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  return name.substr(0, end);
}

/// Nodes of a drawing: a module that stands alone below the machine is drawn with its parts, one of several is not, and
/// those whose names differ only in their number are one node.
class Nodes {
 public:
  Nodes(const Graph& graph, DrawingScope scope) : scope_(scope) {
    for (const std::string& module : graph.modules) families_[without_number(part(module, 2))].insert(part(module, 2));
    for (const std::string& module : graph.modules) {
      if (depth(module) > 1) members_[node_of(module)].insert(drawn_module(module));
    }
  }
  std::string node_of(const std::string& module) const {
    return scope_ == DrawingScope::sm && inside(module) ? module : without_number(drawn_module(module));
  }
  static bool inside(const std::string& module) { return module.rfind("gpu.sm0.", 0) == 0; }
  /// Modules that the node stands for.
  std::size_t count(const std::string& node) const { return inside(node) ? 1 : members_.at(node).size(); }

 private:
  static std::size_t depth(const std::string& module) {
    return 1 + static_cast<std::size_t>(std::count(module.begin(), module.end(), '.'));
  }
  /// The first `levels` names of a hierarchical name.
  static std::string part(const std::string& module, unsigned levels) {
    std::size_t end = 0;
    for (; levels != 0 && end != std::string::npos; --levels) end = module.find('.', end == 0 ? 0 : end + 1);
    return module.substr(0, end);
  }
  std::string drawn_module(const std::string& module) const {
    const std::string unit = part(module, 2);
    return families_.at(without_number(unit)).size() > 1 || unit == "gpu.sm0" ? unit : part(module, 3);
  }

  DrawingScope scope_;
  std::map<std::string, std::set<std::string>> families_, members_;
};

std::string label_of(const std::string& node) {
  std::string label = node.substr(node.rfind('.') + 1);
  while (label.size() > 1 && label.back() == '_') label.pop_back();
  return label;
}

}  // namespace

std::string machine_drawing(const MachineChoice& choice, DrawingScope scope) {
  const auto machine = machine_structures(choice);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Graph graph = Reader().read();
  const Nodes nodes(graph, scope);

  std::map<std::pair<std::string, std::string>, Connection> edges;
  std::set<std::string> drawn;
  for (const auto& [ends, kind] : graph.edges) {
    const bool inside = Nodes::inside(ends.first) || Nodes::inside(ends.second);
    if (scope == DrawingScope::sm && !inside) continue;
    const std::string from = nodes.node_of(ends.first), to = nodes.node_of(ends.second);
    if (from == to) continue;
    // Modules of the other SMs stand for the same: the drawing has SM 0.
    if (scope == DrawingScope::sm && (from == "gpu.sm" || to == "gpu.sm")) continue;
    edges.emplace(std::pair{from, to}, kind);
    drawn.insert({from, to});
  }

  for (const std::string& module : graph.modules) {
    if (scope == DrawingScope::sm && Nodes::inside(module)) drawn.insert(module);
  }

  std::string text = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n",
                                 scope == DrawingScope::sm ? choice.machine + ", SM 0" : choice.machine);
  const auto node = [&](const std::string& name) {
    const std::size_t count = nodes.count(name);
    const std::string times = count == 1 ? "" : fmt::format(" x {}", count);
    return fmt::format("\"{}\" [label=\"{}{}\"];\n", name, label_of(name), times);
  };
  if (scope == DrawingScope::sm) {
    text += "  subgraph cluster_sm {\n    label=\"sm0\";\n";
    for (const std::string& name : drawn) {
      if (Nodes::inside(name)) text += "    " + node(name);
    }
    text += "  }\n";
  }
  for (const std::string& name : drawn) {
    if (scope != DrawingScope::sm || !Nodes::inside(name)) text += "  " + node(name);
  }
  for (const auto& [ends, kind] : edges) {
    const char* const style = kind == Connection::transport ? "solid" : kind == Connection::link ? "dashed" : "dotted";
    text += fmt::format("  \"{}\" -> \"{}\" [style={}];\n", ends.first, ends.second, style);
  }
  return text + "}\n";
}

}  // namespace heddle
