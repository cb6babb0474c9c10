// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects of the driver API, with PTX kernels that fetch by level, query, gather, store formatted
// texels and reduce. Checks its own results.
#include <cmath>
#include <cstring>
#include <vector>

#include "driver_check.h"

static const char* const kModule = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry fetch(.param .u64 out, .param .u64 texture, .param .u64 layers)
{
  .reg .b32 %r<20>;
  .reg .f32 %f<30>;
  .reg .b64 %d<6>;
  ld.param.u64 %d0, [out];
  ld.param.u64 %d1, [texture];
  ld.param.u64 %d2, [layers];
  mov.f32 %f0, 0f3F000000;
  mov.f32 %f1, 0f3F800000;
  tex.level.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d1, {%f0, %f0}], %f1;
  st.global.f32 [%d0], %f2;
  mov.f32 %f6, 0f3F000000;
  tex.grad.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d1, {%f0, %f0}], {%f6, %f6}, {%f6, %f6};
  st.global.f32 [%d0+4], %f2;
  tex.base.2d.v4.f32.s32 {%f2, _, _, _}, [%d1, {1, 2}];
  st.global.f32 [%d0+8], %f2;
  mov.u32 %r0, 1;
  tex.a2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%d2, {%r0, 3, 1, 1}];
  st.global.u32 [%d0+12], %r1;
  tld4.r.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%r0, %f1, %f1, %f1}];
  st.global.v4.u32 [%d0+16], {%r1, %r2, %r3, %r4};
  txq.width.b32 %r5, [%d1];
  st.global.u32 [%d0+32], %r5;
  txq.level.height.b32 %r5, [%d1], 2;
  st.global.u32 [%d0+36], %r5;
  txq.num_mipmap_levels.b32 %r5, [%d1];
  st.global.u32 [%d0+40], %r5;
  txq.array_size.b32 %r5, [%d2];
  st.global.u32 [%d0+44], %r5;
  txq.normalized_coords.b32 %r5, [%d1];
  st.global.u32 [%d0+48], %r5;
  txq.channel_data_type.b32 %r5, [%d1];
  st.global.u32 [%d0+52], %r5;
  txq.channel_order.b32 %r5, [%d2];
  st.global.u32 [%d0+56], %r5;
  txq.filter_mode.b32 %r5, [%d1];
  st.global.u32 [%d0+60], %r5;
  ret;
}
.visible .entry store(.param .u64 out, .param .u64 halves, .param .u64 bytes, .param .u64 counts)
{
  .reg .pred %p<3>;
  .reg .b16 %h<3>;
  .reg .b32 %r<20>;
  .reg .f32 %f<10>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [out];
  ld.param.u64 %d1, [halves];
  ld.param.u64 %d2, [bytes];
  ld.param.u64 %d3, [counts];
  mov.u32 %r0, %tid.x;
  cvt.rn.f32.u32 %f0, %r0;
  neg.f32 %f1, %f0;
  mov.b32 %r1, %f0;
  mov.b32 %r2, %f1;
  sust.p.2d.v2.b32.trap [%d1, {%r0, 1}], {%r1, %r2};
  mul.lo.u32 %r3, %r0, 100;
  setp.lt.u32 %p0, %r0, 3;
  @%p0 sust.p.1d.v4.b32.zero [%d2, {%r0}], {%r3, %r0, 1, 2};
  @!%p0 sust.p.1d.v4.b32.zero [%d2, {%r0}], {9, 9, 9, 9};
  and.b32 %r4, %r0, 1;
  shl.b32 %r4, %r4, 2;
  sured.b.add.1d.u32.trap [%d3, {%r4}], %r0;
  sured.b.max.1d.s32.clamp [%d3, {1000}], %r0;
  sured.b.or.1d.b32.zero [%d3, {-4}], %r0;
  mov.u32 %r5, 77;
  @%p0 suld.b.1d.b32.zero {%r5}, [%d3, {-8}];
  mul.wide.u32 %d4, %r0, 4;
  add.u64 %d5, %d0, %d4;
  st.global.u32 [%d5], %r5;
  suq.width.b32 %r6, [%d1];
  suq.height.b32 %r7, [%d1];
  st.global.v2.u32 [%d0+64], {%r6, %r7};
  ret;
}
)";

template <typename T>
static CUarray array_of(const std::vector<T>& texels, const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  CUarray array;
  OK(cuArray3DCreate(&array, &shape));
  if (texels.empty()) return array;
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = shape.Width * sizeof(T);
  copy.Height = shape.Height;
  copy.Depth = shape.Depth != 0 ? shape.Depth : 1;
  OK(cuMemcpy3D(&copy));
  return array;
}

static CUtexObject texture_of(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& rules) {
  CUtexObject object = 0;
  OK(cuTexObjectCreate(&object, &resource, &rules, nullptr));
  return object;
}

static CUsurfObject surface_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUsurfObject object = 0;
  OK(cuSurfObjectCreate(&object, &resource));
  CUDA_RESOURCE_DESC told{};
  OK(cuSurfObjectGetResourceDesc(&told, object));
  EXPECT(told.resType == CU_RESOURCE_TYPE_ARRAY && told.res.array.hArray == array);
  return object;
}

static std::vector<unsigned> download(CUdeviceptr data, size_t words) {
  std::vector<unsigned> out(words);
  OK(cuMemcpyDtoH(out.data(), data, words * 4));
  return out;
}
static float real(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static void fetches(CUmodule module, CUdeviceptr out) {
  CUmipmappedArray levels;
  const CUDA_ARRAY3D_DESCRIPTOR shape{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  OK(cuMipmappedArrayCreate(&levels, &shape, 3));
  for (unsigned l = 0; l < 3; ++l) {
    CUarray level;
    OK(cuMipmappedArrayGetLevel(&level, levels, l));
    CUDA_ARRAY3D_DESCRIPTOR told;
    OK(cuArray3DGetDescriptor(&told, level));
    EXPECT(told.Width == 4u >> l && told.Height == 4u >> l && told.Format == CU_AD_FORMAT_FLOAT);
    std::vector<float> texels;
    for (unsigned i = 0; i < (4u >> l) * (4u >> l); ++i) texels.push_back(100.0f * (l + 1) + (l == 0 ? i : 0));
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = level;
    copy.WidthInBytes = (4u >> l) * 4;
    copy.Height = 4u >> l;
    OK(cuMemcpy2D(&copy));
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = levels;
  CUDA_TEXTURE_DESC rules{};
  rules.flags = CU_TRSF_NORMALIZED_COORDINATES;
  rules.filterMode = rules.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  rules.maxMipmapLevelClamp = 8;
  const CUtexObject texture = texture_of(resource, rules);
  CUDA_TEXTURE_DESC told{};
  OK(cuTexObjectGetTextureDesc(&told, texture));
  EXPECT(told.flags == CU_TRSF_NORMALIZED_COORDINATES && told.maxMipmapLevelClamp == 8);
  CUDA_RESOURCE_DESC same{};
  OK(cuTexObjectGetResourceDesc(&same, texture));
  EXPECT(same.res.mipmap.hMipmappedArray == levels);
  CUDA_RESOURCE_VIEW_DESC view{};
  EXPECT(cuTexObjectGetResourceViewDesc(&view, texture) == CUDA_ERROR_INVALID_VALUE);

  // Bytes in two layers, as integers.
  std::vector<unsigned char> bytes;
  for (unsigned i = 0; i < 2 * 4 * 4; ++i) bytes.push_back(static_cast<unsigned char>(i));
  const CUarray array =
      array_of(bytes, {4, 4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_TEXTURE_GATHER});
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  rules = {};
  rules.flags = CU_TRSF_READ_AS_INTEGER;
  const CUtexObject layers = texture_of(resource, rules);

  CUfunction kernel;
  OK(cuModuleGetFunction(&kernel, module, "fetch"));
  void* arguments[] = {&out, const_cast<CUtexObject*>(&texture), const_cast<CUtexObject*>(&layers)};
  OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  const auto seen = download(out, 16);
  EXPECT(real(seen[0]) == 200);
  // (1/2, 1/2) of a side of four is a length of 2 root 2 texels: level 1.5.
  EXPECT(std::fabs(real(seen[1]) - 250) < 0.5f);
  EXPECT(real(seen[2]) == 100 + 9);
  EXPECT(seen[3] == 16 + 4 + 3);
  EXPECT(seen[4] == 16 + 4 && seen[5] == 16 + 5 && seen[6] == 16 + 1 && seen[7] == 16);
  EXPECT(seen[8] == 4 && seen[9] == 1 && seen[10] == 3 && seen[11] == 2 && seen[12] == 1);
  EXPECT(seen[13] == 0x10de && seen[14] == 0x10b0 && seen[15] == 1);
  OK(cuTexObjectDestroy(texture));
  OK(cuTexObjectDestroy(layers));
  OK(cuMipmappedArrayDestroy(levels));
  OK(cuArrayDestroy(array));
}

static void stores(CUmodule module, CUdeviceptr out) {
  constexpr unsigned kThreads = 8;
  const CUarray halves = array_of<unsigned>({}, {kThreads, 2, 0, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_SURFACE_LDST});
  const CUarray bytes = array_of<unsigned>({}, {4, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST});
  const CUarray counts = array_of<unsigned>({}, {3, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST});
  const unsigned zeros[3] = {0, 0, 0};
  OK(cuMemcpyHtoA(counts, 0, zeros, sizeof zeros));
  CUsurfObject surfaces[] = {surface_of(halves), surface_of(bytes), surface_of(counts)};
  CUfunction kernel;
  OK(cuModuleGetFunction(&kernel, module, "store"));
  void* arguments[] = {&out, &surfaces[0], &surfaces[1], &surfaces[2]};
  OK(cuLaunchKernel(kernel, 1, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuCtxSynchronize());

  std::vector<unsigned> row(kThreads);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = halves;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = row.data();
  copy.WidthInBytes = kThreads * 4;
  copy.Height = 1;
  OK(cuMemcpy2D(&copy));
  const unsigned positive[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
  for (unsigned i = 0; i < kThreads; ++i) EXPECT(row[i] == (positive[i] | (positive[i] | 0x8000) << 16));

  unsigned char texels[16];
  OK(cuMemcpyAtoH(texels, bytes, 0, sizeof texels));
  const unsigned char expected[16] = {0, 0, 1, 2, 100, 1, 1, 2, 200, 2, 1, 2, 9, 9, 9, 9};
  EXPECT(std::memcmp(texels, expected, sizeof texels) == 0);
  unsigned sums[3];
  OK(cuMemcpyAtoH(sums, counts, 0, sizeof sums));
  EXPECT(sums[0] == 0 + 2 + 4 + 6 && sums[1] == 1 + 3 + 5 + 7 && sums[2] == 7);
  const auto seen = download(out, 18);
  for (unsigned i = 0; i < kThreads; ++i) EXPECT(seen[i] == (i < 3 ? 0 : 77));
  EXPECT(seen[16] == kThreads && seen[17] == 2);
  for (const CUsurfObject surface : surfaces) OK(cuSurfObjectDestroy(surface));
}

int main() {
  CUdevice device;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuCtxCreate(&context, 0, device));
  CUmodule module;
  OK(cuModuleLoadData(&module, kModule));
  CUdeviceptr out;
  OK(cuMemAlloc(&out, 256));
  fetches(module, out);
  stores(module, out);
  OK(cuCtxDestroy(context));
  return finish();
}
