// SPDX-License-Identifier: Apache-2.0
// PTX operations that are not modelled, each with advice on what to use instead.
#include <string>

#include "isa/ptx/mnemonics.h"

namespace heddle::isa {
namespace {

constexpr std::string_view kMatrices =
    "the matrix units are not modelled; compute the product with fma or dp4a (a library built for sm_60 has such a "
    "path)";
constexpr std::string_view kClusters =
    "thread block clusters are not modelled; build for an architecture before sm_90, where programs do not use "
    "clusters";
constexpr std::string_view kBulk =
    "bulk and tensor copies are not modelled; copy with ld and st, or with cp.async for pieces of 4, 8 or 16 bytes";
constexpr std::string_view kStack =
    "dynamically sized stack memory is not modelled; declare a .local array of the largest size";
constexpr std::string_view kMulticast = "memory shared by several devices is not modelled; use one device";
constexpr std::string_view kLaunchControl =
    "launch control from a kernel is not modelled; launch from the host with a grid of the size needed";

constexpr Refusal kRefusals[] = {
    {"alloca", kStack},
    {"barrier.cluster", kClusters},
    {"clusterlaunchcontrol", kLaunchControl},
    {"cp.async.bulk", kBulk},
    {"cp.reduce.async.bulk", kBulk},
    {"getctarank", kClusters},
    {"istypep", "handles carry no type; use a texture, sampler or surface handle where its kind is known"},
    {"ldmatrix", kMatrices},
    {"mapa", kClusters},
    {"mma", kMatrices},
    {"movmatrix", kMatrices},
    {"multimem", kMulticast},
    {"red.async", "reductions into another block's shared memory are not modelled; use atom or red on global memory"},
    {"setmaxnreg", "moving registers between warps is not modelled; omit the instruction, it changes no result"},
    {"st.async", "stores into another block's shared memory are not modelled; use st to global memory and a fence"},
    {"st.bulk", kBulk},
    {"stackrestore", kStack},
    {"stacksave", kStack},
    {"stmatrix", kMatrices},
    {"tcgen05", kMatrices},
    {"tensormap", kBulk},
    {"wgmma", kMatrices},
    {"wmma", kMatrices},
};

}  // namespace

std::span<const Refusal> all_refusals() { return kRefusals; }

std::string_view refusal_of(std::string_view name) {
  for (const Refusal& refusal : kRefusals) {
    if (refusal.name == name) return refusal.sentence;
  }
  return {};
}

}  // namespace heddle::isa
