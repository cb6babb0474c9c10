// SPDX-License-Identifier: Apache-2.0
// What the device link needs to know of object files and static libraries: the relocatable PTX modules in them.
//
// An object compiled with relocatable device code holds, per compilation unit:
//   section __nv_relfatbin          the PTX text, ended by a NUL byte
//   section .nvFatBinSegment        the wrapper {magic 0x466243b1, version 1, pointer to the text, null}
//   symbol  __fatbinwrap__nv_<id>   names that wrapper
//   an undefined symbol __cudaRegisterLinkedBinary__nv_<id>, called by a constructor with
//                                   (void (*register_symbols)(void** handle), wrapper, id string, ignored)
// which the device link defines (device_link.h). Seen in what clang 14 emits for x86-64.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace heddle::cc {

/// One compilation unit's device code.
struct DeviceModule {
  std::string id;      ///< "__nv_<hexadecimal>"
  std::string ptx;     ///< without the final NUL
  std::string origin;  ///< "a.o" or "lib.a(a.o)", for messages
};

struct DeviceObjects {
  std::vector<DeviceModule> modules;
  std::set<std::string> registered;  ///< identifiers whose registration function is already defined
};

/// Adds what an object or a static library holds. A file that is neither is passed over. Fails (kIo) when it cannot be
/// read, is cut short, or is a thin archive.
void read_device_objects(const std::string& path, DeviceObjects& out);

/// Gives the one relocatable module of an object another identifier. clang derives it from the source's name alone, so
/// that two sources of one name, or one source compiled twice with different macros, would clash in a link.
/// An object without relocatable device code is left as it is.
void rename_module(const std::string& path, std::uint64_t id);

}  // namespace heddle::cc
