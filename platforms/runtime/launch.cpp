// SPDX-License-Identifier: Apache-2.0
// Kernel launches, attributes and occupancy queries.
#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/occupancy.h"
#include "runtime/function_name.h"
#include "runtime/launch.h"
#include "runtime/messages.h"
#include "runtime/runtime.h"

using heddle::gpu::BlockNeeds;
using heddle::gpu::DeviceLimits;
using heddle::runtime::api;
using heddle::runtime::CallConfiguration;
using heddle::runtime::KernelEntry;
using heddle::runtime::KernelWork;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

constexpr std::uint32_t kDefaultSharedLimit = 48 * 1024;  // more requires cudaFuncSetAttribute

/// Arguments packed in one buffer with the layout of the kernel's parameter space: a key-value list that ends with a
/// null key.
struct PackedArguments {
  explicit PackedArguments(void* const* extra) {
    constexpr std::uintptr_t kBuffer = 1, kSize = 2;  // CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE
    for (; extra != nullptr && *extra != nullptr; extra += 2) {
      const auto key = reinterpret_cast<std::uintptr_t>(extra[0]);
      if (key == kBuffer) bytes = static_cast<const std::byte*>(extra[1]);
      if (key == kSize) size = *static_cast<const std::size_t*>(extra[1]);
    }
  }
  const std::byte* at(const heddle::isa::Parameter& parameter) const {
    require(bytes != nullptr && parameter.offset + parameter.size <= size, cudaErrorInvalidValue);
    return bytes + parameter.offset;
  }

  const std::byte* bytes = nullptr;
  std::size_t size = 0;
};

/// A refused launch, with the reason.
class Refusal final : public heddle::runtime::ApiError {
 public:
  Refusal(cudaError_t code, std::string message) : ApiError(code), message_(std::move(message)) {}
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

[[noreturn]] void refuse(cudaError_t code, std::string message) { throw Refusal(code, std::move(message)); }

KernelEntry& kernel_of(Runtime& runtime, const void* function) {
  require(function != nullptr, cudaErrorInvalidDeviceFunction);
  KernelEntry* entry = runtime.modules().find_kernel(function, runtime.site());
  if (entry == nullptr) {
    refuse(cudaErrorInvalidDeviceFunction,
           fmt::format(
               "host function {} is not registered as a kernel by any device code of the program; its source must be "
               "compiled as CUDA, and what -dlink makes be linked when it is relocatable",
               heddle::runtime::function_name(function)));
  }
  return *entry;
}

/// Maximum threads per block for this kernel.
std::uint32_t most_threads(const DeviceLimits& limits, const heddle::isa::Kernel& kernel) {
  std::uint32_t most = limits.max_threads_per_block;
  if (kernel.max_threads[0] != 0) {
    std::uint64_t bound = 1;
    for (const std::uint32_t extent : kernel.max_threads) bound *= std::max(extent, 1u);
    most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, bound));
  }
  while (most > 32 && heddle::gpu::occupancy(limits, {most, kernel.registers, 0}).blocks_per_sm == 0) most -= 32;
  return most;
}

std::uint32_t dynamic_shared_limit(const DeviceLimits& limits, const KernelEntry& entry) {
  const std::uint32_t fixed = entry.kernel->static_shared_bytes;
  const std::uint32_t ordinary = std::min(kDefaultSharedLimit, limits.shared_bytes_per_block);
  return std::max(entry.max_dynamic_shared, ordinary > fixed ? ordinary - fixed : 0);
}

/// kernel: the variant that runs for such a block.
void check_configuration(const DeviceLimits& limits, const KernelEntry& entry, const heddle::isa::Kernel& kernel,
                         dim3 grid, dim3 block, std::size_t shared) {
  const std::uint32_t grids[3] = {grid.x, grid.y, grid.z}, blocks[3] = {block.x, block.y, block.z};
  for (unsigned i = 0; i < 3; ++i) {
    if (grids[i] == 0 || blocks[i] == 0 || grids[i] > limits.max_grid_dim[i] || blocks[i] > limits.max_block_dim[i]) {
      refuse(cudaErrorInvalidConfiguration,
             fmt::format(
                 "launch of kernel '{}': grid ({},{},{}), block ({},{},{}): extents must be 1 to ({},{},{}) and 1 to "
                 "({},{},{})",
                 kernel.name, grid.x, grid.y, grid.z, block.x, block.y, block.z, limits.max_grid_dim[0],
                 limits.max_grid_dim[1], limits.max_grid_dim[2], limits.max_block_dim[0], limits.max_block_dim[1],
                 limits.max_block_dim[2]));
    }
  }
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > limits.max_threads_per_block) {
    refuse(cudaErrorInvalidConfiguration,
           fmt::format("launch of kernel '{}': {} threads per block, the machine allows at most {}", kernel.name,
                       threads, limits.max_threads_per_block));
  }
  if (kernel.static_shared_bytes > limits.shared_bytes_per_block) {
    refuse(cudaErrorLaunchOutOfResources,
           fmt::format("launch of kernel '{}': {} bytes of static shared memory, the machine gives a block at most {}",
                       kernel.name, kernel.static_shared_bytes, limits.shared_bytes_per_block));
  }
  if (const std::uint32_t most = most_threads(limits, kernel); threads > most) {
    refuse(cudaErrorLaunchOutOfResources,
           fmt::format(
               "launch of kernel '{}': {} threads per block; its launch bounds and {} registers per thread allow at "
               "most {}",
               kernel.name, threads, kernel.registers, most));
  }
  if (kernel.required_threads && (block.x != kernel.max_threads[0] || block.y != std::max(kernel.max_threads[1], 1u) ||
                                  block.z != std::max(kernel.max_threads[2], 1u))) {
    refuse(cudaErrorInvalidValue,
           fmt::format("launch of kernel '{}': its blocks must be ({},{},{})", kernel.name, kernel.max_threads[0],
                       std::max(kernel.max_threads[1], 1u), std::max(kernel.max_threads[2], 1u)));
  }
  if (const std::uint32_t most = dynamic_shared_limit(limits, entry); shared > most) {
    refuse(cudaErrorInvalidValue,
           fmt::format(
               "launch of kernel '{}': {} bytes of dynamic shared memory on top of {} static bytes; only {} are left",
               kernel.name, shared, kernel.static_shared_bytes, most));
  }
}

/// Launch bounds may request several blocks per SM, which limits registers. Notes a limit below the need.
void note_launch_bounds(const DeviceLimits& limits, const heddle::isa::Kernel& kernel) {
  if (kernel.min_blocks <= 1 || kernel.max_threads[0] == 0) return;
  std::uint32_t threads = 1;
  for (const std::uint32_t extent : kernel.max_threads) threads *= std::max(extent, 1u);
  const auto holds = heddle::gpu::occupancy(limits, {threads, kernel.registers, kernel.static_shared_bytes});
  const auto otherwise = heddle::gpu::occupancy(limits, {threads, 0, kernel.static_shared_bytes});
  if (holds.blocks_per_sm >= kernel.min_blocks || holds.blocks_per_sm >= otherwise.blocks_per_sm) return;
  heddle::runtime::say_note(fmt::format(
      "kernel '{}': its launch bounds ask for {} blocks of {} threads per SM; with the {} registers per thread that it "
      "needs the machine holds {}",
      kernel.name, kernel.min_blocks, threads, kernel.registers, holds.blocks_per_sm));
}

std::uint64_t resident_blocks(const DeviceLimits& limits, const heddle::isa::Kernel& kernel, std::uint32_t threads,
                              std::size_t shared) {
  const BlockNeeds needs{threads, kernel.registers, kernel.static_shared_bytes + static_cast<std::uint32_t>(shared)};
  return std::uint64_t{heddle::gpu::occupancy(limits, needs).blocks_per_sm} * limits.sm_count;
}

/// The variant that runs for such a block; the unmodified kernel if none fits.
std::shared_ptr<const heddle::isa::Kernel> fit(Runtime& runtime, KernelEntry& entry, std::uint64_t threads,
                                               std::size_t shared) {
  const DeviceLimits& limits = runtime.device().limits();
  if (threads > limits.max_threads_per_block || shared > limits.shared_bytes_per_block) return entry.kernel;
  return runtime.modules().fit(entry, runtime.site(), static_cast<std::uint32_t>(threads), shared);
}

/// `copy(to, index, parameter)` copies a parameter into place.
template <typename Copy>
void run(Runtime& runtime, KernelEntry& entry, const CallConfiguration& call, bool cooperative, Copy&& copy) {
  if (!runtime.streams().valid(call.stream)) {
    refuse(cudaErrorInvalidResourceHandle,
           fmt::format("launch of kernel '{}': there is no such stream", entry.kernel->name));
  }
  const DeviceLimits& limits = runtime.device().limits();
  note_launch_bounds(limits, *entry.kernel);
  heddle::gpu::LaunchRequest request;
  request.kernel = fit(runtime, entry, std::uint64_t{call.block.x} * call.block.y * call.block.z, call.shared_bytes);
  check_configuration(limits, entry, *request.kernel, call.grid, call.block, call.shared_bytes);
  request.grid = {call.grid.x, call.grid.y, call.grid.z};
  request.block = {call.block.x, call.block.y, call.block.z};
  request.dynamic_shared_bytes = static_cast<std::uint32_t>(call.shared_bytes);
  request.stream = runtime.streams().id(call.stream);
  if (cooperative) {
    const std::uint64_t most =
        resident_blocks(limits, *request.kernel, static_cast<std::uint32_t>(request.block.volume()), call.shared_bytes);
    if (request.grid.volume() > most) {
      refuse(cudaErrorCooperativeLaunchTooLarge,
             fmt::format("launch of kernel '{}': {} co-resident blocks; the machine can hold {}", entry.kernel->name,
                         request.grid.volume(), most));
    }
  }
  request.parameters.resize(entry.kernel->parameter_bytes);
  for (std::size_t i = 0; i < entry.kernel->parameters.size(); ++i) {
    const heddle::isa::Parameter& parameter = entry.kernel->parameters[i];
    copy(&request.parameters[parameter.offset], i, parameter);
  }
  runtime.launch(std::move(request));
}

/// Runs `body`, which launches. A refused launch does not appear in results. With kernel<<<...>>> the returned code is
/// lost (`silent`).
template <typename Body>
cudaError_t launching(bool silent, Body&& body) {
  return api([&](Runtime& runtime) {
    try {
      body(runtime);
    } catch (const Refusal& refusal) {
      runtime.refused(heddle::ExitCode::launch, refusal.message(), silent);
      throw;
    }
  });
}

/// silent: the returned code is lost.
cudaError_t launch(const void* function, const CallConfiguration& call, void** arguments, void** extra,
                   bool cooperative, bool silent) {
  return launching(silent, [&](Runtime& runtime) {
    KernelEntry& entry = kernel_of(runtime, function);
    const PackedArguments packed(extra);
    require(arguments != nullptr || packed.bytes != nullptr || entry.kernel->parameters.empty(), cudaErrorInvalidValue);
    if (runtime.captures(call.stream)) {
      KernelWork work =
          heddle::runtime::kernel_work(runtime, {const_cast<void*>(function), call.grid, call.block,
                                                 static_cast<unsigned>(call.shared_bytes), arguments, extra});
      work.cooperative = cooperative;
      runtime.graphs().record(call.stream, std::move(work));
      return;
    }
    run(runtime, entry, call, cooperative, [&](std::byte* to, std::size_t i, const heddle::isa::Parameter& parameter) {
      std::memcpy(to, arguments != nullptr ? arguments[i] : packed.at(parameter), parameter.size);
    });
  });
}

}  // namespace

namespace heddle::runtime {

KernelWork kernel_work(Runtime& runtime, const cudaKernelNodeParams& parameters) {
  const KernelEntry& entry = kernel_of(runtime, parameters.func);
  KernelWork work;
  work.function = parameters.func;
  work.grid = parameters.gridDim;
  work.block = parameters.blockDim;
  work.shared_bytes = parameters.sharedMemBytes;
  const auto& expected = entry.kernel->parameters;
  const PackedArguments packed(parameters.extra);
  require(parameters.kernelParams != nullptr || packed.bytes != nullptr || expected.empty(), cudaErrorInvalidValue);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(parameters.kernelParams != nullptr ? parameters.kernelParams[i]
                                                                                        : packed.at(expected[i]));
    require(from != nullptr, cudaErrorInvalidValue);
    work.arguments.emplace_back(from, from + expected[i].size);
  }
  return work;
}

cudaError_t launch_kernel(const void* function, const CallConfiguration& call, void** arguments, void** extra,
                          bool cooperative) {
  return launch(function, call, arguments, extra, cooperative, false);
}

cudaError_t refuse_clusters(const void* function) {
  return launching(false, [&](Runtime& runtime) {
    refuse(cudaErrorNotSupported,
           fmt::format("launch of kernel '{}': clusters of blocks are not modelled; launch it with a cluster of one "
                       "block",
                       kernel_of(runtime, function).kernel->name));
  });
}

}  // namespace heddle::runtime

// -- launches

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
  heddle::runtime::call_configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  auto& calls = heddle::runtime::call_configurations();
  if (calls.empty()) return heddle::runtime::last_error() = cudaErrorMissingConfiguration;
  *grid = calls.back().grid;
  *block = calls.back().block;
  *shared_bytes = calls.back().shared_bytes;
  *static_cast<cudaStream_t*>(stream) = calls.back().stream;
  calls.pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream}, arguments, nullptr, false, true);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream}, arguments, nullptr, true, false);
}

cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* launches, unsigned count, unsigned) {
  if (launches == nullptr || count != 1) return api([](Runtime&) { require(false, cudaErrorInvalidValue); });
  return launch(launches->func, {launches->gridDim, launches->blockDim, launches->sharedMem, launches->stream},
                launches->args, nullptr, true, false);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (config == nullptr || (config->attrs == nullptr && config->numAttrs != 0))
    return api([](Runtime&) { require(false, cudaErrorInvalidValue); });
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& one = config->attrs[i];
    if (one.id == cudaLaunchAttributeCooperative) cooperative = one.val.cooperative != 0;
    const auto& cluster = one.val.clusterDim;
    if (one.id == cudaLaunchAttributeClusterDimension && (cluster.x > 1 || cluster.y > 1 || cluster.z > 1))
      return heddle::runtime::refuse_clusters(function);
  }
  return launch(function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream}, arguments,
                nullptr, cooperative, false);
}

// Launch interface before CUDA 9.2: configure, set arguments one by one, launch.
namespace {
std::vector<std::byte>& pending_arguments() {
  thread_local std::vector<std::byte> arguments;
  return arguments;
}
}  // namespace

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  pending_arguments().clear();
  __cudaPushCallConfiguration(grid, block, shared_bytes, stream);
  return cudaSuccess;
}

extern "C" cudaError_t cudaSetupArgument(const void* argument, std::size_t size, std::size_t offset) {
  constexpr std::size_t kMostBytes = 4096;  // maximum size of kernel parameters
  if (argument == nullptr || offset > kMostBytes || size > kMostBytes - offset)
    return heddle::runtime::last_error() = cudaErrorInvalidValue;
  auto& bytes = pending_arguments();
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(&bytes[offset], argument, size);
  return cudaSuccess;
}

extern "C" cudaError_t cudaLaunch(const void* function) {
  return launching(true, [&](Runtime& runtime) {
    CallConfiguration call;
    const bool configured =
        __cudaPopCallConfiguration(&call.grid, &call.block, &call.shared_bytes, &call.stream) == cudaSuccess;
    require(configured, cudaErrorMissingConfiguration);
    const std::vector<std::byte> bytes = std::move(pending_arguments());
    pending_arguments().clear();
    run(runtime, kernel_of(runtime, function), call, false,
        [&](std::byte* to, std::size_t, const heddle::isa::Parameter& parameter) {
          require(parameter.offset + parameter.size <= bytes.size(), cudaErrorInvalidValue);
          std::memcpy(to, &bytes[parameter.offset], parameter.size);
        });
  });
}

// -- attributes

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api([&](Runtime& runtime) {
    require(attributes != nullptr, cudaErrorInvalidValue);
    const KernelEntry& entry = kernel_of(runtime, function);
    const DeviceLimits& limits = runtime.device().limits();
    *attributes = {};
    attributes->sharedSizeBytes = entry.kernel->static_shared_bytes;
    attributes->constSizeBytes = runtime.modules().constant_bytes(entry);
    attributes->localSizeBytes = entry.kernel->local_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(most_threads(limits, *entry.kernel));
    attributes->numRegs = static_cast<int>(entry.kernel->registers);
    attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(runtime.site().capability());
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(limits, entry));
    attributes->preferredShmemCarveout = entry.preferred_carveout;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api([&](Runtime& runtime) {
    KernelEntry& entry = kernel_of(runtime, function);
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize: {
        const std::uint32_t room = runtime.device().limits().shared_bytes_per_block - entry.kernel->static_shared_bytes;
        require(value >= 0 && static_cast<std::uint32_t>(value) <= room, cudaErrorInvalidValue);
        entry.max_dynamic_shared = static_cast<std::uint32_t>(value);
        return;
      }
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        require(value >= -1 && value <= 100, cudaErrorInvalidValue);
        entry.preferred_carveout = value;
        return;
      default:
        throw heddle::runtime::ApiError(cudaErrorInvalidValue);
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  return api([&](Runtime& runtime) {
    require(config <= cudaFuncCachePreferEqual, cudaErrorInvalidValue);
    require(runtime.modules().find_registered_kernel(function) != nullptr, cudaErrorInvalidDeviceFunction);
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig config) {
  return api([&](Runtime& runtime) {
    require(config <= cudaSharedMemBankSizeEightByte, cudaErrorInvalidValue);
    require(runtime.modules().find_registered_kernel(function) != nullptr, cudaErrorInvalidDeviceFunction);
  });
}

cudaError_t cudaSetDoubleForDevice(double*) { return cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double*) { return cudaSuccess; }

// -- occupancy

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   std::size_t shared_bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(blocks != nullptr && block_size > 0 && (flags & ~cudaOccupancyDisableCachingOverride) == 0,
            cudaErrorInvalidValue);
    KernelEntry& entry = kernel_of(runtime, function);
    const DeviceLimits& limits = runtime.device().limits();
    const auto threads = static_cast<std::uint32_t>(block_size);
    const auto kernel = fit(runtime, entry, threads, shared_bytes);
    *blocks = static_cast<int>(resident_blocks(limits, *kernel, threads, shared_bytes) / limits.sm_count);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes,
                                                                cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes, const void* function, int blocks,
                                                      int block_size) {
  return api([&](Runtime& runtime) {
    require(shared_bytes != nullptr && blocks > 0 && block_size > 0, cudaErrorInvalidValue);
    KernelEntry& entry = kernel_of(runtime, function);
    const DeviceLimits& limits = runtime.device().limits();
    const std::uint32_t unit = std::max(limits.shared_allocation_unit, 1u);
    const std::uint32_t each = limits.shared_bytes_per_sm / static_cast<std::uint32_t>(blocks) / unit * unit;
    const std::uint32_t most = std::min(each, limits.shared_bytes_per_block), fixed = entry.kernel->static_shared_bytes;
    const auto threads = static_cast<std::uint32_t>(block_size);
    const bool fits = most >= fixed && resident_blocks(limits, *fit(runtime, entry, threads, 0), threads, 0) >=
                                           std::uint64_t{limits.sm_count} * static_cast<std::uint32_t>(blocks);
    require(fits, cudaErrorInvalidValue);
    *shared_bytes = most - fixed;
  });
}
