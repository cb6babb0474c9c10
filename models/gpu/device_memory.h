// SPDX-License-Identifier: Apache-2.0
// Device memory: one reservation at the same address in every run, so that cycle counts do not depend on the host's
// address randomisation. Device pointers are host pointers; pages are touched only when a program uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::gpu {

/// Origin of an allocation; determines its zone and the wording of messages.
enum class AllocationKind : std::uint8_t {
  device,      ///< cudaMalloc and variants
  variable,    ///< a __device__ or __constant__ variable
  heap,        ///< malloc and new in kernels
  array,       ///< CUDA array
  host,        ///< page-locked host memory, mapped
  managed,     ///< managed memory
  registered,  ///< the program's own memory, registered
  generated,   ///< produced by a function when read
};

/// Device and mapped host memory, allocated in 256-byte granules. A table maps granules to allocations, so a bounds
/// check costs two loads regardless of the number of allocations.
class DeviceMemory {
 public:
  static constexpr std::uint64_t kGranuleBytes = 256;
  /// Free in ordinary processes and outside AddressSanitizer's shadow on x86-64 and AArch64 with 48-bit addresses.
  static constexpr std::uint64_t kDefaultBase = 0x2000'0000'0000;

  struct Parameters {
    std::uint64_t base = kDefaultBase;                     ///< bytes; a multiple of 4096
    std::uint64_t device_bytes = std::uint64_t{16} << 30;  ///< device zone: a multiple of 4096
    std::uint64_t host_bytes = std::uint64_t{16} << 30;    ///< page-locked and managed zone behind it
    /// Size of an overflow device zone below `base`, used when the first is full; a multiple of 4096, 0: none.
    std::uint64_t overflow_bytes = 0;
    std::uint64_t overflow_budget = 0;  ///< most bytes allocated there at a time
  };

  /// An allocation, live or freed and not yet reused.
  struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;   ///< as asked for
    std::uint64_t number = 0;  ///< 1, 2, ... in order of allocation
    AllocationKind kind = AllocationKind::device;
    bool live = true;
    std::string name;  ///< variable name, or empty
  };

  /// Throws Error(kInternal) if the address range is taken or the system refuses the reservation. An overflow zone that
  /// cannot be reserved is omitted.
  explicit DeviceMemory(const Parameters& parameters);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Address of a new allocation, or 0 if the zone has no room. `bytes` 0 takes one granule. `alignment`: a power of
  /// two, raised to at least a granule. Pages never used before are zero; other contents are undefined.
  std::uint64_t allocate(std::uint64_t bytes, AllocationKind kind, std::string name = {},
                         std::uint64_t alignment = kGranuleBytes);
  /// Writes the `bytes` bytes at `offset` of a region to `to`. Must be deterministic.
  using Generator = std::function<void(std::uint64_t offset, void* to, std::size_t bytes)>;
  /// Address of a read-only region of the device zone, aligned to 4096 bytes, whose contents the generator produces on
  /// read; it takes no host memory. 0 if the zone has no room. The region is not accessible(); read it by produce().
  std::uint64_t allocate_generated(std::uint64_t bytes, Generator generator, std::string name = {});
  /// If one generated region holds [address, address + bytes), writes its contents to `to` and returns true.
  bool produce(std::uint64_t address, std::uint64_t bytes, void* to) const;
  /// Whether produce() would succeed.
  bool generated(std::uint64_t address, std::uint64_t bytes) const { return region_of(address, bytes) != nullptr; }
  /// Frees the allocation that starts at `address` and returns its pages to the system. False if there is none.
  bool release(std::uint64_t address);
  /// Frees all allocations except registered memory.
  void release_all();

  /// Makes the program's own memory visible to kernels. False if it overlaps a registered range or the reservation.
  bool register_host(std::uint64_t address, std::uint64_t bytes);
  bool unregister_host(std::uint64_t address);

  /// Whether [lowest, end) lies in one live allocation (to granule precision) or one registered range. end > lowest.
  bool accessible(std::uint64_t lowest, std::uint64_t end) const {
    const std::uint64_t first = lowest - base_, last = end - 1 - base_;
    if (first < reserved_bytes_ && last < reserved_bytes_) {
      const std::uint32_t id = granules_[first / kGranuleBytes];
      return id == granules_[last / kGranuleBytes] && id - 1 < kFreedBit - 1;
    }
    return in_registered(lowest, end);
  }
  /// As accessible(), with byte precision.
  bool accessible_exactly(std::uint64_t lowest, std::uint64_t end) const;

  /// The live allocation or registered range that holds `address`.
  std::optional<Allocation> find(std::uint64_t address) const;
  /// Sentence that describes the allocation at or nearest to `address`.
  std::string nearest(std::uint64_t address) const;
  /// Whether `address` is implausible for any allocation: null or close to it, or far from all allocations.
  bool astray(std::uint64_t address) const;

  /// Start of the reservation.
  std::uint64_t base() const { return base_; }
  /// Bytes of the reservation, all zones.
  std::uint64_t reserved_bytes() const { return reserved_bytes_; }
  /// Addresses of device memory, overflow included.
  std::pair<std::uint64_t, std::uint64_t> device_range() const { return {base_, device_.end}; }
  /// Size of the device zone without overflow, as the configuration states it.
  std::uint64_t device_bytes() const { return device_.end - device_.begin; }
  /// Bytes allocated in the device zone and its overflow, in whole granules.
  std::uint64_t device_bytes_used() const { return device_.used + overflow_.used; }
  /// Most device memory that can be allocated, including what the host backs beyond device_bytes().
  std::uint64_t device_bytes_backed() const { return device_bytes() + overflow_budget_; }
  std::size_t live_allocations() const { return live_.size(); }

 private:
  static constexpr std::uint32_t kFreedBit = 0x8000'0000;  ///< in a granule's id: the allocation was freed

  static constexpr std::uint64_t kFar = std::uint64_t{1} << 30;  ///< bytes; allocations farther away are not suggested

  struct Zone {
    std::uint64_t begin = 0, end = 0, used = 0;
    std::map<std::uint64_t, std::uint64_t> free;  ///< begin -> end, never adjacent
  };
  struct Region {
    Allocation allocation;
    Generator generator;
  };
  struct Record {
    Allocation allocation;
    std::uint64_t granules = 0;  ///< table entries that still hold this record's id
  };

  static bool in_host_zone(AllocationKind kind);
  Zone& zone_at(std::uint64_t address);
  /// Takes `size` bytes from the free ranges of the zone; 0 if none is large enough.
  static std::uint64_t carve(Zone& zone, std::uint64_t size, std::uint64_t alignment);
  std::uint64_t carve(AllocationKind kind, std::uint64_t size, std::uint64_t alignment);
  const Region* region_of(std::uint64_t address, std::uint64_t bytes) const;
  bool in_registered(std::uint64_t lowest, std::uint64_t end) const;
  std::uint32_t new_record();
  void mark(std::uint64_t begin, std::uint64_t end, std::uint32_t id);
  /// The allocation closest to `address`, which is in none; null if there is none within kFar.
  const Allocation* closest(std::uint64_t address) const;
  bool empty() const { return live_.empty() && registered_.empty() && generated_.empty(); }
  void give_back(Zone& zone, std::uint64_t begin, std::uint64_t end);
  std::string describe(const Allocation& allocation, std::uint64_t address) const;

  std::uint64_t base_ = 0, reserved_bytes_ = 0;
  std::uint32_t* granules_ = nullptr;  ///< id and freed bit of each granule; 0: never allocated
  std::uint64_t table_bytes_ = 0;
  std::uint64_t overflow_budget_ = 0;
  Zone overflow_, device_, host_;
  std::vector<Record> records_;  ///< by id; 0 unused
  std::vector<std::uint32_t> free_records_;
  std::map<std::uint64_t, std::uint32_t> live_;     ///< begin -> id
  std::map<std::uint64_t, Allocation> registered_;  ///< begin -> range
  std::map<std::uint64_t, Region> generated_;       ///< begin -> region; not in the granule table
  std::uint64_t next_number_ = 1;
};

}  // namespace heddle::gpu
