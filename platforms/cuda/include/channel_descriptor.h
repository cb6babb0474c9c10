// SPDX-License-Identifier: Apache-2.0
// cudaCreateChannelDesc<T>(): the channel format of a built-in type.
#ifndef HEDDLE_CHANNEL_DESCRIPTOR_H
#define HEDDLE_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)
template <class T>
inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void) {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define HEDDLE_CHANNEL(type, components, kind)                                               \
  template <>                                                                                \
  inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>(void) {                  \
    const int bits = static_cast<int>(8 * sizeof(type) / components);                        \
    return cudaCreateChannelDesc(bits, components > 1 ? bits : 0, components > 2 ? bits : 0, \
                                 components > 3 ? bits : 0, cudaChannelFormatKind##kind);    \
  }
#define HEDDLE_CHANNELS(type, vector, kind) \
  HEDDLE_CHANNEL(type, 1, kind)             \
  HEDDLE_CHANNEL(vector##1, 1, kind)        \
  HEDDLE_CHANNEL(vector##2, 2, kind)        \
  HEDDLE_CHANNEL(vector##3, 3, kind)        \
  HEDDLE_CHANNEL(vector##4, 4, kind)
HEDDLE_CHANNEL(char, 1, Signed)
HEDDLE_CHANNELS(signed char, char, Signed)
HEDDLE_CHANNELS(unsigned char, uchar, Unsigned)
HEDDLE_CHANNELS(short, short, Signed)
HEDDLE_CHANNELS(unsigned short, ushort, Unsigned)
HEDDLE_CHANNELS(int, int, Signed)
HEDDLE_CHANNELS(unsigned int, uint, Unsigned)
HEDDLE_CHANNELS(float, float, Float)
#undef HEDDLE_CHANNELS
#undef HEDDLE_CHANNEL

#define HEDDLE_HALF_CHANNELS(name, components)                                                                          \
  inline __host__ cudaChannelFormatDesc name(void) {                                                                    \
    return cudaCreateChannelDesc(16, components > 1 ? 16 : 0, components > 2 ? 16 : 0, components > 2 ? 16 : 0,         \
                                 cudaChannelFormatKindFloat);                                                           \
  }
HEDDLE_HALF_CHANNELS(cudaCreateChannelDescHalf, 1)
HEDDLE_HALF_CHANNELS(cudaCreateChannelDescHalf1, 1)
HEDDLE_HALF_CHANNELS(cudaCreateChannelDescHalf2, 2)
HEDDLE_HALF_CHANNELS(cudaCreateChannelDescHalf4, 4)
#undef HEDDLE_HALF_CHANNELS
#endif

#endif
