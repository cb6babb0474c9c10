// SPDX-License-Identifier: Apache-2.0
// Reads relocatable PTX modules from object files and static libraries for the device link.
//
// An object compiled with relocatable device code contains, per compilation unit:
//   section __nv_relfatbin          the PTX text, ended by a NUL byte
//   section .nvFatBinSegment        the wrapper {magic 0x466243b1, version 1, pointer to the text, null}
//   symbol  __fatbinwrap__nv_<id>   names that wrapper
//   an undefined symbol __cudaRegisterLinkedBinary__nv_<id>, called by a constructor with
//                                   (void (*register_symbols)(void** handle), wrapper, id string, ignored)
// which the device link defines (device_link.h). Observed in clang 14's output for x86-64.
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

/// Adds the modules of an object or static library; ignores other files. Fails (kIo) when the file cannot be read, is
/// truncated, or is a thin archive.
void read_device_objects(const std::string& path, DeviceObjects& out);

/// Changes the identifier of an object's relocatable module. clang derives it from the source name only, so two sources
/// with the same name, or one source compiled twice with different macros, would clash in a link. An object without
/// relocatable device code is unchanged.
void rename_module(const std::string& path, std::uint64_t id);

}  // namespace heddle::cc
