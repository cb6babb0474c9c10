// SPDX-License-Identifier: Apache-2.0
// Driver API: memory, copies, fills. Device addresses are host pointers.
#include <algorithm>

#include "runtime/driver.h"

using namespace heddle::runtime;

namespace {

void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
void** pointer_of(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

/// One side of a copy in the runtime's terms.
struct DriverSide {
  cudaArray_t array = nullptr;
  cudaPitchedPtr pointer{};
  cudaPos position{};
  bool host = false, unified = false;
};

/// x: bytes. An array's position is in texels.
cudaError_t side_of(DriverSide& side, CUmemorytype type, const void* host, CUdeviceptr device, CUarray array,
                    std::size_t pitch, std::size_t height, std::size_t x, std::size_t y, std::size_t z) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      side.pointer = {const_cast<void*>(host), pitch, pitch, height};
      side.host = true;
      break;
    case CU_MEMORYTYPE_UNIFIED:
      side.unified = true;
      [[fallthrough]];
    case CU_MEMORYTYPE_DEVICE:
      side.pointer = {pointer_of(device), pitch, pitch, height};
      break;
    case CU_MEMORYTYPE_ARRAY: {
      side.array = array;
      cudaChannelFormatDesc format;
      if (const cudaError_t code = cudaGetChannelDesc(&format, array); code != cudaSuccess) return code;
      const auto texel = static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
      if (texel == 0 || x % texel != 0) return cudaErrorInvalidValue;
      side.position = {x / texel, y, z};
      return cudaSuccess;
    }
    default:
      return cudaErrorInvalidValue;
  }
  side.position = {x, y, z};
  return cudaSuccess;
}

cudaError_t copy(const CUDA_MEMCPY3D& from, CUstream stream) {
  DriverSide source, target;
  const std::size_t row = std::max(from.srcPitch, from.srcXInBytes + from.WidthInBytes);
  cudaError_t code = side_of(source, from.srcMemoryType, from.srcHost, from.srcDevice, from.srcArray,
                             from.srcPitch != 0 ? from.srcPitch : row, std::max(from.srcHeight, from.Height),
                             from.srcXInBytes, from.srcY, from.srcZ);
  if (code != cudaSuccess) return code;
  const std::size_t target_row = std::max(from.dstPitch, from.dstXInBytes + from.WidthInBytes);
  code = side_of(target, from.dstMemoryType, from.dstHost, from.dstDevice, from.dstArray,
                 from.dstPitch != 0 ? from.dstPitch : target_row, std::max(from.dstHeight, from.Height),
                 from.dstXInBytes, from.dstY, from.dstZ);
  if (code != cudaSuccess) return code;
  cudaMemcpy3DParms parameters{};
  parameters.srcArray = source.array;
  parameters.srcPtr = source.pointer;
  parameters.srcPos = source.position;
  parameters.dstArray = target.array;
  parameters.dstPtr = target.pointer;
  parameters.dstPos = target.position;
  std::size_t texel = 1;
  if (const cudaArray_t array = source.array != nullptr ? source.array : target.array; array != nullptr) {
    cudaChannelFormatDesc format;
    if (code = cudaGetChannelDesc(&format, array); code != cudaSuccess) return code;
    texel = static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  if (texel == 0 || from.WidthInBytes % texel != 0) return cudaErrorInvalidValue;
  parameters.extent = {from.WidthInBytes / texel, from.Height, from.Depth};
  parameters.kind = cudaMemcpyDefault;
  if (!source.unified && !target.unified)
    parameters.kind = source.host ? (target.host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                                  : (target.host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
  return cudaMemcpy3DAsync(&parameters, stream);
}

cudaError_t copy(const CUDA_MEMCPY2D& from, CUstream stream) {
  CUDA_MEMCPY3D all{};
  all.srcXInBytes = from.srcXInBytes;
  all.srcY = from.srcY;
  all.srcMemoryType = from.srcMemoryType;
  all.srcHost = from.srcHost;
  all.srcDevice = from.srcDevice;
  all.srcArray = from.srcArray;
  all.srcPitch = from.srcPitch;
  all.dstXInBytes = from.dstXInBytes;
  all.dstY = from.dstY;
  all.dstMemoryType = from.dstMemoryType;
  all.dstHost = from.dstHost;
  all.dstDevice = from.dstDevice;
  all.dstArray = from.dstArray;
  all.dstPitch = from.dstPitch;
  all.WidthInBytes = from.WidthInBytes;
  all.Height = from.Height;
  all.Depth = 1;
  return copy(all, stream);
}

template <typename Copy>
CUresult copy_call(const Copy* parameters, CUstream stream) {
  return driver::call([&] { return parameters != nullptr ? copy(*parameters, stream) : cudaErrorInvalidValue; });
}

CUresult transfer(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, CUstream stream) {
  return driver::call([&] { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

CUresult fill(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element_bytes, std::size_t width,
              std::size_t height, CUstream stream) {
  return driver::call([&] {
    if (to % element_bytes != 0) return cudaErrorInvalidValue;
    return fill_elements({pointer_of(to), pitch, value, element_bytes, width, height}, stream);
  });
}

}  // namespace

// -- allocation

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return driver::call([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return driver::call([&] { return bytes != 0 ? cudaMalloc(pointer_of(address), bytes) : cudaErrorInvalidValue; });
}

CUresult cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height, unsigned) {
  return driver::call([&] { return cudaMallocPitch(pointer_of(address), pitch, width, height); });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  return driver::call([&] { return cudaMallocManaged(pointer_of(address), bytes, flags); });
}

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  return driver::call([&] { return cudaMallocAsync(pointer_of(address), bytes, stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  return driver::call([&] { return cudaMallocFromPoolAsync(pointer_of(address), bytes, pool, stream); });
}

CUresult cuMemFree(CUdeviceptr address) {
  return driver::call([&] { return cudaFree(pointer_of(address)); });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return driver::call([&] { return cudaFreeAsync(pointer_of(address), stream); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return driver::call([&] {
    return api([&](Runtime& runtime) {
      const auto found = runtime.device().memory().find(address);
      require(found.has_value(), cudaErrorSymbolNotFound);
      if (base != nullptr) *base = found->address;
      if (bytes != nullptr) *bytes = found->bytes;
    });
  });
}

CUresult cuMemAllocHost(void** pointer, std::size_t bytes) {
  return driver::call([&] { return cudaMallocHost(pointer, bytes); });
}

CUresult cuMemFreeHost(void* pointer) {
  return driver::call([&] { return cudaFreeHost(pointer); });
}

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return driver::call([&] { return cudaHostAlloc(pointer, bytes, flags); });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned flags) {
  return driver::call([&] { return cudaHostGetDevicePointer(pointer_of(address), pointer, flags); });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return driver::call([&] { return cudaHostGetFlags(flags, pointer); });
}

CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return driver::call([&] { return cudaHostRegister(pointer, bytes, flags); });
}

CUresult cuMemHostUnregister(void* pointer) {
  return driver::call([&] { return cudaHostUnregister(pointer); });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream stream) {
  return driver::call([&] { return cudaMemPrefetchAsync(pointer_of(address), bytes, device, stream); });
}

CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUdevice device) {
  return driver::call(
      [&] { return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice), device); });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return driver::call([&] {
    if (data == nullptr) return cudaErrorInvalidValue;
    cudaPointerAttributes all;
    if (const cudaError_t code = cudaPointerGetAttributes(&all, pointer_of(address)); code != cudaSuccess) return code;
    if (all.type == cudaMemoryTypeUnregistered) return cudaErrorInvalidValue;
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    cuMemGetAddressRange(&base, &bytes, address);
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<CUcontext*>(data) = driver::current_context();
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(data) = all.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *static_cast<CUdeviceptr*>(data) = address;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (all.hostPointer == nullptr) return cudaErrorInvalidValue;
        *static_cast<void**>(data) = all.hostPointer;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(data) = all.type == cudaMemoryTypeManaged ? 1 : 0;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(data) = 0;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(data) = base;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<std::size_t*>(data) = bytes;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  if (attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const CUresult code = cuPointerGetAttribute(data[i], attributes[i], address);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

// -- copies

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return transfer(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return cuMemcpyHtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return transfer(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyDtoHAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return transfer(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyDtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return transfer(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpyHtoA(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
  return driver::call([&] { return cudaMemcpyToArray(to, offset, 0, from, bytes, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyAtoH(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return driver::call([&] { return cudaMemcpyFromArray(to, from, offset, 0, bytes, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyDtoA(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
  return driver::call(
      [&] { return cudaMemcpyToArray(to, offset, 0, pointer_of(from), bytes, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
  return driver::call(
      [&] { return cudaMemcpyFromArray(pointer_of(to), from, offset, 0, bytes, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* parameters) { return copy_call(parameters, nullptr); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* parameters) { return copy_call(parameters, nullptr); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* parameters, CUstream stream) { return copy_call(parameters, stream); }
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* parameters) { return copy_call(parameters, nullptr); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* parameters, CUstream stream) { return copy_call(parameters, stream); }

// -- fills

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return fill(to, count, value, 1, count, 1, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
  return fill(to, count * 2, value, 2, count, 1, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
  return fill(to, count * 4, value, 4, count, 1, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return fill(to, count, value, 1, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return fill(to, count * 2, value, 2, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return fill(to, count * 4, value, 4, count, 1, stream);
}
CUresult cuMemsetD2D8(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height) {
  return fill(to, pitch, value, 1, width, height, nullptr);
}
CUresult cuMemsetD2D16(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height) {
  return fill(to, pitch, value, 2, width, height, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height) {
  return fill(to, pitch, value, 4, width, height, nullptr);
}
