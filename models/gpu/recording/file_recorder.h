// SPDX-License-Identifier: Apache-2.0
// A recorder that follows the SMs and their L1 data caches and writes one file at the end of a run. It is registered
// under its name in its own file, with the words by which messages call its file; a run asks for it by this name
// (RecordingRequest::files), a program's environment by HEDDLE_ and the name in capitals.
#pragma once

#include <map>
#include <string>

#include "core/config/mechanism.h"

namespace heddle::memory {
class CacheLevel;
}

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class FileRecorder {
 public:
  virtual ~FileRecorder() = default;
  /// Called once for each SM, before the first cycle; the recorder lives as long as the SM runs. l1d: its L1 data
  /// cache; null: it has none. Throws Error(kConfiguration) if the SM cannot be recorded.
  virtual void listen_to(sm::Sm& sm, memory::CacheLevel* l1d) = 0;
  /// Contents of the file. Recorded kernels still exist.
  virtual std::string text() const = 0;
};

/// What each registered recorder writes, by its name.
inline std::map<std::string, std::string> file_recorders() {
  std::map<std::string, std::string> all;
  for (const auto& [name, entry] : detail::mechanism_table<FileRecorder>()) all.emplace(name, entry.sentence);
  return all;
}

}  // namespace heddle::gpu
