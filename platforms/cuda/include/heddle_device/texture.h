// SPDX-License-Identifier: Apache-2.0
// Texture fetches: tex1Dfetch, tex1D, tex2D, tex3D through references and through objects. Textures here have one
// level, so the Lod and Grad forms are the plain ones.
#pragma once

#include "../texture_reference.h"
#include "macros.h"

namespace heddle_cuda {

// Four texels of the kind the fetch returns.
template <class C>
struct Texels {
  C x, y, z, w;
};

// The component type of T, the PTX component type it is fetched as, and how to cut T out of four components.
template <class T>
struct TexelType;
#define HEDDLE_TEXEL(vector, scalar, fetched)                                                               \
  template <>                                                                                               \
  struct TexelType<scalar> {                                                                                \
    typedef fetched Fetched;                                                                                \
    typedef float Normalised;                                                                               \
    template <class C>                                                                                      \
    HEDDLE_DEVICE scalar cut(Texels<C> t) {                                                                 \
      return static_cast<scalar>(t.x);                                                                      \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct TexelType<vector##1> {                                                                             \
    typedef fetched Fetched;                                                                                \
    typedef float1 Normalised;                                                                              \
    template <class C>                                                                                      \
    HEDDLE_DEVICE vector##1 cut(Texels<C> t) {                                                              \
      return make_##vector##1(static_cast<scalar>(t.x));                                                    \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct TexelType<vector##2> {                                                                             \
    typedef fetched Fetched;                                                                                \
    typedef float2 Normalised;                                                                              \
    template <class C>                                                                                      \
    HEDDLE_DEVICE vector##2 cut(Texels<C> t) {                                                              \
      return make_##vector##2(static_cast<scalar>(t.x), static_cast<scalar>(t.y));                          \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct TexelType<vector##4> {                                                                             \
    typedef fetched Fetched;                                                                                \
    typedef float4 Normalised;                                                                              \
    template <class C>                                                                                      \
    HEDDLE_DEVICE vector##4 cut(Texels<C> t) {                                                              \
      return make_##vector##4(static_cast<scalar>(t.x), static_cast<scalar>(t.y), static_cast<scalar>(t.z), \
                              static_cast<scalar>(t.w));                                                    \
    }                                                                                                       \
  };
HEDDLE_TEXEL(char, signed char, int)
HEDDLE_TEXEL(uchar, unsigned char, unsigned int)
HEDDLE_TEXEL(short, short, int)
HEDDLE_TEXEL(ushort, unsigned short, unsigned int)
HEDDLE_TEXEL(int, int, int)
HEDDLE_TEXEL(uint, unsigned int, unsigned int)
HEDDLE_TEXEL(float, float, float)
#undef HEDDLE_TEXEL
template <>
struct TexelType<char> {
  typedef int Fetched;
  typedef float Normalised;
  template <class C>
  HEDDLE_DEVICE char cut(Texels<C> t) {
    return static_cast<char>(t.x);
  }
};

// What a fetch through a reference returns: its element, or a float (vector) of the element's shape.
template <class T, enum cudaTextureReadMode mode>
struct FetchResult {
  typedef T Type; typedef typename TexelType<T>::Fetched Fetched;
};
template <class T>
struct FetchResult<T, cudaReadModeNormalizedFloat> {
  typedef typename TexelType<T>::Normalised Type;
  typedef float Fetched;
};

#define HEDDLE_FETCH(fetched, ptx, letter)                                                              \
  HEDDLE_DEVICE void fetch_linear(Texels<fetched>& t, cudaTextureObject_t object, int x) {              \
    asm("tex.1d.v4." ptx ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                                           \
        : "=" letter(t.x), "=" letter(t.y), "=" letter(t.z), "=" letter(t.w)                            \
        : "l"(object), "r"(x));                                                                         \
  }                                                                                                     \
  HEDDLE_DEVICE void fetch(Texels<fetched>& t, cudaTextureObject_t object, float x) {                   \
    asm("tex.1d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                                           \
        : "=" letter(t.x), "=" letter(t.y), "=" letter(t.z), "=" letter(t.w)                            \
        : "l"(object), "f"(x));                                                                         \
  }                                                                                                     \
  HEDDLE_DEVICE void fetch(Texels<fetched>& t, cudaTextureObject_t object, float x, float y) {          \
    asm("tex.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                       \
        : "=" letter(t.x), "=" letter(t.y), "=" letter(t.z), "=" letter(t.w)                            \
        : "l"(object), "f"(x), "f"(y));                                                                 \
  }                                                                                                     \
  HEDDLE_DEVICE void fetch(Texels<fetched>& t, cudaTextureObject_t object, float x, float y, float z) { \
    asm("tex.3d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                               \
        : "=" letter(t.x), "=" letter(t.y), "=" letter(t.z), "=" letter(t.w)                            \
        : "l"(object), "f"(x), "f"(y), "f"(z));                                                         \
  }
HEDDLE_FETCH(int, "s32", "r")
HEDDLE_FETCH(unsigned int, "u32", "r")
HEDDLE_FETCH(float, "f32", "f")
#undef HEDDLE_FETCH

// A reference is a handle on the device, which only assembly can name as the number it is.
template <class Reference>
HEDDLE_DEVICE cudaTextureObject_t handle_of(Reference reference) {
  cudaTextureObject_t object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

template <class Result, class Fetched, class... Coordinates>
HEDDLE_DEVICE Result fetch_as(cudaTextureObject_t object, Coordinates... at) {
  Texels<Fetched> t;
  fetch(t, object, at...);
  return TexelType<Result>::cut(t);
}
template <class Result, class Fetched>
HEDDLE_DEVICE Result fetch_linear_as(cudaTextureObject_t object, int x) {
  Texels<Fetched> t;
  fetch_linear(t, object, x);
  return TexelType<Result>::cut(t);
}

}  // namespace heddle_cuda

// --- references
// ---------------------------------------------------------------------------------------------------------------
#define HEDDLE_RESULT typename heddle_cuda::FetchResult<T, mode>::Type
#define HEDDLE_FETCHED typename heddle_cuda::FetchResult<T, mode>::Fetched
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex1Dfetch(texture<T, cudaTextureType1D, mode> t, int x) {
  return heddle_cuda::fetch_linear_as<HEDDLE_RESULT, HEDDLE_FETCHED>(heddle_cuda::handle_of(t), x);
}
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex1D(texture<T, cudaTextureType1D, mode> t, float x) {
  return heddle_cuda::fetch_as<HEDDLE_RESULT, HEDDLE_FETCHED>(heddle_cuda::handle_of(t), x);
}
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex2D(texture<T, cudaTextureType2D, mode> t, float x, float y) {
  return heddle_cuda::fetch_as<HEDDLE_RESULT, HEDDLE_FETCHED>(heddle_cuda::handle_of(t), x, y);
}
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex3D(texture<T, cudaTextureType3D, mode> t, float x, float y, float z) {
  return heddle_cuda::fetch_as<HEDDLE_RESULT, HEDDLE_FETCHED>(heddle_cuda::handle_of(t), x, y, z);
}
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex1DLod(texture<T, cudaTextureType1D, mode> t, float x, float) {
  return tex1D(t, x);
}
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex2DLod(texture<T, cudaTextureType2D, mode> t, float x, float y, float) {
  return tex2D(t, x, y);
}
template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE HEDDLE_RESULT tex3DLod(texture<T, cudaTextureType3D, mode> t, float x, float y, float z, float) {
  return tex3D(t, x, y, z);
}
#undef HEDDLE_FETCHED
#undef HEDDLE_RESULT

// --- objects: T is the result, so a normalised read asks for float (vectors)
// --------------------------------------------------
template <class T>
HEDDLE_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) {
  return heddle_cuda::fetch_linear_as<T, typename heddle_cuda::TexelType<T>::Fetched>(object, x);
}
template <class T>
HEDDLE_DEVICE T tex1D(cudaTextureObject_t object, float x) {
  return heddle_cuda::fetch_as<T, typename heddle_cuda::TexelType<T>::Fetched>(object, x);
}
template <class T>
HEDDLE_DEVICE T tex2D(cudaTextureObject_t object, float x, float y) {
  return heddle_cuda::fetch_as<T, typename heddle_cuda::TexelType<T>::Fetched>(object, x, y);
}
template <class T>
HEDDLE_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  return heddle_cuda::fetch_as<T, typename heddle_cuda::TexelType<T>::Fetched>(object, x, y, z);
}
template <class T>
HEDDLE_DEVICE T tex1DLod(cudaTextureObject_t object, float x, float) {
  return tex1D<T>(object, x);
}
template <class T>
HEDDLE_DEVICE T tex2DLod(cudaTextureObject_t object, float x, float y, float) {
  return tex2D<T>(object, x, y);
}
template <class T>
HEDDLE_DEVICE T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) {
  return tex3D<T>(object, x, y, z);
}
template <class T>
HEDDLE_DEVICE void tex1Dfetch(T* result, cudaTextureObject_t object, int x) {
  *result = tex1Dfetch<T>(object, x);
}
template <class T>
HEDDLE_DEVICE void tex1D(T* result, cudaTextureObject_t object, float x) {
  *result = tex1D<T>(object, x);
}
template <class T>
HEDDLE_DEVICE void tex2D(T* result, cudaTextureObject_t object, float x, float y) {
  *result = tex2D<T>(object, x, y);
}
template <class T>
HEDDLE_DEVICE void tex3D(T* result, cudaTextureObject_t object, float x, float y, float z) {
  *result = tex3D<T>(object, x, y, z);
}
