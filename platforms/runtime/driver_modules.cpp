// SPDX-License-Identifier: Apache-2.0
// Driver API: code loaded at run time and its launches. Also implements the runtime API's libraries.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "runtime/driver.h"
#include "runtime/launch.h"
#include "runtime/messages.h"

using namespace heddle::runtime;

/// PTX texts to link.
struct CUlinkState_st {
  std::vector<std::unique_ptr<std::string>> texts;
  std::vector<const void*> members;  ///< the texts, null-terminated
  FatBinaryWrapper wrapper{};
};

namespace {

/// Guarded by the runtime's lock.
std::set<CUmodule>& modules() {
  static auto& all = *new std::set<CUmodule>;
  return all;
}

std::set<CUlinkState>& links() {
  static auto& all = *new std::set<CUlinkState>;
  return all;
}

CUmod_st& module_of(CUmodule module) {
  require(modules().count(module) != 0, cudaErrorInvalidResourceHandle);
  return *module;
}

/// Destination of the compiler log, from the load options.
struct Log {
  char* text = nullptr;
  std::size_t bytes = 0;

  Log(unsigned count, const CUjit_option* options, void* const* values) {
    for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) text = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) bytes = reinterpret_cast<std::size_t>(values[i]);
    }
  }
  void write(const std::string& message) const {
    if (text == nullptr || bytes == 0) return;
    const std::size_t length = std::min(message.size(), bytes - 1);
    std::memcpy(text, message.data(), length);
    text[length] = '\0';
  }
};

/// `image`: PTX text, a container, or the result of linking.
void load(Runtime& runtime, CUmodule* result, const void* image, const std::string& origin, const Log& log) {
  require(result != nullptr && image != nullptr, cudaErrorInvalidValue);
  *result = nullptr;
  auto module = std::make_unique<CUmod_st>();
  try {
    const auto* given = static_cast<const FatBinaryWrapper*>(image);
    std::uint32_t magic = 0;
    std::memcpy(&magic, image, sizeof magic);
    if (magic == FatBinaryWrapper::kMagic && given->version == 2) {
      module->wrapper = *given;
    } else {
      const void* data = magic == FatBinaryWrapper::kMagic ? given->data : image;
      module->text = choose_image(read_device_images(data, origin), runtime.site().capability(), origin).text;
      module->wrapper = {FatBinaryWrapper::kMagic, 1, module->text.c_str(), nullptr};
    }
    module->binary = runtime.modules().add_binary(&module->wrapper);
    runtime.modules().load(module->binary, runtime.site());
  } catch (const heddle::Error& error) {
    if (module->binary != nullptr) runtime.modules().remove_binary(module->binary);
    log.write(error.what());
    say_error(error.what());
    throw ApiError(cudaErrorInvalidPtx);
  }
  modules().insert(module.get());
  *result = module.release();
}

/// The contents of a file; empty when it cannot be read.
std::string bytes_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void load_file(Runtime& runtime, CUmodule* result, const char* file, const Log& log) {
  require(file != nullptr, cudaErrorInvalidValue);
  std::error_code ignored;
  require(std::filesystem::is_regular_file(file, ignored), cudaErrorFileNotFound);
  const std::string text = bytes_of(file);
  load(runtime, result, text.c_str(), file, log);
}

void unload(Runtime& runtime, CUmodule handle) {
  CUmod_st& module = module_of(handle);
  runtime.synchronize();
  runtime.modules().unload(module.binary, runtime.site());
  modules().erase(handle);
  delete handle;
}

CUfunction function_of(Runtime& runtime, CUmodule handle, const char* name) {
  CUmod_st& module = module_of(handle);
  require(name != nullptr, cudaErrorInvalidValue);
  require(module.binary->loaded->module->find_kernel(name) != nullptr, cudaErrorSymbolNotFound);
  auto& function = module.functions[name];
  if (function == nullptr) {
    function = std::make_unique<CUfunc_st>(CUfunc_st{handle, name});
    runtime.modules().add_kernel(module.binary, function.get(), name);
  }
  return function.get();
}

void global_of(CUmodule handle, const char* name, void** address, std::size_t* bytes) {
  const CUmod_st& module = module_of(handle);
  require(name != nullptr, cudaErrorInvalidValue);
  const LoadedModule& loaded = *module.binary->loaded;
  const auto found = loaded.addresses.find(name);
  const heddle::isa::Variable* variable = loaded.module->find_variable(name);
  require(found != loaded.addresses.end() && variable != nullptr, cudaErrorSymbolNotFound);
  if (address != nullptr) *address = reinterpret_cast<void*>(found->second);
  if (bytes != nullptr) *bytes = variable->size;
}

const void* key(CUfunction function) { return function; }

}  // namespace

// -- modules

CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return driver::call([&] {
    return api([&](Runtime& runtime) { load_file(runtime, module, file, {0, nullptr, nullptr}); });
  });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  return driver::call([&] {
    return api([&](Runtime& runtime) { load(runtime, module, image, "module", {count, options, values}); });
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }

CUresult cuModuleUnload(CUmodule module) {
  return driver::call([&] { return api([&](Runtime& runtime) { unload(runtime, module); }); });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return driver::call([&] {
    return api([&](Runtime& runtime) {
      require(function != nullptr, cudaErrorInvalidValue);
      *function = function_of(runtime, module, name);
    });
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  return driver::call(
      [&] { return api([&](Runtime&) { global_of(module, name, reinterpret_cast<void**>(address), bytes); }); });
}

// -- linking

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
  return driver::call([&] {
    return api([&](Runtime&) {
      require(state != nullptr, cudaErrorInvalidValue);
      *state = new CUlinkState_st;
      links().insert(*state);
    });
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char*, unsigned,
                       CUjit_option*, void**) {
  return driver::call([&] {
    return api([&](Runtime& runtime) {
      require(links().count(state) != 0, cudaErrorInvalidResourceHandle);
      require(data != nullptr && (type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY), cudaErrorNotSupported);
      // The text may or may not include the terminating NUL.
      auto text = std::make_unique<std::string>(static_cast<const char*>(data), size);
      if (type == CU_JIT_INPUT_PTX) {
        text->resize(std::strlen(text->c_str()));
      } else {
        *text = choose_image(read_device_images(data, "linked code"), runtime.site().capability(), "linked code").text;
      }
      state->texts.push_back(std::move(text));
    });
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* file, unsigned count, CUjit_option* options,
                       void** values) {
  std::error_code ignored;
  if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!std::filesystem::is_regular_file(file, ignored)) return CUDA_ERROR_FILE_NOT_FOUND;
  std::string text = bytes_of(file);
  return cuLinkAddData(state, type, text.data(), text.size(), file, count, options, values);
}

CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* size) {
  return driver::call([&] {
    return api([&](Runtime&) {
      require(links().count(state) != 0, cudaErrorInvalidResourceHandle);
      require(image != nullptr && !state->texts.empty(), cudaErrorInvalidValue);
      state->members.clear();
      for (const auto& text : state->texts) state->members.push_back(text->c_str());
      state->members.push_back(nullptr);
      state->wrapper = {FatBinaryWrapper::kMagic, 2, state->members.front(), state->members.data()};
      *image = &state->wrapper;
      if (size != nullptr) *size = sizeof state->wrapper;
    });
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return driver::call([&] {
    return api([&](Runtime&) {
      require(links().erase(state) != 0, cudaErrorInvalidResourceHandle);
      delete state;
    });
  });
}

// -- libraries, of both interfaces

namespace {

CUmodule module_in(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption*, void**, unsigned) {
  return driver::without_context([&] {
    return api([&](Runtime& runtime) {
      load(runtime, reinterpret_cast<CUmodule*>(library), code, "library", {count, options, values});
    });
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                               unsigned count, CUlibraryOption*, void**, unsigned) {
  return driver::without_context([&] {
    return api([&](Runtime& runtime) {
      load_file(runtime, reinterpret_cast<CUmodule*>(library), file, {count, options, values});
    });
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return driver::without_context([&] { return api([&](Runtime& runtime) { unload(runtime, module_in(library)); }); });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return driver::without_context([&] {
    return api([&](Runtime& runtime) {
      require(kernel != nullptr, cudaErrorInvalidValue);
      *kernel = function_of(runtime, module_in(library), name);
    });
  });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return driver::call([&] {
    return api([&](Runtime&) {
      require(module != nullptr, cudaErrorInvalidValue);
      *module = &module_of(module_in(library));
    });
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library, const char* name) {
  return cuModuleGetGlobal(address, bytes, module_in(library), name);
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  if (function == nullptr || kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = kernel;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(kernel, attribute, value);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime& runtime) {
    load(runtime, reinterpret_cast<CUmodule*>(library), code, "library", {0, nullptr, nullptr});
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime& runtime) {
    load_file(runtime, reinterpret_cast<CUmodule*>(library), file, {0, nullptr, nullptr});
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api([&](Runtime& runtime) { unload(runtime, module_in(library)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return api([&](Runtime& runtime) {
    require(kernel != nullptr, cudaErrorInvalidValue);
    *kernel = function_of(runtime, module_in(library), name);
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, cudaLibrary_t library, const char* name) {
  return api([&](Runtime&) { global_of(module_in(library), name, address, bytes); });
}

cudaError_t cudaLibraryGetManaged(void** address, std::size_t* bytes, cudaLibrary_t library, const char* name) {
  return cudaLibraryGetGlobal(address, bytes, library, name);
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return api([&](Runtime&) {
    require(count != nullptr, cudaErrorInvalidValue);
    *count = static_cast<unsigned>(module_of(module_in(library)).binary->loaded->module->kernels().size());
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return api([&](Runtime& runtime) {
    require(kernels != nullptr, cudaErrorInvalidValue);
    const auto& all = module_of(module_in(library)).binary->loaded->module->kernels();
    for (unsigned i = 0; i < count && i < all.size(); ++i)
      kernels[i] = function_of(runtime, module_in(library), all[i].name.c_str());
  });
}

// -- functions and launches

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  if (module == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *module = function->module;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return driver::call([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    cudaFuncAttributes all;
    if (const cudaError_t code = cudaFuncGetAttributes(&all, key(function)); code != cudaSuccess) return code;
    const int values[] = {all.maxThreadsPerBlock,
                          static_cast<int>(all.sharedSizeBytes),
                          static_cast<int>(all.constSizeBytes),
                          static_cast<int>(all.localSizeBytes),
                          all.numRegs,
                          all.ptxVersion,
                          all.binaryVersion,
                          all.cacheModeCA,
                          all.maxDynamicSharedSizeBytes,
                          all.preferredShmemCarveout};
    static_assert(std::size(values) == CU_FUNC_ATTRIBUTE_MAX);
    if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return driver::call(
      [&] { return cudaFuncSetAttribute(key(function), static_cast<cudaFuncAttribute>(attribute), value); });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return driver::call([&] { return cudaFuncSetCacheConfig(key(function), static_cast<cudaFuncCache>(config)); });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  return driver::call(
      [&] { return cudaFuncSetSharedMemConfig(key(function), static_cast<cudaSharedMemConfig>(config)); });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                        void** extra) {
  return driver::call([&] {
    return launch_kernel(key(function), {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream},
                         parameters, extra, false);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void** parameters) {
  return driver::call([&] {
    return launch_kernel(key(function), {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream},
                         parameters, nullptr, true);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (config == nullptr || (config->attrs == nullptr && config->numAttrs != 0)) return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& one = config->attrs[i];
    if (one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = one.value.cooperative != 0;
    const auto& cluster = one.value.clusterDim;
    if (one.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && (cluster.x > 1 || cluster.y > 1 || cluster.z > 1))
      return driver::call([&] { return refuse_clusters(key(function)); });
  }
  return driver::call([&] {
    return launch_kernel(key(function),
                         {{config->gridDimX, config->gridDimY, config->gridDimZ},
                          {config->blockDimX, config->blockDimY, config->blockDimZ},
                          config->sharedMemBytes,
                          config->hStream},
                         parameters, extra, cooperative);
  });
}

// -- occupancy

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int block_size,
                                                              std::size_t shared_bytes, unsigned flags) {
  return driver::call([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, key(function), block_size, shared_bytes,
                                                                  flags);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     std::size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes, CUfunction function, int blocks,
                                                 int block_size) {
  return driver::call(
      [&] { return cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, key(function), blocks, block_size); });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_of, std::size_t shared_bytes, int limit) {
  return driver::call([&] {
    if (grid_size == nullptr || block_size == nullptr) return cudaErrorInvalidValue;
    constexpr int kWarp = 32;
    cudaFuncAttributes attributes;
    if (const cudaError_t code = cudaFuncGetAttributes(&attributes, key(function)); code != cudaSuccess) return code;
    const int most = limit > 0 ? std::min(limit, attributes.maxThreadsPerBlock) : attributes.maxThreadsPerBlock;
    int best_threads = 0, sms = 0;
    for (int threads = (most + kWarp - 1) / kWarp * kWarp; threads > 0; threads -= kWarp) {
      const int size = std::min(threads, most);
      int blocks = 0;
      const cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, key(function), size, shared_of != nullptr ? shared_of(size) : shared_bytes);
      if (code != cudaSuccess) return code;
      if (blocks * size <= best_threads) continue;
      best_threads = blocks * size;
      *block_size = size;
      *grid_size = blocks;
    }
    const cudaError_t code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    *grid_size *= sms;
    return code;
  });
}
