// SPDX-License-Identifier: Apache-2.0
// texture<T, dimensions, mode> references and their binding functions.
#ifndef HEDDLE_TEXTURE_REFERENCE_H
#define HEDDLE_TEXTURE_REFERENCE_H

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"

#if defined(__CUDA__)
#define HEDDLE_TEXTURE_TYPE __attribute__((device_builtin_texture_type))
#else
#define HEDDLE_TEXTURE_TYPE
#endif

// On the host, a textureReference set by the program; on the device, a handle. The compiler registers every variable of
// this type by its template arguments, so their number and order are fixed.
template <class T, int dimensions = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct HEDDLE_TEXTURE_TYPE texture : public textureReference {
#if !defined(__CUDA_ARCH__)
  __host__ texture(int normalised = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                   enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference() {
    set(normalised, filter, address, cudaCreateChannelDesc<T>());
  }
  __host__ texture(int normalised, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
                   struct cudaChannelFormatDesc desc)
      : textureReference() {
    set(normalised, filter, address, desc);
  }

 private:
  __host__ void set(int normalised, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
                    struct cudaChannelFormatDesc desc) {
    normalized = normalised;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = desc;
  }
#endif
};

template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture(size_t* offset, const texture<T, dimensions, mode>& tex, const void* devPtr,
                                            const struct cudaChannelFormatDesc& desc, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &tex, devPtr, &desc, size);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture(size_t* offset, const texture<T, dimensions, mode>& tex, const void* devPtr,
                                            size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture2D(size_t* offset, const texture<T, dimensions, mode>& tex,
                                              const void* devPtr, const struct cudaChannelFormatDesc& desc,
                                              size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture2D(size_t* offset, const texture<T, dimensions, mode>& tex,
                                              const void* devPtr, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode>& tex, cudaArray_const_t array,
                                                   const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToArray(&tex, array, &desc);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode>& tex, cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  const cudaError_t error = ::cudaGetChannelDesc(&desc, array);
  return error != cudaSuccess ? error : ::cudaBindTextureToArray(&tex, array, &desc);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode>& tex,
                                                            cudaMipmappedArray_const_t array,
                                                            const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToMipmappedArray(&tex, array, &desc);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode>& tex,
                                                            cudaMipmappedArray_const_t array) {
  return ::cudaBindTextureToMipmappedArray(&tex, array, &tex.channelDesc);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaUnbindTexture(const texture<T, dimensions, mode>& tex) {
  return ::cudaUnbindTexture(&tex);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const texture<T, dimensions, mode>& tex) {
  return ::cudaGetTextureAlignmentOffset(offset, &tex);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
inline __host__ cudaError_t cudaGetTextureReference(const textureReference** texref,
                                                    const texture<T, dimensions, mode>& tex) {
  *texref = &tex;
  return cudaSuccess;
}

#undef HEDDLE_TEXTURE_TYPE
#endif
