// SPDX-License-Identifier: Apache-2.0
// A machine as a graph of modules and their connections, read from the elaborated model.
#pragma once

#include <string>

#include "common/machine_description.h"

namespace heddle {

enum class DrawingScope {
  machine,  ///< SMs, networks, L2, controllers; equal siblings are one node
  sm,       ///< stages and caches of SM 0, and what they are connected to outside it
};

/// The machine as Graphviz source, nodes and edges in a fixed order. Solid edges are TLM-2.0 base-protocol connections,
/// dashed ones links between stages, dotted ones calls; an edge points from initiator to target. Builds the machine
/// without running it, which is possible once per process.
std::string machine_drawing(const MachineChoice& choice, DrawingScope scope);

}  // namespace heddle
