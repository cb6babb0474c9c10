// SPDX-License-Identifier: Apache-2.0
// The registers by which a platform drives the GPU: where they lie, what may be done to each, what an access to them
// does. No time and no sockets; docs/host-interface.md says what the registers mean.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::gpu::host {

// clang-format off
inline constexpr std::uint64_t
  // -- what it is
  kIdentification      = 0x000,  ///< r   kIdentificationValue
  kVersion             = 0x004,  ///< r   kVersionValue
  kSmCount             = 0x008,  ///< r
  kCapability          = 0x00c,  ///< r   compute capability: 10 x major + minor
  kMemoryBase          = 0x010,  ///< r   64 bits: the device address of byte 0 of the memory window
  kMemoryBytes         = 0x018,  ///< r   64 bits: bytes of the window that are the platform's
  // -- how it is
  kStatus              = 0x020,  ///< r   kBusy, kUnusable
  kError               = 0x024,  ///< r   outcome of the last command: 0, or a heddle::ExitCode
  kInterruptStatus     = 0x028,  ///< r   kLaunchDone, kLaunchFailed
  kInterruptEnable     = 0x02c,  ///< rw  the same bits: which of them raise the interrupt
  kInterruptClear      = 0x030,  ///< w   the same bits: which to clear
  kReset               = 0x034,  ///< w   command: forget modules
  // -- modules, kernels, variables
  kTextAddress         = 0x040,  ///< rw  64 bits: device address of PTX or of a name
  kTextBytes           = 0x048,  ///< rw  its bytes
  kLoadModule          = 0x04c,  ///< w   command: the text is PTX
  kModule              = 0x050,  ///< rw  handle; 0: none
  kFindKernel          = 0x054,  ///< w   command: the text names a kernel of the module
  kKernel              = 0x058,  ///< rw  handle; 0: none
  kFindVariable        = 0x05c,  ///< w   command: the text names a variable of the module
  kVariableAddress     = 0x060,  ///< r   64 bits: device address
  kVariableBytes       = 0x068,  ///< r   64 bits
  kParameterBytes      = 0x070,  ///< r   of the kernel that was found last: of its parameter block
  kStaticSharedBytes   = 0x074,  ///< r   a block's shared memory
  kRegistersPerThread  = 0x078,  ///< r   of 32 bits
  kLocalBytes          = 0x07c,  ///< r   a thread's local memory
  // -- launches
  kGridX               = 0x080,  ///< rw  blocks
  kGridY               = 0x084,
  kGridZ               = 0x088,
  kBlockX              = 0x08c,  ///< rw  threads
  kBlockY              = 0x090,
  kBlockZ              = 0x094,
  kSharedBytes         = 0x098,  ///< rw  dynamic shared memory of a block
  kParametersAddress   = 0x0a0,  ///< rw  64 bits: device address of the parameter block
  kCycleLimit          = 0x0a8,  ///< rw  64 bits: core cycles after which a launch fails; 0: none
  kDoorbell            = 0x0b0,  ///< w   command: launch
  kLaunches            = 0x0b8,  ///< r   64 bits: launches that have ended, failed ones too
  kCycles              = 0x0c0,  ///< r   64 bits: core cycles of the last
  kThreadInstructions  = 0x0c8,  ///< r   64 bits: of the last
  // -- why
  kMessage             = 0x400,  ///< r   text of the last error; ends with a zero byte
  kEnd                 = 0x800;
// clang-format on

inline constexpr std::uint32_t kIdentificationValue = 0x4c444548;  ///< "HEDL" as bytes in memory
inline constexpr std::uint32_t kVersionValue = 1;                  ///< of this map
inline constexpr std::uint32_t kBusy = 1, kUnusable = 2;
inline constexpr std::uint32_t kLaunchDone = 1, kLaunchFailed = 2;

/// What commands do; each ends by setting kError.
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
  command,  ///< a register that cannot be read, or one that cannot be written
  busy      ///< a command while a launch is under way
};

/// An access that has another outcome than done() changes nothing.
class Registers {
 public:
  explicit Registers(Commands& commands);

  /// 4 bytes at a multiple of 4, or 8 at a multiple of 8, little-endian: two registers, or one of 64 bits.
  Outcome read(std::uint64_t address, unsigned bytes, unsigned char* to) const;
  Outcome write(std::uint64_t address, unsigned bytes, const unsigned char* from);
  /// Whether such a write begins a command.
  static bool is_command(std::uint64_t address, unsigned bytes);

  std::uint32_t get(std::uint64_t address) const { return words_[address / 4]; }
  std::uint64_t get64(std::uint64_t address) const { return std::uint64_t{get(address + 4)} << 32 | get(address); }
  void set(std::uint64_t address, std::uint32_t value) { words_[address / 4] = value; }
  void set64(std::uint64_t address, std::uint64_t value);
  /// Sets kMessage; what does not fit is cut off.
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
