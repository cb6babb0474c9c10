// SPDX-License-Identifier: Apache-2.0
// Surface reads and writes of elements of 1, 2, 4, 8 or 16 bytes, x in bytes, through references and objects. Cube map
// faces are layers.
#pragma once

#include "../surface_reference.h"
#include "macros.h"
#include "texture.h"

namespace heddle_cuda {

template <int bytes>
struct Bytes {};

// The part of the instruction that depends on the geometry; a macro call, so that its commas survive expansion.
#define HEDDLE_1D_PARAMETERS() int x
#define HEDDLE_1D_OPERANDS() [o] "l"(object), [x] "r"(x)
#define HEDDLE_2D_PARAMETERS() int x, int y
#define HEDDLE_2D_OPERANDS() [o] "l"(object), [x] "r"(x), [y] "r"(y)
#define HEDDLE_3D_PARAMETERS() int x, int y, int z
#define HEDDLE_3D_OPERANDS() [o] "l"(object), [x] "r"(x), [y] "r"(y), [z] "r"(z)
#define HEDDLE_A1D_PARAMETERS() int x, int layer
#define HEDDLE_A1D_OPERANDS() [o] "l"(object), [x] "r"(x), [l] "r"(layer)
#define HEDDLE_A2D_PARAMETERS() int x, int y, int layer
#define HEDDLE_A2D_OPERANDS() [o] "l"(object), [x] "r"(x), [y] "r"(y), [l] "r"(layer)

#define HEDDLE_SHORT_OUT() "=h"(half)
#define HEDDLE_WORD_OUT() "=r"(words[0])
#define HEDDLE_PAIR_OUT() "=r"(words[0]), "=r"(words[1])
#define HEDDLE_QUAD_OUT() "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
#define HEDDLE_SHORT_IN() [a] "h"(half)
#define HEDDLE_WORD_IN() [a] "r"(words[0])
#define HEDDLE_PAIR_IN() [a] "r"(words[0]), [b] "r"(words[1])
#define HEDDLE_QUAD_IN() [a] "r"(words[0]), [b] "r"(words[1]), [c] "r"(words[2]), [d] "r"(words[3])

#define HEDDLE_SURFACE_READ(geometry, at, operands, size, data, out)                                            \
  switch (mode) {                                                                                               \
    case cudaBoundaryModeTrap:                                                                                  \
      asm volatile("suld.b." geometry size ".trap " data ", [%[o], " at "];" : out() : operands() : "memory");  \
      break;                                                                                                    \
    case cudaBoundaryModeClamp:                                                                                 \
      asm volatile("suld.b." geometry size ".clamp " data ", [%[o], " at "];" : out() : operands() : "memory"); \
      break;                                                                                                    \
    default:                                                                                                    \
      asm volatile("suld.b." geometry size ".zero " data ", [%[o], " at "];" : out() : operands() : "memory");  \
      break;                                                                                                    \
  }
#define HEDDLE_SURFACE_WRITE(geometry, at, operands, size, data, in)                                            \
  switch (mode) {                                                                                               \
    case cudaBoundaryModeTrap:                                                                                  \
      asm volatile("sust.b." geometry size ".trap [%[o], " at "], " data ";" : : operands(), in() : "memory");  \
      break;                                                                                                    \
    case cudaBoundaryModeClamp:                                                                                 \
      asm volatile("sust.b." geometry size ".clamp [%[o], " at "], " data ";" : : operands(), in() : "memory"); \
      break;                                                                                                    \
    default:                                                                                                    \
      asm volatile("sust.b." geometry size ".zero [%[o], " at "], " data ";" : : operands(), in() : "memory");  \
      break;                                                                                                    \
  }
#define HEDDLE_SURFACE_SMALL(geometry, at, parameters, operands, bytes, size)                   \
  HEDDLE_DEVICE void read(Bytes<bytes>, unsigned int* words, cudaSurfaceObject_t object,        \
                          enum cudaSurfaceBoundaryMode mode, parameters()) {                    \
    unsigned short half;                                                                        \
    HEDDLE_SURFACE_READ(geometry, at, operands, size, "{%0}", HEDDLE_SHORT_OUT)                 \
    words[0] = half;                                                                            \
  }                                                                                             \
  HEDDLE_DEVICE void write(Bytes<bytes>, const unsigned int* words, cudaSurfaceObject_t object, \
                           enum cudaSurfaceBoundaryMode mode, parameters()) {                   \
    const unsigned short half = static_cast<unsigned short>(words[0]);                          \
    HEDDLE_SURFACE_WRITE(geometry, at, operands, size, "{%[a]}", HEDDLE_SHORT_IN)               \
  }
#define HEDDLE_SURFACE_WORDS(geometry, at, parameters, operands, bytes, size, from, out, to, in)                \
  HEDDLE_DEVICE void read(                                                                                      \
      Bytes<bytes>, unsigned int* words, cudaSurfaceObject_t object, enum cudaSurfaceBoundaryMode mode,         \
      parameters()){HEDDLE_SURFACE_READ(geometry, at, operands, size, from, out)} HEDDLE_DEVICE void            \
  write(Bytes<bytes>, const unsigned int* words, cudaSurfaceObject_t object, enum cudaSurfaceBoundaryMode mode, \
        parameters()) {                                                                                         \
    HEDDLE_SURFACE_WRITE(geometry, at, operands, size, to, in)                                                  \
  }
#define HEDDLE_SURFACE_GEOMETRY(name, geometry, at, parameters, operands)                                        \
  struct name {                                                                                                  \
    HEDDLE_SURFACE_SMALL(geometry, at, parameters, operands, 1, ".b8")                                           \
    HEDDLE_SURFACE_SMALL(geometry, at, parameters, operands, 2, ".b16")                                          \
    HEDDLE_SURFACE_WORDS(geometry, at, parameters, operands, 4, ".b32", "{%0}", HEDDLE_WORD_OUT, "{%[a]}",       \
                         HEDDLE_WORD_IN)                                                                         \
    HEDDLE_SURFACE_WORDS(geometry, at, parameters, operands, 8, ".v2.b32", "{%0, %1}", HEDDLE_PAIR_OUT,          \
                         "{%[a], %[b]}", HEDDLE_PAIR_IN)                                                         \
    HEDDLE_SURFACE_WORDS(geometry, at, parameters, operands, 16, ".v4.b32", "{%0, %1, %2, %3}", HEDDLE_QUAD_OUT, \
                         "{%[a], %[b], %[c], %[d]}", HEDDLE_QUAD_IN)                                             \
  };
HEDDLE_SURFACE_GEOMETRY(Surface1D, "1d", "{%[x]}", HEDDLE_1D_PARAMETERS, HEDDLE_1D_OPERANDS)
HEDDLE_SURFACE_GEOMETRY(Surface2D, "2d", "{%[x], %[y]}", HEDDLE_2D_PARAMETERS, HEDDLE_2D_OPERANDS)
HEDDLE_SURFACE_GEOMETRY(Surface3D, "3d", "{%[x], %[y], %[z], %[z]}", HEDDLE_3D_PARAMETERS, HEDDLE_3D_OPERANDS)
HEDDLE_SURFACE_GEOMETRY(Surface1DLayered, "a1d", "{%[l], %[x]}", HEDDLE_A1D_PARAMETERS, HEDDLE_A1D_OPERANDS)
HEDDLE_SURFACE_GEOMETRY(Surface2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}", HEDDLE_A2D_PARAMETERS, HEDDLE_A2D_OPERANDS)
#undef HEDDLE_1D_PARAMETERS
#undef HEDDLE_1D_OPERANDS
#undef HEDDLE_2D_PARAMETERS
#undef HEDDLE_2D_OPERANDS
#undef HEDDLE_3D_PARAMETERS
#undef HEDDLE_3D_OPERANDS
#undef HEDDLE_A1D_PARAMETERS
#undef HEDDLE_A1D_OPERANDS
#undef HEDDLE_A2D_PARAMETERS
#undef HEDDLE_A2D_OPERANDS
#undef HEDDLE_SHORT_OUT
#undef HEDDLE_WORD_OUT
#undef HEDDLE_PAIR_OUT
#undef HEDDLE_QUAD_OUT
#undef HEDDLE_SHORT_IN
#undef HEDDLE_WORD_IN
#undef HEDDLE_PAIR_IN
#undef HEDDLE_QUAD_IN
#undef HEDDLE_SURFACE_READ
#undef HEDDLE_SURFACE_WRITE
#undef HEDDLE_SURFACE_SMALL
#undef HEDDLE_SURFACE_WORDS
#undef HEDDLE_SURFACE_GEOMETRY

HEDDLE_DEVICE cudaSurfaceObject_t number_of(cudaSurfaceObject_t object) { return object; }
template <int type>
HEDDLE_DEVICE cudaSurfaceObject_t number_of(surface<void, type> reference) {
  return handle_of(reference);
}
typedef cudaSurfaceObject_t SurfaceObject;
typedef surface<void, cudaSurfaceType1D> Reference1D;
typedef surface<void, cudaSurfaceType2D> Reference2D;
typedef surface<void, cudaSurfaceType3D> Reference3D;
typedef surface<void, cudaSurfaceType1DLayered> Reference1DLayered;
typedef surface<void, cudaSurfaceType2DLayered> Reference2DLayered;
typedef surface<void, cudaSurfaceTypeCubemap> ReferenceCubemap;
typedef surface<void, cudaSurfaceTypeCubemapLayered> ReferenceCubemapLayered;

template <class Surface, class T, class... Place>
HEDDLE_DEVICE T surface_read(cudaSurfaceObject_t object, enum cudaSurfaceBoundaryMode mode, Place... at) {
  unsigned int words[4];
  Surface::read(Bytes<sizeof(T)>(), words, object, mode, at...);
  T value;
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <class Surface, class T, class... Place>
HEDDLE_DEVICE void surface_write(const T& value, cudaSurfaceObject_t object, enum cudaSurfaceBoundaryMode mode,
                                 Place... at) {
  unsigned int words[4] = {0, 0, 0, 0};
  __builtin_memcpy(words, &value, sizeof(T));
  Surface::write(Bytes<sizeof(T)>(), words, object, mode, at...);
}

}  // namespace heddle_cuda

#define HEDDLE_LIST(...) __VA_ARGS__
#define HEDDLE_SURFACE_THROUGH(name, handle, geometry, parameters, arguments)                                        \
  template <class T>                                                                                                 \
  HEDDLE_DEVICE T name##read(heddle_cuda::handle s, HEDDLE_LIST parameters,                                          \
                             enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                             \
    return heddle_cuda::surface_read<heddle_cuda::geometry, T>(heddle_cuda::number_of(s), mode,                      \
                                                               HEDDLE_LIST arguments);                               \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  HEDDLE_DEVICE void name##read(T* result, heddle_cuda::handle s, HEDDLE_LIST parameters,                            \
                                enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
    *result =                                                                                                        \
        heddle_cuda::surface_read<heddle_cuda::geometry, T>(heddle_cuda::number_of(s), mode, HEDDLE_LIST arguments); \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  HEDDLE_DEVICE void name##write(T value, heddle_cuda::handle s, HEDDLE_LIST parameters,                             \
                                 enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                         \
    heddle_cuda::surface_write<heddle_cuda::geometry, T>(value, heddle_cuda::number_of(s), mode,                     \
                                                         HEDDLE_LIST arguments);                                     \
  }
#define HEDDLE_SURFACE(name, geometry, parameters, arguments)                        \
  HEDDLE_SURFACE_THROUGH(surf##name, SurfaceObject, geometry, parameters, arguments) \
  HEDDLE_SURFACE_THROUGH(surf##name, Reference##name, geometry, parameters, arguments)
HEDDLE_SURFACE(1D, Surface1D, (int x), (x))
HEDDLE_SURFACE(2D, Surface2D, (int x, int y), (x, y))
HEDDLE_SURFACE(3D, Surface3D, (int x, int y, int z), (x, y, z))
HEDDLE_SURFACE(1DLayered, Surface1DLayered, (int x, int layer), (x, layer))
HEDDLE_SURFACE(2DLayered, Surface2DLayered, (int x, int y, int layer), (x, y, layer))
HEDDLE_SURFACE(Cubemap, Surface2DLayered, (int x, int y, int face), (x, y, face))
HEDDLE_SURFACE(CubemapLayered, Surface2DLayered, (int x, int y, int layerFace), (x, y, layerFace))
#undef HEDDLE_SURFACE
#undef HEDDLE_SURFACE_THROUGH
#undef HEDDLE_LIST
