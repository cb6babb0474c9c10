// SPDX-License-Identifier: Apache-2.0
// The registers by which a platform drives the GPU: addresses, access rights and side effects. Without time or sockets;
// docs/host-interface.md describes the registers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::gpu::host {

// clang-format off
inline constexpr std::uint64_t
  // -- identification
  kIdentification      = 0x000,  ///< r   kIdentificationValue
  kVersion             = 0x004,  ///< r   kVersionValue
  kSmCount             = 0x008,  ///< r
  kCapability          = 0x00c,  ///< r   compute capability: 10 x major + minor
  kMemoryBase          = 0x010,  ///< r   64 bits: the device address of byte 0 of the memory window
  kMemoryBytes         = 0x018,  ///< r   64 bits: bytes of the window available to the platform
  // -- status
  kStatus              = 0x020,  ///< r   kBusy, kUnusable
  kError               = 0x024,  ///< r   outcome of the last command: 0, or a heddle::ExitCode
  kInterruptStatus     = 0x028,  ///< r   kLaunchDone, kLaunchFailed
  kInterruptEnable     = 0x02c,  ///< rw  same bits: enables for the interrupt line
  kInterruptClear      = 0x030,  ///< w   same bits: write 1 to clear
  kReset               = 0x034,  ///< w   command: unload all modules
  // -- modules, kernels, variables
  kTextAddress         = 0x040,  ///< rw  64 bits: device address of PTX or of a name
  kTextBytes           = 0x048,  ///< rw  length of the text in bytes
  kLoadModule          = 0x04c,  ///< w   command: the text is PTX
  kModule              = 0x050,  ///< rw  handle; 0: none
  kFindKernel          = 0x054,  ///< w   command: the text names a kernel of the module
  kKernel              = 0x058,  ///< rw  handle; 0: none
  kFindVariable        = 0x05c,  ///< w   command: the text names a variable of the module
  kVariableAddress     = 0x060,  ///< r   64 bits: device address
  kVariableBytes       = 0x068,  ///< r   64 bits
  kParameterBytes      = 0x070,  ///< r   parameter block of the kernel found last
  kStaticSharedBytes   = 0x074,  ///< r   static shared memory per block
  kRegistersPerThread  = 0x078,  ///< r   32-bit registers
  kLocalBytes          = 0x07c,  ///< r   local memory per thread
  // -- launches
  kGridX               = 0x080,  ///< rw  blocks
  kGridY               = 0x084,
  kGridZ               = 0x088,
  kBlockX              = 0x08c,  ///< rw  threads
  kBlockY              = 0x090,
  kBlockZ              = 0x094,
  kSharedBytes         = 0x098,  ///< rw  dynamic shared memory per block
  kParametersAddress   = 0x0a0,  ///< rw  64 bits: device address of the parameter block
  kCycleLimit          = 0x0a8,  ///< rw  64 bits: core cycles after which a launch fails; 0: none
  kDoorbell            = 0x0b0,  ///< w   command: launch
  kLaunches            = 0x0b8,  ///< r   64 bits: launches that have ended, including failed ones
  kCycles              = 0x0c0,  ///< r   64 bits: core cycles of the last launch
  kThreadInstructions  = 0x0c8,  ///< r   64 bits: of the last launch
  // -- errors
  kMessage             = 0x400,  ///< r   text of the last error, zero-terminated
  kEnd                 = 0x800;
// clang-format on

inline constexpr std::uint32_t kIdentificationValue = 0x4c444548;  ///< "HEDL" as bytes in memory
inline constexpr std::uint32_t kVersionValue = 1;                  ///< version of this register map
inline constexpr std::uint32_t kBusy = 1, kUnusable = 2;
inline constexpr std::uint32_t kLaunchDone = 1, kLaunchFailed = 2;

/// Handlers of the commands; each ends by setting kError.
class Commands {
 public:
  virtual ~Commands() = default;
  virtual void load_module() = 0;
  virtual void find_kernel() = 0;
  virtual void find_variable() = 0;
  virtual void launch() = 0;
  virtual void reset() = 0;
  /// kInterruptStatus or kInterruptEnable changed.
  virtual void interrupts_changed() = 0;
};

enum class Outcome : std::uint8_t {
  done,
  address,  ///< not aligned, or no register there
  length,   ///< not 4 or 8 bytes
  command,  ///< read of a write-only or write to a read-only register
  busy      ///< a command while a launch is in progress
};

/// An access with any outcome other than `done` has no effect.
class Registers {
 public:
  explicit Registers(Commands& commands);

  /// 4 bytes at a multiple of 4, or 8 at a multiple of 8, little-endian: two registers, or one of 64 bits.
  Outcome read(std::uint64_t address, unsigned bytes, unsigned char* to) const;
  Outcome write(std::uint64_t address, unsigned bytes, const unsigned char* from);
  /// Whether such a write starts a command.
  static bool is_command(std::uint64_t address, unsigned bytes);

  std::uint32_t get(std::uint64_t address) const { return words_[address / 4]; }
  std::uint64_t get64(std::uint64_t address) const { return std::uint64_t{get(address + 4)} << 32 | get(address); }
  void set(std::uint64_t address, std::uint32_t value) { words_[address / 4] = value; }
  void set64(std::uint64_t address, std::uint64_t value);
  /// Sets kMessage, truncated if necessary.
  void set_message(std::string_view text);
  void raise(std::uint32_t interrupts);
  bool busy() const { return (get(kStatus) & kBusy) != 0; }

 private:
  Outcome check(std::uint64_t address, unsigned bytes, bool write) const;
  void command(std::uint64_t address, std::uint32_t value);

  std::array<std::uint32_t, kEnd / 4> words_{};
  Commands& commands_;
};

}  // namespace heddle::gpu::host
