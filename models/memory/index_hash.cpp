// SPDX-License-Identifier: Apache-2.0
#include "memory/index_hash.h"

#include <bit>

#include "core/error.h"

namespace heddle::memory {

IndexHash index_hash_named(std::string_view name, std::string_view key) {
  if (name == "none") return IndexHash::kNone;
  if (name == "xor") return IndexHash::kXor;
  if (name == "fermi") return IndexHash::kFermi;
  fail(ExitCode::kConfiguration, "{}: no index hash is called \"{}\"; there are none, xor and fermi", key, name);
}

void check_index_hash(IndexHash hash, unsigned sets, std::string_view key) {
  if (hash == IndexHash::kXor && !std::has_single_bit(sets)) {
    fail(ExitCode::kConfiguration, "{}: the xor index hash needs a power of two of sets, not {}", key, sets);
  }
  if (hash == IndexHash::kFermi && sets != 32 && sets != 64) {
    fail(ExitCode::kConfiguration, "{}: the fermi index hash is defined for 32 and 64 sets, not {}", key, sets);
  }
}

}  // namespace heddle::memory
