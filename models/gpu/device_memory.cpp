// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace heddle::gpu {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// 0: refused by the system; errno has the reason.
std::uint64_t try_reserve(std::uint64_t address, std::uint64_t bytes) {
  const int fixed = address != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* got = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  // Linux versions without MAP_FIXED_NOREPLACE take the address as a hint.
  if (got != MAP_FAILED && address != 0 && reinterpret_cast<std::uint64_t>(got) != address) {
    munmap(got, bytes);
    got = MAP_FAILED;
    errno = EEXIST;
  }
  return got == MAP_FAILED ? 0 : reinterpret_cast<std::uint64_t>(got);
}

std::uint64_t reserve(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t got = try_reserve(address, bytes);
  if (got == 0) {
    fail(ExitCode::internal,
         "cannot reserve {} MiB of address space at {:#x} for device memory: {}. Lower memory_bytes, or lift the "
         "limit on address space (ulimit -v).",
         bytes >> 20, address, std::strerror(errno));
  }
  return got;
}

const char* words(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::device:
      return "device allocation";
    case AllocationKind::variable:
      return "device variable";
    case AllocationKind::heap:
      return "in-kernel heap";
    case AllocationKind::array:
      return "CUDA array";
    case AllocationKind::host:
      return "page-locked host allocation";
    case AllocationKind::managed:
      return "managed allocation";
    case AllocationKind::registered:
      return "registered host range";
    case AllocationKind::generated:
      return "generated region";
  }
  return "allocation";
}

}  // namespace

DeviceMemory::DeviceMemory(const Parameters& parameters) {
  overflow_.begin = overflow_.end = device_.begin = parameters.base;
  device_.end = host_.begin = device_.begin + round_up(parameters.device_bytes, kPageBytes);
  host_.end = host_.begin + round_up(parameters.host_bytes, kPageBytes);
  const std::uint64_t overflow = round_up(parameters.overflow_bytes, kPageBytes);
  if (overflow != 0 && try_reserve(parameters.base - overflow, overflow) != 0) {
    overflow_.begin -= overflow;
    overflow_budget_ = std::min(parameters.overflow_budget, overflow);
  }
  reserve(parameters.base, host_.end - device_.begin);
  base_ = overflow_.begin;
  reserved_bytes_ = host_.end - base_;
  table_bytes_ = reserved_bytes_ / kGranuleBytes * sizeof(std::uint32_t);
  // Not a vector: its constructor would touch every page.
  granules_ = reinterpret_cast<std::uint32_t*>(reserve(0, table_bytes_));
  for (Zone* zone : {&overflow_, &device_, &host_}) {
    if (zone->end > zone->begin) zone->free.emplace(zone->begin, zone->end);
  }
  records_.emplace_back();
}

DeviceMemory::~DeviceMemory() {
  munmap(reinterpret_cast<void*>(base_), reserved_bytes_);
  munmap(granules_, table_bytes_);
}

bool DeviceMemory::in_host_zone(AllocationKind kind) {
  return kind == AllocationKind::host || kind == AllocationKind::managed;
}

DeviceMemory::Zone& DeviceMemory::zone_at(std::uint64_t address) {
  if (address < overflow_.end) return overflow_;
  return address < device_.end ? device_ : host_;
}

std::uint32_t DeviceMemory::new_record() {
  if (!free_records_.empty()) {
    const std::uint32_t id = free_records_.back();
    free_records_.pop_back();
    return id;
  }
  records_.emplace_back();
  return static_cast<std::uint32_t>(records_.size() - 1);
}

/// Writes `id` into the granules of [begin, end). The record of a freed allocation is dropped with its last granule.
void DeviceMemory::mark(std::uint64_t begin, std::uint64_t end, std::uint32_t id) {
  for (std::uint64_t g = (begin - base_) / kGranuleBytes; g < (end - base_) / kGranuleBytes; ++g) {
    if (const std::uint32_t old = granules_[g]; old & kFreedBit) {
      Record& record = records_[old & ~kFreedBit];
      if (--record.granules == 0) free_records_.push_back(old & ~kFreedBit);
    }
    granules_[g] = id;
  }
}

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes, AllocationKind kind, std::string name,
                                     std::uint64_t alignment) {
  if (bytes > reserved_bytes_) return 0;
  const std::uint64_t size = round_up(std::max<std::uint64_t>(bytes, 1), kGranuleBytes);
  const std::uint64_t begin = carve(kind, size, std::max(alignment, kGranuleBytes));
  if (begin == 0) return 0;
  const std::uint32_t id = new_record();
  mark(begin, begin + size, id);
  records_[id] = {{begin, bytes, next_number_++, kind, true, std::move(name)}, size / kGranuleBytes};
  live_.emplace(begin, id);
  return begin;
}

std::uint64_t DeviceMemory::carve(Zone& zone, std::uint64_t size, std::uint64_t alignment) {
  // First fit by address: deterministic, and freed memory is reused soon, as on hardware.
  for (auto range = zone.free.begin(); range != zone.free.end(); ++range) {
    const auto [free_begin, free_end] = *range;
    const std::uint64_t begin = round_up(free_begin, alignment), end = begin + size;
    if (begin > free_end || end > free_end) continue;
    zone.free.erase(range);
    if (begin > free_begin) zone.free.emplace(free_begin, begin);
    if (end < free_end) zone.free.emplace(end, free_end);
    zone.used += size;
    return begin;
  }
  return 0;
}

std::uint64_t DeviceMemory::carve(AllocationKind kind, std::uint64_t size, std::uint64_t alignment) {
  if (in_host_zone(kind)) return carve(host_, size, alignment);
  const std::uint64_t begin = carve(device_, size, alignment);
  if (begin != 0 || size > overflow_budget_ - overflow_.used) return begin;
  return carve(overflow_, size, alignment);
}

std::uint64_t DeviceMemory::allocate_generated(std::uint64_t bytes, Generator generator, std::string name) {
  if (bytes == 0 || bytes > device_bytes()) return 0;
  const std::uint64_t size = round_up(bytes, kPageBytes), begin = carve(device_, size, kPageBytes);
  if (begin == 0) return 0;
  mark(begin, begin + size, 0);
  generated_.emplace(begin, Region{{begin, bytes, next_number_++, AllocationKind::generated, true, std::move(name)},
                                   std::move(generator)});
  return begin;
}

const DeviceMemory::Region* DeviceMemory::region_of(std::uint64_t address, std::uint64_t bytes) const {
  auto after = generated_.upper_bound(address);
  if (after == generated_.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  const std::uint64_t offset = address - region.allocation.address;
  return offset < region.allocation.bytes && bytes <= region.allocation.bytes - offset ? &region : nullptr;
}

bool DeviceMemory::produce(std::uint64_t address, std::uint64_t bytes, void* to) const {
  const Region* region = region_of(address, bytes);
  if (region == nullptr) return false;
  region->generator(address - region->allocation.address, to, bytes);
  return true;
}

bool DeviceMemory::release(std::uint64_t address) {
  if (const auto region = generated_.find(address); region != generated_.end()) {
    const std::uint64_t end = address + round_up(region->second.allocation.bytes, kPageBytes);
    generated_.erase(region);
    device_.used -= end - address;
    give_back(device_, address, end);
    return true;
  }
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  const std::uint32_t id = found->second;
  live_.erase(found);
  Allocation& allocation = records_[id].allocation;
  const std::uint64_t end = address + records_[id].granules * kGranuleBytes;
  for (std::uint64_t g = (address - base_) / kGranuleBytes; g < (end - base_) / kGranuleBytes; ++g) {
    granules_[g] = id | kFreedBit;
  }
  allocation.live = false;
  Zone& zone = zone_at(address);
  zone.used -= end - address;
  give_back(zone, address, end);
  return true;
}

/// Joins [begin, end) with its free neighbours and returns whole free pages to the system.
void DeviceMemory::give_back(Zone& zone, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t joined_begin = begin, joined_end = end;
  auto after = zone.free.lower_bound(begin);
  if (after != zone.free.end() && after->first == end) {
    joined_end = after->second;
    after = zone.free.erase(after);
  }
  if (after != zone.free.begin()) {
    const auto before = std::prev(after);
    if (before->second == begin) {
      joined_begin = before->first;
      zone.free.erase(before);
    }
  }
  zone.free.emplace(joined_begin, joined_end);
  // A page shared with a neighbour freed earlier is entirely free only now: widen to the pages of the joined range.
  const std::uint64_t first = std::max(round_up(joined_begin, kPageBytes), begin / kPageBytes * kPageBytes);
  const std::uint64_t last = std::min(joined_end / kPageBytes * kPageBytes, round_up(end, kPageBytes));
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void DeviceMemory::release_all() {
  while (!live_.empty()) release(live_.begin()->first);
  while (!generated_.empty()) release(generated_.begin()->first);
}

bool DeviceMemory::register_host(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0 || address == 0 || address + bytes < address) return false;
  const std::uint64_t end = address + bytes;
  if (address < base_ + reserved_bytes_ && end > base_) return false;
  auto after = registered_.lower_bound(address);
  if (after != registered_.end() && after->first < end) return false;
  if (after != registered_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (before.address + before.bytes > address) return false;
  }
  registered_.emplace(address, Allocation{address, bytes, next_number_++, AllocationKind::registered, true, {}});
  return true;
}

bool DeviceMemory::unregister_host(std::uint64_t address) { return registered_.erase(address) == 1; }

bool DeviceMemory::in_registered(std::uint64_t lowest, std::uint64_t end) const {
  auto after = registered_.upper_bound(lowest);
  if (after == registered_.begin() || end < lowest) return false;
  const Allocation& range = std::prev(after)->second;
  return end <= range.address + range.bytes;
}

bool DeviceMemory::accessible_exactly(std::uint64_t lowest, std::uint64_t end) const {
  if (!accessible(lowest, end)) return false;
  if (lowest - base_ >= reserved_bytes_) return true;
  const Allocation& allocation = records_[granules_[(lowest - base_) / kGranuleBytes]].allocation;
  return end <= allocation.address + allocation.bytes;
}

std::optional<DeviceMemory::Allocation> DeviceMemory::find(std::uint64_t address) const {
  if (const Region* region = region_of(address, 1)) return region->allocation;
  if (address - base_ < reserved_bytes_) {
    const std::uint32_t id = granules_[(address - base_) / kGranuleBytes];
    if (id == 0 || (id & kFreedBit) != 0) return std::nullopt;
    return records_[id].allocation;
  }
  if (!in_registered(address, address + 1)) return std::nullopt;
  return std::prev(registered_.upper_bound(address))->second;
}

std::string DeviceMemory::describe(const Allocation& allocation, std::uint64_t address) const {
  std::string what = allocation.name.empty() ? fmt::format("{} {}", words(allocation.kind), allocation.number)
                                             : fmt::format("{} '{}'", words(allocation.kind), allocation.name);
  what += fmt::format(" of {} bytes at {:#x}", allocation.bytes, allocation.address);
  if (address < allocation.address) return fmt::format("{} bytes before {}", allocation.address - address, what);
  const std::uint64_t offset = address - allocation.address;
  if (offset < allocation.bytes) return fmt::format("at offset {} of {}", offset, what);
  return fmt::format("{} bytes past the end of {}", offset - allocation.bytes, what);
}

const DeviceMemory::Allocation* DeviceMemory::closest(std::uint64_t address) const {
  const Allocation* best = nullptr;
  std::uint64_t best_distance = kFar + 1;
  const auto consider = [&](const Allocation& allocation) {
    const std::uint64_t end = allocation.address + allocation.bytes;
    const std::uint64_t distance = address < allocation.address ? allocation.address - address : address - end + 1;
    if (distance < best_distance) best = &allocation, best_distance = distance;
  };
  const auto neighbours = [&](const auto& ranges, const auto& allocation_of) {
    auto after = ranges.upper_bound(address);
    if (after != ranges.end()) consider(allocation_of(*after));
    if (after != ranges.begin()) consider(allocation_of(*std::prev(after)));
  };
  neighbours(live_, [&](const auto& entry) -> const Allocation& { return records_[entry.second].allocation; });
  neighbours(registered_, [](const auto& entry) -> const Allocation& { return entry.second; });
  neighbours(generated_, [](const auto& entry) -> const Allocation& { return entry.second.allocation; });
  return best;
}

bool DeviceMemory::astray(std::uint64_t address) const {
  if (address < kPageBytes) return true;
  if (address - base_ < reserved_bytes_ && (granules_[(address - base_) / kGranuleBytes] & kFreedBit) != 0)
    return false;
  return !find(address) && closest(address) == nullptr;
}

std::string DeviceMemory::nearest(std::uint64_t address) const {
  if (address < kPageBytes) return "the address is a null pointer or an offset from one";
  if (address - base_ < reserved_bytes_) {
    const std::uint32_t id = granules_[(address - base_) / kGranuleBytes];
    if (id & kFreedBit) return describe(records_[id & ~kFreedBit].allocation, address) + ", which was freed";
  }
  if (const auto found = find(address)) {
    const bool produced = found->kind == AllocationKind::generated;
    return describe(*found, address) + (produced ? ", which is generated by a function and read-only" : "");
  }
  if (empty()) return "nothing is allocated on the device";
  const Allocation* best = closest(address);
  if (best == nullptr) {
    return "no device allocation is near: is it a host pointer that was neither allocated nor registered through CUDA?";
  }
  return describe(*best, address);
}

}  // namespace heddle::gpu
