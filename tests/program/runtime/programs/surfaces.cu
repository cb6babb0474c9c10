// SPDX-License-Identifier: Apache-2.0
// Surfaces of every shape and element size, with every boundary mode, through objects and references.
#include <vector>

#include "expect.h"

surface<void, cudaSurfaceType2D> plane_reference;
surface<void, cudaSurfaceType2DLayered> layers_reference;

constexpr int kWidth = 16, kHeight = 8, kDepth = 6;

template <typename T>
__global__ void copy_elements(cudaSurfaceObject_t from, cudaSurfaceObject_t to, T add) {
  const int x = threadIdx.x * static_cast<int>(sizeof(T)), y = blockIdx.x;
  T value = surf2Dread<T>(from, x, y);
  unsigned char* bytes = reinterpret_cast<unsigned char*>(&value);
  const unsigned char* more = reinterpret_cast<const unsigned char*>(&add);
  for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] += more[i];
  surf2Dwrite(value, to, x, y);
}
__global__ void bounds(cudaSurfaceObject_t surface, int* out) {
  const int x = (static_cast<int>(threadIdx.x) - 4) * 4;
  for (int y = -2; y < kHeight + 2; ++y) {
    int clamped;
    surf2Dread(&clamped, surface, x, y, cudaBoundaryModeClamp);
    out[((y + 2) * 2) * blockDim.x + threadIdx.x] = clamped;
    out[((y + 2) * 2 + 1) * blockDim.x + threadIdx.x] = surf2Dread<int>(surface, x, y, cudaBoundaryModeZero);
  }
}
// Half of the threads take part: the others' registers stay as they are.
__global__ void write_bounds(cudaSurfaceObject_t zero, cudaSurfaceObject_t clamp) {
  const int x = (static_cast<int>(threadIdx.x) - 4) * 4;
  if (threadIdx.x % 2 == 0) surf2Dwrite(static_cast<int>(1000 + threadIdx.x), zero, x, 3, cudaBoundaryModeZero);
  if (threadIdx.x == 0) surf2Dwrite(7, clamp, x, kHeight + 5, cudaBoundaryModeClamp);
}
__global__ void shapes(cudaSurfaceObject_t line, cudaSurfaceObject_t solid, cudaSurfaceObject_t rows, cudaSurfaceObject_t layers,
                       cudaSurfaceObject_t cube, cudaSurfaceObject_t cubes, int* sums) {
  const int x = threadIdx.x * 4, slice = blockIdx.x;
  if (slice == 0) surf1Dwrite<int>(x, line, x);
  surf1DLayeredwrite<int>(100 * slice + x, rows, x, slice);
  for (int y = 0; y < kHeight; ++y) {
    surf3Dwrite<int>(10000 * slice + 100 * y + x, solid, x, y, slice);
    surf2DLayeredwrite<int>(20000 * slice + 100 * y + x, layers, x, y, slice);
  }
  if (x < kHeight * 4) {
    surfCubemapwrite<int>(slice, cube, x, 2, slice);
    surfCubemapLayeredwrite<int>(6 + slice, cubes, x, 2, 6 + slice);
  }
  __syncthreads();
  int sum = surf3Dread<int>(solid, x, 3, slice) + surf2DLayeredread<int>(layers, x, 4, slice) + surf1DLayeredread<int>(rows, x, slice);
  if (slice == 0) sum += surf1Dread<int>(line, x);
  if (x < kHeight * 4) sum += surfCubemapread<int>(cube, x, 2, slice) + surfCubemapLayeredread<int>(cubes, x, 2, 6 + slice);
  sums[slice * kWidth + threadIdx.x] = sum;
}
__global__ void through_references(int* out) {
  const int x = threadIdx.x * 4;
  surf2Dwrite(static_cast<int>(5 * threadIdx.x), plane_reference, x, 1);
  surf2DLayeredwrite(static_cast<int>(7 * threadIdx.x), layers_reference, x, 1, 2);
  int value;
  surf2Dread(&value, plane_reference, x, 1);
  out[threadIdx.x] = value + surf2DLayeredread<int>(layers_reference, x, 1, 2);
}
__global__ void outside(cudaSurfaceObject_t surface) { surf2Dwrite(1, surface, kWidth * 4, 0); }

static cudaArray_t array_of(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags) {
  cudaArray_t array = nullptr;
  OK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
  return array;
}
static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t object = 0;
  OK(cudaCreateSurfaceObject(&object, &resource));
  return object;
}
template <typename T>
static std::vector<T> download(const T* device, int n) {
  std::vector<T> host(n);
  OK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <typename T>
static void check_elements(T add) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t from = array_of(format, {kWidth, kHeight, 0}, 0), to = array_of(format, {kWidth, kHeight, 0}, 0);
  std::vector<unsigned char> bytes(kWidth * kHeight * sizeof(T)), seen(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  const size_t row = kWidth * sizeof(T);
  OK(cudaMemcpy2DToArray(from, 0, 0, bytes.data(), row, row, kHeight, cudaMemcpyHostToDevice));
  const cudaSurfaceObject_t source = surface_of(from), target = surface_of(to);
  copy_elements<T><<<kHeight, kWidth>>>(source, target, add);
  OK(cudaMemcpy2DFromArray(seen.data(), row, to, 0, 0, row, kHeight, cudaMemcpyDeviceToHost));
  unsigned char more[sizeof(T)];
  memcpy(more, &add, sizeof(T));
  unsigned wrong = 0;
  for (size_t i = 0; i < bytes.size(); ++i) wrong += seen[i] != static_cast<unsigned char>(bytes[i] + more[i % sizeof(T)]);
  EXPECT(wrong == 0);
  OK(cudaDestroySurfaceObject(source));
  EXPECT_CODE(cudaDestroySurfaceObject(source), cudaErrorInvalidValue);
  OK(cudaFreeArray(from));
  OK(cudaFreeArray(to));
}

int main() {
  int most = 0;
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSurface2DLayeredLayers, 0));
  EXPECT(most == 2048);
  check_elements<unsigned char>(3);
  check_elements<short2>(make_short2(1, 2));
  check_elements<unsigned short>(0x0102);
  check_elements<int>(0x01020304);
  check_elements<float2>(make_float2(1.5f, 2.5f));
  check_elements<uint4>(make_uint4(1, 2, 3, 4));

  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  int* out = nullptr;
  OK(cudaMalloc(&out, 4096 * sizeof(int)));
  std::vector<int> texels(kWidth * kHeight);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<int>(i) + 1;
  cudaArray_t plane = array_of(format, {kWidth, kHeight, 0}, 0);
  OK(cudaMemcpy2DToArray(plane, 0, 0, texels.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t surface = surface_of(plane);
  constexpr int kThreads = kWidth + 8;
  bounds<<<1, kThreads>>>(surface, out);
  const auto seen = download(out, kThreads * 2 * (kHeight + 4));
  for (int y = -2; y < kHeight + 2; ++y) {
    for (int t = 0; t < kThreads; ++t) {
      const int x = t - 4;
      const int cx = x < 0 ? 0 : x >= kWidth ? kWidth - 1 : x, cy = y < 0 ? 0 : y >= kHeight ? kHeight - 1 : y;
      EXPECT(seen[(y + 2) * 2 * kThreads + t] == texels[cy * kWidth + cx]);
      EXPECT(seen[((y + 2) * 2 + 1) * kThreads + t] == (cx == x && cy == y ? texels[y * kWidth + x] : 0));
    }
  }
  write_bounds<<<1, kThreads>>>(surface, surface);
  std::vector<int> written(kWidth * kHeight);
  OK(cudaMemcpy2DFromArray(written.data(), kWidth * 4, plane, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth * kHeight; ++i) {
    int expected = texels[i];
    if (i / kWidth == 3 && i % 2 == 0) expected = 1004 + i % kWidth;
    if (i == (kHeight - 1) * kWidth) expected = 7;
    EXPECT(written[i] == expected);
  }

  // Every shape, and what is written is read in the same kernel by the thread that wrote it.
  cudaArray_t layers = array_of(format, {kWidth, kHeight, kDepth}, cudaArrayLayered);
  cudaArray_t cube = array_of(format, {kHeight, kHeight, 6}, cudaArrayCubemap);
  shapes<<<kDepth, kWidth>>>(surface_of(array_of(format, {kWidth, 0, 0}, 0)), surface_of(array_of(format, {kWidth, kHeight, kDepth}, 0)),
                             surface_of(array_of(format, {kWidth, 0, kDepth}, cudaArrayLayered)), surface_of(layers), surface_of(cube),
                             surface_of(array_of(format, {kHeight, kHeight, 12}, cudaArrayCubemap | cudaArrayLayered)), out);
  const auto sums = download(out, kDepth * kWidth);
  for (int slice = 0; slice < kDepth; ++slice) {
    for (int t = 0; t < kWidth; ++t) {
      const int x = 4 * t;
      int sum = 10000 * slice + 300 + x + 20000 * slice + 400 + x + 100 * slice + x;
      if (slice == 0) sum += x;
      if (t < kHeight) sum += slice + 6 + slice;
      EXPECT(sums[slice * kWidth + t] == sum);
    }
  }
  OK(cudaBindSurfaceToArray(plane_reference, plane));
  OK(cudaBindSurfaceToArray(layers_reference, layers));
  const surfaceReference* known = nullptr;
  OK(cudaGetSurfaceReference(&known, &plane_reference));
  EXPECT(known == &plane_reference);
  through_references<<<1, kWidth>>>(out);
  const auto both = download(out, kWidth);
  for (int t = 0; t < kWidth; ++t) EXPECT(both[t] == 12 * t);

  // An array that was not made for it; an access outside.
  cudaArray_t closed = nullptr;
  OK(cudaMallocArray(&closed, &format, 4, 4));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = closed;
  EXPECT_CODE(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
  cudaGetLastError();
  outside<<<1, 1>>>(surface_of(plane));
  EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_CODE(cudaGetLastError(), cudaErrorIllegalAddress);
  return finish();
}
