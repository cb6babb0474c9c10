// SPDX-License-Identifier: Apache-2.0
#include "gpu/checks/race_shadow.h"

#include <algorithm>

namespace heddle::gpu {

void Location::add(const Stamp& stamp, std::uint32_t most) {
  if (first.mask == 0 || (first.same_kind(stamp) && first.same_time(stamp))) {
    const std::uint32_t before = first.mask;
    first = stamp;
    first.mask |= before;
    if (more != nullptr) {
      for (Stamp& other : more->accesses) other.mask &= other.same_kind(stamp) ? ~stamp.mask : ~0u;
    }
    return;
  }
  if (first.same_kind(stamp)) {
    first.mask &= ~stamp.mask;
    if (first.mask == 0) return add(stamp, most);
  }
  if (more == nullptr) more = std::make_unique<More>();
  std::vector<Stamp>& list = more->accesses;
  bool found = false;
  for (Stamp& other : list) {
    if (!other.same_kind(stamp)) continue;
    if (other.same_time(stamp)) {
      other.mask |= stamp.mask;
      found = true;
    } else {
      other.mask &= ~stamp.mask;
    }
  }
  if (found) return;
  const auto gone = std::find_if(list.begin(), list.end(), [](const Stamp& other) { return other.mask == 0; });
  if (gone != list.end()) {
    *gone = stamp;
  } else if (most != 0 && list.size() >= most) {
    list[(stamp.block + stamp.warp) % most] = stamp;
  } else {
    list.push_back(stamp);
  }
}

void Location::store(const Stamp& stamp, std::uint32_t written) {
  writer = stamp;
  value = written;
  first.mask = 0;
  if (more != nullptr) more->accesses.clear();
}

void Location::clear() {
  writer.mask = first.mask = 0;
  more.reset();
}

bool Location::split() const { return more != nullptr && more->bytes != nullptr; }

Location* Location::bytes() {
  if (more == nullptr) more = std::make_unique<More>();
  if (more->bytes == nullptr) {
    auto bytes = std::make_unique<std::array<Location, 4>>();
    for (unsigned i = 0; i < 4; ++i) {
      Location& byte = (*bytes)[i];
      byte.writer = writer;
      byte.value = value >> (8 * i) & 0xff;
      for_each_access([&](const Stamp& stamp) { byte.add(stamp, 0); });
    }
    more->bytes = std::move(bytes);
  }
  return more->bytes->data();
}

Location& GlobalShadow::at(std::uint64_t address) {
  const std::uint64_t word = address / 4, number = word / kPageWords;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_ = page.get();
  }
  return (*last_)[word % kPageWords];
}

void GlobalShadow::clear() {
  pages_.clear();
  last_number_ = ~std::uint64_t{0};
  last_ = nullptr;
}

}  // namespace heddle::gpu
