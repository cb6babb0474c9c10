// SPDX-License-Identifier: Apache-2.0
// A block that is evaluated within its owner's cycle: packer, prefix sum, DRAM bank. Its result depends only on
// arguments and state; its state changes only in the call or when the owner ends its cycle (`commit`).
#pragma once

#include <systemc>

namespace heddle {

/// The owner's side. Exactly one block is bound. Interface derives from sc_core::sc_interface.
template <typename Interface>
using CallPort = sc_core::sc_port<Interface, 1, sc_core::SC_ONE_OR_MORE_BOUND>;

/// The block's side.
template <typename Interface>
using CallExport = sc_core::sc_export<Interface>;

}  // namespace heddle
