// SPDX-License-Identifier: Apache-2.0
// Texture fetches through references and objects: plain, layered and cube textures, at the finest level, at an explicit
// level (Lod) and at a level from gradients (Grad); gathers.
#pragma once

#include "../texture_reference.h"
#include "macros.h"

namespace heddle_cuda {

// Four components of the kind the fetch returns.
template <class C>
struct Texels {
  C x, y, z, w;
};

// The component type of T, the PTX type it is fetched as, and the extraction of T from four components.
template <class T>
struct TexelType;
#define HEDDLE_TEXEL(vector, scalar, fetched)                                                               \
  template <>                                                                                               \
  struct TexelType<scalar> {                                                                                \
    typedef fetched Fetched;                                                                                \
    typedef float Normalised;                                                                               \
    typedef vector##4 Gathered;                                                                             \
    template <class C>                                                                                      \
    HEDDLE_DEVICE scalar cut(Texels<C> t) {                                                                 \
      return static_cast<scalar>(t.x);                                                                      \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct TexelType<vector##1> {                                                                             \
    typedef fetched Fetched;                                                                                \
    typedef float1 Normalised;                                                                              \
    typedef vector##4 Gathered;                                                                             \
    template <class C>                                                                                      \
    HEDDLE_DEVICE vector##1 cut(Texels<C> t) {                                                              \
      return make_##vector##1(static_cast<scalar>(t.x));                                                    \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct TexelType<vector##2> {                                                                             \
    typedef fetched Fetched;                                                                                \
    typedef float2 Normalised;                                                                              \
    typedef vector##4 Gathered;                                                                             \
    template <class C>                                                                                      \
    HEDDLE_DEVICE vector##2 cut(Texels<C> t) {                                                              \
      return make_##vector##2(static_cast<scalar>(t.x), static_cast<scalar>(t.y));                          \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct TexelType<vector##4> {                                                                             \
    typedef fetched Fetched;                                                                                \
    typedef float4 Normalised;                                                                              \
    typedef vector##4 Gathered;                                                                             \
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
  typedef char4 Gathered;
  template <class C>
  HEDDLE_DEVICE char cut(Texels<C> t) {
    return static_cast<char>(t.x);
  }
};

// Result of a fetch through a reference: its element type, or a float (vector) of the same shape.
template <class T, enum cudaTextureReadMode mode>
struct FetchResult {
  typedef T Type; typedef typename TexelType<T>::Fetched Fetched; typedef typename TexelType<T>::Gathered Gathered;
};
template <class T>
struct FetchResult<T, cudaReadModeNormalizedFloat> {
  typedef typename TexelType<T>::Normalised Type;
  typedef float Fetched;
  typedef float4 Gathered;
};

#define HEDDLE_LIST(...) __VA_ARGS__
#define HEDDLE_FOUR(letter) "=" letter(t.x), "=" letter(t.y), "=" letter(t.z), "=" letter(t.w)

// A kind of fetch, with one overload per result kind. `operands`: coordinates, from %5 on; `at`: the instruction text
// after the handle.
#define HEDDLE_FETCHER(name, instruction, coordinate, at, parameters, operands)                 \
  struct name {                                                                                 \
    HEDDLE_DEVICE void fetch(Texels<int>& t, cudaTextureObject_t object, parameters) {          \
      asm(instruction ".v4.s32." coordinate " {%0, %1, %2, %3}, [%4, " at ";"                   \
          : HEDDLE_FOUR("r")                                                                    \
          : "l"(object), operands);                                                             \
    }                                                                                           \
    HEDDLE_DEVICE void fetch(Texels<unsigned int>& t, cudaTextureObject_t object, parameters) { \
      asm(instruction ".v4.u32." coordinate " {%0, %1, %2, %3}, [%4, " at ";"                   \
          : HEDDLE_FOUR("r")                                                                    \
          : "l"(object), operands);                                                             \
    }                                                                                           \
    HEDDLE_DEVICE void fetch(Texels<float>& t, cudaTextureObject_t object, parameters) {        \
      asm(instruction ".v4.f32." coordinate " {%0, %1, %2, %3}, [%4, " at ";"                   \
          : HEDDLE_FOUR("f")                                                                    \
          : "l"(object), operands);                                                             \
    }                                                                                           \
  };
HEDDLE_FETCHER(Linear1D, "tex.1d", "s32", "{%5}]", HEDDLE_LIST(int x), HEDDLE_LIST("r"(x)))
HEDDLE_FETCHER(Fetch1D, "tex.1d", "f32", "{%5}]", HEDDLE_LIST(float x), HEDDLE_LIST("f"(x)))
HEDDLE_FETCHER(Fetch1DLod, "tex.level.1d", "f32", "{%5}], %6", HEDDLE_LIST(float x, float level),
               HEDDLE_LIST("f"(x), "f"(level)))
HEDDLE_FETCHER(Fetch1DGrad, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", HEDDLE_LIST(float x, float dx, float dy),
               HEDDLE_LIST("f"(x), "f"(dx), "f"(dy)))
HEDDLE_FETCHER(Fetch2D, "tex.2d", "f32", "{%5, %6}]", HEDDLE_LIST(float x, float y), HEDDLE_LIST("f"(x), "f"(y)))
HEDDLE_FETCHER(Fetch2DLod, "tex.level.2d", "f32", "{%5, %6}], %7", HEDDLE_LIST(float x, float y, float level),
               HEDDLE_LIST("f"(x), "f"(y), "f"(level)))
HEDDLE_FETCHER(Fetch2DGrad, "tex.grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}",
               HEDDLE_LIST(float x, float y, float2 dx, float2 dy),
               HEDDLE_LIST("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
HEDDLE_FETCHER(Fetch3D, "tex.3d", "f32", "{%5, %6, %7, %7}]", HEDDLE_LIST(float x, float y, float z),
               HEDDLE_LIST("f"(x), "f"(y), "f"(z)))
HEDDLE_FETCHER(Fetch3DLod, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8",
               HEDDLE_LIST(float x, float y, float z, float level), HEDDLE_LIST("f"(x), "f"(y), "f"(z), "f"(level)))
HEDDLE_FETCHER(Fetch3DGrad, "tex.grad.3d", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
               HEDDLE_LIST(float x, float y, float z, float4 dx, float4 dy),
               HEDDLE_LIST("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
HEDDLE_FETCHER(Fetch1DLayered, "tex.a1d", "f32", "{%5, %6}]", HEDDLE_LIST(float x, int layer),
               HEDDLE_LIST("r"(layer), "f"(x)))
HEDDLE_FETCHER(Fetch1DLayeredLod, "tex.level.a1d", "f32", "{%5, %6}], %7", HEDDLE_LIST(float x, int layer, float level),
               HEDDLE_LIST("r"(layer), "f"(x), "f"(level)))
HEDDLE_FETCHER(Fetch1DLayeredGrad, "tex.grad.a1d", "f32", "{%5, %6}], {%7}, {%8}",
               HEDDLE_LIST(float x, int layer, float dx, float dy), HEDDLE_LIST("r"(layer), "f"(x), "f"(dx), "f"(dy)))
HEDDLE_FETCHER(Fetch2DLayered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", HEDDLE_LIST(float x, float y, int layer),
               HEDDLE_LIST("r"(layer), "f"(x), "f"(y)))
HEDDLE_FETCHER(Fetch2DLayeredLod, "tex.level.a2d", "f32", "{%5, %6, %7, %7}], %8",
               HEDDLE_LIST(float x, float y, int layer, float level),
               HEDDLE_LIST("r"(layer), "f"(x), "f"(y), "f"(level)))
HEDDLE_FETCHER(Fetch2DLayeredGrad, "tex.grad.a2d", "f32", "{%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
               HEDDLE_LIST(float x, float y, int layer, float2 dx, float2 dy),
               HEDDLE_LIST("r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
HEDDLE_FETCHER(FetchCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]", HEDDLE_LIST(float x, float y, float z),
               HEDDLE_LIST("f"(x), "f"(y), "f"(z)))
HEDDLE_FETCHER(FetchCubemapLod, "tex.level.cube", "f32", "{%5, %6, %7, %7}], %8",
               HEDDLE_LIST(float x, float y, float z, float level), HEDDLE_LIST("f"(x), "f"(y), "f"(z), "f"(level)))
HEDDLE_FETCHER(FetchCubemapGrad, "tex.grad.cube", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
               HEDDLE_LIST(float x, float y, float z, float4 dx, float4 dy),
               HEDDLE_LIST("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
HEDDLE_FETCHER(FetchCubemapLayered, "tex.acube", "f32", "{%5, %6, %7, %8}]",
               HEDDLE_LIST(float x, float y, float z, int layer), HEDDLE_LIST("r"(layer), "f"(x), "f"(y), "f"(z)))
HEDDLE_FETCHER(FetchCubemapLayeredLod, "tex.level.acube", "f32", "{%5, %6, %7, %8}], %9",
               HEDDLE_LIST(float x, float y, float z, int layer, float level),
               HEDDLE_LIST("r"(layer), "f"(x), "f"(y), "f"(z), "f"(level)))
HEDDLE_FETCHER(FetchCubemapLayeredGrad, "tex.grad.acube", "f32",
               "{%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14}",
               HEDDLE_LIST(float x, float y, float z, int layer, float4 dx, float4 dy),
               HEDDLE_LIST("r"(layer), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y),
                           "f"(dy.z)))
HEDDLE_FETCHER(GatherR, "tld4.r.2d", "f32", "{%5, %6}]", HEDDLE_LIST(float x, float y), HEDDLE_LIST("f"(x), "f"(y)))
HEDDLE_FETCHER(GatherG, "tld4.g.2d", "f32", "{%5, %6}]", HEDDLE_LIST(float x, float y), HEDDLE_LIST("f"(x), "f"(y)))
HEDDLE_FETCHER(GatherB, "tld4.b.2d", "f32", "{%5, %6}]", HEDDLE_LIST(float x, float y), HEDDLE_LIST("f"(x), "f"(y)))
HEDDLE_FETCHER(GatherA, "tld4.a.2d", "f32", "{%5, %6}]", HEDDLE_LIST(float x, float y), HEDDLE_LIST("f"(x), "f"(y)))
#undef HEDDLE_FETCHER
#undef HEDDLE_FOUR

// On the device a reference is a handle, whose numeric value is only accessible in assembly.
template <class Reference>
HEDDLE_DEVICE unsigned long long handle_of(Reference reference) {
  unsigned long long object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

template <class Fetch, class Result, class Fetched, class... Coordinates>
HEDDLE_DEVICE Result fetch_as(cudaTextureObject_t object, Coordinates... at) {
  Texels<Fetched> t;
  Fetch::fetch(t, object, at...);
  return TexelType<Result>::cut(t);
}

// The component is part of the instruction: 0 to 3.
template <class Result, class Fetched>
HEDDLE_DEVICE Result gather_as(cudaTextureObject_t object, float x, float y, int component) {
  Texels<Fetched> t;
  switch (component & 3) {
    case 0:
      GatherR::fetch(t, object, x, y);
      break;
    case 1:
      GatherG::fetch(t, object, x, y);
      break;
    case 2:
      GatherB::fetch(t, object, x, y);
      break;
    default:
      GatherA::fetch(t, object, x, y);
      break;
  }
  return TexelType<Result>::cut(t);
}

}  // namespace heddle_cuda

// Through a reference, its type determines the result type. Through an object, T does: a normalised read requires float
// (vectors).
#define HEDDLE_TEXTURE(name, type, fetch, parameters, arguments)                                              \
  template <class T, enum cudaTextureReadMode mode>                                                           \
  HEDDLE_DEVICE typename heddle_cuda::FetchResult<T, mode>::Type name(texture<T, type, mode> t, parameters) { \
    typedef heddle_cuda::FetchResult<T, mode> Result;                                                         \
    return heddle_cuda::fetch_as<heddle_cuda::fetch, typename Result::Type, typename Result::Fetched>(        \
        heddle_cuda::handle_of(t), arguments);                                                                \
  }                                                                                                           \
  template <class T>                                                                                          \
  HEDDLE_DEVICE T name(cudaTextureObject_t object, parameters) {                                              \
    typedef typename heddle_cuda::TexelType<T>::Fetched Fetched;                                              \
    return heddle_cuda::fetch_as<heddle_cuda::fetch, T, Fetched>(object, arguments);                          \
  }                                                                                                           \
  template <class T>                                                                                          \
  HEDDLE_DEVICE void name(T* result, cudaTextureObject_t object, parameters) {                                \
    *result = name<T>(object, arguments);                                                                     \
  }
HEDDLE_TEXTURE(tex1Dfetch, cudaTextureType1D, Linear1D, HEDDLE_LIST(int x), HEDDLE_LIST(x))
HEDDLE_TEXTURE(tex1D, cudaTextureType1D, Fetch1D, HEDDLE_LIST(float x), HEDDLE_LIST(x))
HEDDLE_TEXTURE(tex1DLod, cudaTextureType1D, Fetch1DLod, HEDDLE_LIST(float x, float level), HEDDLE_LIST(x, level))
HEDDLE_TEXTURE(tex1DGrad, cudaTextureType1D, Fetch1DGrad, HEDDLE_LIST(float x, float dx, float dy),
               HEDDLE_LIST(x, dx, dy))
HEDDLE_TEXTURE(tex2D, cudaTextureType2D, Fetch2D, HEDDLE_LIST(float x, float y), HEDDLE_LIST(x, y))
HEDDLE_TEXTURE(tex2DLod, cudaTextureType2D, Fetch2DLod, HEDDLE_LIST(float x, float y, float level),
               HEDDLE_LIST(x, y, level))
HEDDLE_TEXTURE(tex2DGrad, cudaTextureType2D, Fetch2DGrad, HEDDLE_LIST(float x, float y, float2 dx, float2 dy),
               HEDDLE_LIST(x, y, dx, dy))
HEDDLE_TEXTURE(tex3D, cudaTextureType3D, Fetch3D, HEDDLE_LIST(float x, float y, float z), HEDDLE_LIST(x, y, z))
HEDDLE_TEXTURE(tex3DLod, cudaTextureType3D, Fetch3DLod, HEDDLE_LIST(float x, float y, float z, float level),
               HEDDLE_LIST(x, y, z, level))
HEDDLE_TEXTURE(tex3DGrad, cudaTextureType3D, Fetch3DGrad, HEDDLE_LIST(float x, float y, float z, float4 dx, float4 dy),
               HEDDLE_LIST(x, y, z, dx, dy))
HEDDLE_TEXTURE(tex1DLayered, cudaTextureType1DLayered, Fetch1DLayered, HEDDLE_LIST(float x, int layer),
               HEDDLE_LIST(x, layer))
HEDDLE_TEXTURE(tex1DLayeredLod, cudaTextureType1DLayered, Fetch1DLayeredLod,
               HEDDLE_LIST(float x, int layer, float level), HEDDLE_LIST(x, layer, level))
HEDDLE_TEXTURE(tex1DLayeredGrad, cudaTextureType1DLayered, Fetch1DLayeredGrad,
               HEDDLE_LIST(float x, int layer, float dx, float dy), HEDDLE_LIST(x, layer, dx, dy))
HEDDLE_TEXTURE(tex2DLayered, cudaTextureType2DLayered, Fetch2DLayered, HEDDLE_LIST(float x, float y, int layer),
               HEDDLE_LIST(x, y, layer))
HEDDLE_TEXTURE(tex2DLayeredLod, cudaTextureType2DLayered, Fetch2DLayeredLod,
               HEDDLE_LIST(float x, float y, int layer, float level), HEDDLE_LIST(x, y, layer, level))
HEDDLE_TEXTURE(tex2DLayeredGrad, cudaTextureType2DLayered, Fetch2DLayeredGrad,
               HEDDLE_LIST(float x, float y, int layer, float2 dx, float2 dy), HEDDLE_LIST(x, y, layer, dx, dy))
HEDDLE_TEXTURE(texCubemap, cudaTextureTypeCubemap, FetchCubemap, HEDDLE_LIST(float x, float y, float z),
               HEDDLE_LIST(x, y, z))
HEDDLE_TEXTURE(texCubemapLod, cudaTextureTypeCubemap, FetchCubemapLod,
               HEDDLE_LIST(float x, float y, float z, float level), HEDDLE_LIST(x, y, z, level))
HEDDLE_TEXTURE(texCubemapGrad, cudaTextureTypeCubemap, FetchCubemapGrad,
               HEDDLE_LIST(float x, float y, float z, float4 dx, float4 dy), HEDDLE_LIST(x, y, z, dx, dy))
HEDDLE_TEXTURE(texCubemapLayered, cudaTextureTypeCubemapLayered, FetchCubemapLayered,
               HEDDLE_LIST(float x, float y, float z, int layer), HEDDLE_LIST(x, y, z, layer))
HEDDLE_TEXTURE(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, FetchCubemapLayeredLod,
               HEDDLE_LIST(float x, float y, float z, int layer, float level), HEDDLE_LIST(x, y, z, layer, level))
HEDDLE_TEXTURE(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, FetchCubemapLayeredGrad,
               HEDDLE_LIST(float x, float y, float z, int layer, float4 dx, float4 dy),
               HEDDLE_LIST(x, y, z, layer, dx, dy))
#undef HEDDLE_TEXTURE
#undef HEDDLE_LIST

template <class T, enum cudaTextureReadMode mode>
HEDDLE_DEVICE typename heddle_cuda::FetchResult<T, mode>::Gathered tex2Dgather(texture<T, cudaTextureType2D, mode> t,
                                                                               float x, float y, int component = 0) {
  typedef heddle_cuda::FetchResult<T, mode> Result;
  return heddle_cuda::gather_as<typename Result::Gathered, typename Result::Fetched>(heddle_cuda::handle_of(t), x, y,
                                                                                     component);
}
template <class T>
HEDDLE_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  return heddle_cuda::gather_as<T, typename heddle_cuda::TexelType<T>::Fetched>(object, x, y, component);
}
template <class T>
HEDDLE_DEVICE void tex2Dgather(T* result, cudaTextureObject_t object, float x, float y, int component = 0) {
  *result = tex2Dgather<T>(object, x, y, component);
}
